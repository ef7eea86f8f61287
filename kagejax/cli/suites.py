"""`kagejax suites`: the train and eval pairs of the benchmarks, listed, shown and drawn."""

import sys
from collections.abc import Sequence
from typing import Annotated

import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.config.difference import diff
from kagejax.config.loader import load
from kagejax.config.rendering import yaml_value
from kagejax.config.suites import Pair, Suite, protocols, suites
from kagejax.evaluation import planning

from ._arguments import new_file, require

Names = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="SUITE")]
Keys = Annotated[str, tyro.conf.arg(metavar="1,2,...", help_behavior_hint="")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax suites ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    commands = {"list": list_suites, "show": show, "render": render}
    return tyro.extras.subcommand_cli_from_dict(commands, prog="kagejax suites", args=arguments, use_underscores=False)


def list_suites(names: Names = ()) -> int:
    """List suites, with the number of their pairs and of the training runs that these take, and the protocols.

    For example:
      kagejax suites list
      kagejax suites list kage

    Args:
        names: Environments or suites; all unless said.
    """
    from kagejax.evaluation import report

    chosen = planning.find_suites(names) if names else list(suites().values())
    rows = [["suite", "pairs", "trainings", "title"]]
    for suite in chosen:
        rows.append([suite.id, *_counts([suite]), suite.title + (" (experiment)" if suite.experiment else "")])
    for room in dict.fromkeys(suite.id.partition("/")[0] for suite in chosen):
        together = [suite for suite in chosen if suite.id.startswith(f"{room}/") and not suite.experiment]
        if len(together) > 1:
            rows.append([room, *_counts(together), f"the {len(together)} suites that are no experiments"])
    # Titles stand to the left, whatever the table does with its last column.
    titles, rows = [row[-1] for row in rows], [row[:-1] for row in rows]
    lines = report.align(rows).splitlines()
    lines.remove(rule := lines[1])
    shown = [f"{line}  {title}" for line, title in zip(lines, titles, strict=True)]
    print("\n".join([shown[0], rule + "-" * (2 + max(map(len, titles))), *shown[1:]]))
    if not names:
        print("\nprotocols, for kagejax sweep suite=NAME:")
        for protocol in protocols().values():
            print(f"  {protocol.id}  {protocol.title}: {', '.join(protocol.suite)}, seeds {protocol.seeds}, {protocol.agent}")
    return 0


def _counts(chosen: Sequence[Suite]) -> tuple[str, str]:
    pairs = planning.choose(chosen)
    return str(len(pairs)), str(len(planning.plan(pairs, prove=False).runs))


def show(names: Names, *, pairs: Keys = "", verify: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False) -> int:
    """Show pairs: what differs between their sides, and which pairs train on the same configuration.

    For example:
      kagejax suites show kage/background
      kagejax suites show kage/distractors --pairs 5,6 --verify

    Args:
        names: Environments or suites, one or more.
        pairs: Pairs of them, such as 1,2 or background/1..3; all unless said.
        verify: Play both sides of each pair, and say whether the picture alone differs; status 1 if not.
    """
    chosen, found = _chosen(names, pairs)
    plan = {pair.pair: pair for pair in planning.plan(found, prove=False).pairs}
    wrong = 0
    for suite in chosen:
        own = [pair for owner, pair in found if owner is suite]
        if own:
            print(f"{suite.id}: {suite.title}, {len(own)} pair{'s' * (len(own) != 1)}")
        for pair in own:
            print(f"\n  {pair.id}: {pair.title}")
            print("\n".join(f"    {line}" for line in _differences(pair)))
            if plan[pair.id].train != plan[pair.id].own_train:
                print(f"    trains as {plan[pair.id].train}")
            if verify:
                wrong += not _verified(pair)
        print() if own else None
    return 1 if wrong else 0


def _chosen(names: Sequence[str], pairs: str) -> tuple[list[Suite], list[tuple[Suite, Pair]]]:
    from ._sweep_words import expanded

    require(bool(names), "suite", "Name one or more suites, such as kage/background; `kagejax suites list` lists them.")
    chosen = planning.find_suites(names)
    return chosen, planning.choose(chosen, expanded("pairs", pairs))


def _differences(pair: Pair) -> list[str]:
    found = diff(load(f"{pair.id}/train", {}), load(f"{pair.id}/eval", {}))
    lines = [f"{each.path}: {yaml_value(each.first)} -> {yaml_value(each.second)}" for each in found if not each.inert]
    return lines or ["no difference"]


def _verified(pair: Pair) -> bool:
    """By a policy that gets far where there is one: some of what differs stands far from where an episode begins."""
    from kagejax.config.making import make
    from kagejax.evaluation import episodes, pairs

    names = (f"{pair.id}/train", f"{pair.id}/eval")
    sides = [make(name) for name in names]
    policy = "scripted" if "scripted" in episodes.actors(sides[0][0]) else "random"
    report = pairs.compare(*sides, names, episodes=4, steps=640, seed=0, policy=policy)
    print("\n".join(f"    {line.strip()}" for line in str(report).splitlines()[1:]), flush=True)
    return bool(report)


def render(
    names: Names,
    *,
    out: Annotated[str, tyro.conf.arg(metavar="FILE")],
    pairs: Keys = "",
    steps: int = 160,
    policy: str = "",
    seed: int = 0,
    columns: int = 5,
    scale: int = 1,
) -> int:
    """Draw pairs: the train frame beside the eval frame, on the same level after the same actions, on one sheet.

    For example:
      kagejax suites render kage --out pairs.png
      kagejax suites render kage/filters kage/radial_light --columns 3 --scale 2 --out filters.png

    Args:
        names: Environments or suites, one or more.
        out: Where to, .png.
        pairs: Pairs of them, such as 1,2 or background/1..3; all unless said.
        steps: Steps played before the frames.
        policy: Who plays: random, or another of the environment's such as scripted or right; scripted where there is one.
        seed: Whole number from which level and noise are drawn.
        columns: Pairs side by side.
        scale: Magnification, a whole number.
    """
    path = new_file(out, (".png",))
    require(0 <= steps <= 10_000, "--steps", f"Found {steps}; allowed: 0 to 10,000.")
    require(0 <= seed < 2**32, "--seed", f"Found {seed}; allowed: 0 to 2^32 - 1.")
    require(columns >= 1, "--columns", f"Found {columns}; allowed: 1 or more.")
    require(scale >= 1, "--scale", f"Found {scale}; allowed: 1 or more.")
    from PIL import Image

    from . import _pair_sheets

    chosen, found = _chosen(names, pairs)
    frames = _pair_sheets.frames([pair for _, pair in found], policy, steps, seed)
    rows = [(suite.title, [pair for owner, pair in found if owner is suite]) for suite in chosen]
    Image.fromarray(_pair_sheets.sheet([row for row in rows if row[1]], frames, columns, scale)).save(path)
    count = len(found)
    print(f"{out}: {count} pair{'s' * (count != 1)} after {steps} step{'s' * (steps != 1)}, train left, eval right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
