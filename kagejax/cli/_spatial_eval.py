"""`kagejax spatial eval`: language models and baselines on path puzzles, their log, report and page."""

import asyncio
import json
import os
import pathlib
import time
from collections.abc import Callable
from typing import Annotated, Any

import tyro

from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing

from ._arguments import require
from ._spatial_puzzles import HUB, puzzles_of, sets

AGENTS = ("endpoint", "random", "astar")
FAILED = 1
"""Exit status of a run in which no request succeeded."""
OPENAI = "https://api.openai.com/v1"


class _Ended(ConfigError):
    """What ends an evaluation whose arguments are right: an endpoint that is down, a log that cannot be taken up."""

    def __str__(self) -> str:
        return "\n".join(["The evaluation cannot go on:", *(str(problem) for problem in self.problems)])

    def __reduce__(self):
        return _Ended, (self.problems,)


def evaluate(
    puzzles: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="FILE|FOLDER|SET|hub")],
    *,
    out: str,
    agent: str = "endpoint",
    model: str = "",
    base_url: str = "",
    key_env: str = "OPENAI_API_KEY",
    mode: str = "one-shot",
    view: str = "text",
    wording: str = "reference",
    history: bool = False,
    parser: str = "strict",
    max_steps: int = 100,
    invalid_replies: int = 2,
    picture_size: int = 512,
    levels: str = "",
    limit: int = 0,
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    extra: str = "",
    concurrency: int = 8,
    timeout: float = 600.0,
    attempts: int = 6,
    stop_after: int = 10,
    retry_failed: bool = False,
) -> int:
    """Ask a language model, or let a baseline play, and report how many puzzles are solved.

    The folder gets a log of every episode, a report and a page to read transcripts. The same command again takes a run up where
    it was broken off: nothing is asked or counted twice. A request that fails for good counts as a failure; where all failed,
    the exit status is 1. In a folder, more or fewer puzzles may be asked for than before, but no others: --levels, --limit and
    --samples can be widened or narrowed, and the report is of what is asked for now.

    For example:
      kagejax spatial eval puzzles.jsonl --out runs/a --model my-model --base-url http://localhost:8000/v1
      kagejax spatial eval hub --out runs/b --model my-model --mode step --view picture --levels 5
      kagejax spatial eval puzzles.jsonl --out runs/random --agent random --mode step --samples 5

    Args:
        puzzles: Records, as JSON lines; a set that comes with kagejax; or hub, the public test puzzles.
        out: Folder of the run.
        agent: endpoint; or random (legal moves) or astar (shortest path, rules ignored).
        model: Name of the model, as the endpoint knows it.
        base_url: The endpoint; nothing: OpenAI's own.
        key_env: Environment variable with the key; it may be unset where --base-url names an endpoint that needs none.
        mode: one-shot (a whole path), step (a question for each move) or traceback (the same, and the line may be taken back).
        view: text or picture.
        wording: Of the rules: reference (what the stored solutions obey) or paper (as first published).
        history: Step by step: keep one conversation; else each step is asked without those before.
        parser: Step by step: which reading of a reply counts, strict (as published) or lenient; both are reported.
        max_steps: Steps of an episode, illegal ones too.
        invalid_replies: Step by step: so many replies without a move are asked again in an episode; one more ends it.
        picture_size: Height and width of pictures, px.
        levels: Only these, with commas.
        limit: Only so many puzzles, of each level as many as of the others; 0: all.
        samples: Answers to each puzzle.
        temperature: Sent along; nothing: the endpoint's default, here and below.
        max_tokens: Of a reply, reasoning included. For an endpoint that has another name for it, see --extra.
        seed: Sent along, for sample i plus i. A baseline draws from it.
        extra: Further fields of each request, as JSON, such as '{"max_completion_tokens": 8000}'.
        concurrency: Episodes at a time.
        timeout: Seconds for one attempt at a request.
        attempts: At a request, with growing waits.
        stop_after: Give up after so many episodes in a row whose request failed; 0: never.
        retry_failed: Play episodes again whose request failed.
    """
    from kagejax.evaluation.spatial import runs, settings

    _require_choices(agent, mode, view, wording, parser)
    least: list[tuple[str, float, float]] = [("--max-steps", max_steps, 1), ("--invalid-replies", invalid_replies, 0)]
    least += [("--picture-size", picture_size, 32), ("--limit", limit, 0), ("--samples", samples, 1)]
    least += [("--max-tokens", 1 if max_tokens is None else max_tokens, 1), ("--concurrency", concurrency, 1)]
    least += [("--attempts", attempts, 1), ("--stop-after", stop_after, 0)]
    for option, value, allowed in least:
        require(value >= allowed, option, f"Found {value}; allowed: {allowed} or more.")
    require(timeout > 0, "--timeout", f"Found {timeout:g}; allowed: above 0.")
    require(agent != "endpoint" or bool(model), "--model", "An endpoint is asked for a model by its name; say which.")
    require(agent == "endpoint" or not model, "--model", f"The agent {agent} asks no model; leave this out.")
    protocol = settings.Protocol(mode, view, wording, history, parser, max_steps, invalid_replies, picture_size)
    if agent == "endpoint":
        sampling = settings.Sampling(model, temperature, max_tokens, seed, _fields(extra))
        player = _endpoint(sampling, base_url, key_env, timeout, attempts)
        stated = runs.settings_of(agent, protocol, sampling)
    else:
        player = _baseline(agent, seed or 0)
        stated = runs.settings_of(agent, protocol, seed=seed or 0)
    plan = runs.Plan(_chosen(puzzles, levels, limit), samples, protocol)
    playing = {"concurrency": concurrency, "retry_failed": retry_failed, "stop_after": stop_after}
    choice = {"source": _source(puzzles), "levels": levels, "limit": limit, "puzzles": len(plan.puzzles), "samples": samples}
    session: dict[str, Any] = playing | choice | {"timeout": timeout, "attempts": attempts}
    session["puzzles"] = []  # the log adds the ids of new ones
    session["base_url"] = _shown(base_url) if agent == "endpoint" else None
    session["began"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return _run(_folder(out), plan, stated, session, choice, player, playing)


def _require_choices(agent: str, mode: str, view: str, wording: str, parser: str) -> None:
    from kagejax.evaluation.spatial import settings

    choices = [("--agent", agent, AGENTS), ("--mode", mode, settings.MODES), ("--view", view, settings.VIEWS)]
    choices += [("--wording", wording, settings.WORDINGS), ("--parser", parser, settings.PARSERS)]
    for option, value, allowed in choices:
        message = f"Found {value!r}; allowed: {listing(list(allowed))}.{did_you_mean(value, allowed)}"
        require(value in allowed, option, message)


def _chosen(source: str, levels: str, limit: int) -> tuple[Any, ...]:
    """The puzzles that are asked for."""
    from kagejax.evaluation.spatial import runs

    found = puzzles_of(source)
    if levels:
        known = sorted({puzzle.level for puzzle in found})
        try:
            wanted = {int(level) for level in levels.split(",")}
        except ValueError:
            wanted = set()
        message = f"Found {levels!r}; allowed: {listing([str(level) for level in known])}, with commas."
        require(bool(wanted) and wanted <= set(known), "--levels", message)
        found = tuple(puzzle for puzzle in found if puzzle.level in wanted)
    return tuple(runs.in_turns(found)[:limit]) if limit else found


def _source(given: str) -> str:
    """Where puzzles come from, without the folder: a report is for others to read, too."""
    return given if given in (*sets(), HUB) else pathlib.Path(given).resolve().name


def _fields(extra: str) -> dict[str, Any]:
    """Further fields of a request, from JSON."""
    from kagejax.evaluation.spatial import settings

    try:
        fields = json.loads(extra or "{}")
    except ValueError as problem:
        raise ConfigError(Problem(Where("--extra"), "", f"Found {extra!r}, which is no JSON: {problem}.")) from None
    require(isinstance(fields, dict), "--extra", f"Found {extra!r}; it must be a JSON object.")
    taken = [name for name in fields if name in settings.OWN_FIELDS]
    require(not taken, "--extra", f"Found {listing(taken, 'and') if taken else ''}; such fields are not set there.")
    return fields


def _endpoint(sampling: Any, base_url: str, key_env: str, timeout: float, attempts: int) -> Callable[[], Any]:
    """What makes the player: a client belongs to the loop in which it is used."""
    from kagejax.evaluation.spatial import endpoint

    message = f"Found {base_url!r}; it must begin with http:// or https://."
    require(not base_url or base_url.startswith(("http://", "https://")), "--base-url", message)
    key = os.environ.get(key_env, "")
    message = f"The environment variable {key_env} is not set. It must hold the key; where none is needed, give --base-url."
    require(bool(key or base_url), "--key-env", message)
    patience = endpoint.Patience(timeout=timeout, attempts=attempts)
    return lambda: endpoint.Endpoint(sampling, key or "none", base_url or OPENAI, patience)


def _baseline(agent: str, seed: int) -> Callable[[], Any]:
    from kagejax.evaluation.spatial import baselines

    return lambda: {"random": baselines.Random, "astar": baselines.AStar}[agent](seed)


def _shown(base_url: str) -> str:
    from kagejax.evaluation.spatial import endpoint

    return endpoint.address(base_url or OPENAI)


def _folder(out: str) -> pathlib.Path:
    path = pathlib.Path(out)
    require(path.is_dir() or not path.exists(), "--out", f"Found {out!r}, which is a file; a run needs a folder.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigError(Problem(Where("--out"), "", f"The folder {out!r} cannot be made: {problem.strerror}.")) from None
    return path


def _run(
    folder: pathlib.Path,
    plan: Any,
    settings: dict[str, Any],
    session: dict[str, Any],
    choice: dict[str, Any],
    player: Callable[[], Any],
    playing: dict[str, Any],
) -> int:
    """Plays what is left of a plan, and writes what came of it, also when it is broken off."""
    from kagejax.evaluation.spatial import endpoint, logs, progress, results, runs, tables

    total = len(plan.places())
    ids = [puzzle.id for puzzle in plan.puzzles]
    try:
        with logs.opened(folder / results.LOG, settings, session, ids) as log:
            choice |= runs.passed_over(plan, log)
            left = len(runs.pending(plan, log, playing["retry_failed"]))
            there = tables.counted(total, "episode")
            print(f"{folder / results.LOG}: {there}, {total - left} of them played before, {left} to play", flush=True)
            print(tables.choice({"choice": choice}), flush=True)
            if left and plan.protocol.view == "picture":
                print("preparing pictures, a program for each size of board", flush=True)
            try:
                if left:
                    with progress.Progress(total, runs.played(plan, log)) as shown:
                        asyncio.run(_play(plan, log, player, shown.say, playing))
            finally:
                _write(folder, plan, settings, choice, runs.played(plan, log))
            return FAILED if all(not episode.finished for episode in runs.played(plan, log)) else 0
    except ImportError as problem:
        if "kagejax[llm]" not in str(problem):
            raise
        raise ConfigError(Problem(Where("--agent"), "", str(problem))) from None
    except (endpoint.EndpointError, logs.LogError) as problem:
        raise _Ended(Problem(Where("kagejax spatial eval"), "", str(problem))) from None


async def _play(plan: Any, log: Any, player: Callable[[], Any], say: Callable[[Any], None], playing: dict[str, Any]) -> None:
    from kagejax.evaluation.spatial import runs

    made = player()
    try:
        await runs.play(plan, log, made, say=say, **playing)
    finally:
        if hasattr(made, "close"):
            await made.close()


def _write(folder: pathlib.Path, plan: Any, settings: dict[str, Any], choice: dict[str, Any], episodes: list[Any]) -> None:
    """Report, tables and page of the episodes so far; the tables are printed."""
    from kagejax.evaluation.spatial import metrics, results, tables

    if not episodes:
        return
    report = metrics.report(settings, plan.protocol, episodes, len(plan.places()), choice)
    results.write(folder, report, episodes, plan.puzzles)
    print(f"\n{tables.plain(report)}\n")
    if not report["complete"]:
        print(f"{tables.progress(report)}; the same command goes on.")
    if tables.trouble(report):
        print(tables.trouble(report))
    print(f"To read: {folder / results.PAGE}", flush=True)
