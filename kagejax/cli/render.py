"""`kagejax render`: an episode as PNG, GIF or MP4, or a contact sheet of a sweep."""

import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.config.loader import load
from kagejax.config.problems import ConfigError, Problem, Where, did_you_mean, listing
from kagejax.play import recording

from . import _replays, _sweeps
from ._arguments import require
from .config import Settings, Source, overrides

LONGEST = 10_000
STRIP = 12
KINDS = (".png", ".gif", ".mp4")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax render ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    return tyro.cli(render, prog="kagejax render", args=arguments, use_underscores=False)


def render(
    source: Source,
    settings: Settings = (),
    *,
    out: Annotated[str, tyro.conf.arg(metavar="FILE")],
    policy: Annotated[str, tyro.conf.arg(metavar="NAME|RUN_DIR")] = "random",
    steps: int = -1,
    seed: int = 0,
    scale: int = 1,
    fps: float | None = None,
    beside: Annotated[str, tyro.conf.arg(metavar="ID|FILE", help_behavior_hint="")] = "",
    sweep: Annotated[tuple[str, ...], tyro.conf.UseAppendAction, tyro.conf.arg(metavar="KEY=VALUES")] = (),
) -> int:
    """Draw an episode, or how a key changes the picture.

    A PNG shows pictures spread over the episode, GIF and MP4 all of it. A sweep shows one picture per value, all drawn by one
    program; two sweeps make a grid.

    For example:
      kagejax render kage --out episode.gif --policy scripted
      kagejax render kage/background/1/train --beside kage/background/1/eval --out pair.gif --policy runs/ppo-...
      kagejax render kage --set background.mode=noise --steps 0 --out first.png --scale 4
      kagejax render kage --sweep filters.hue_shift=-180:180:13 --out hues.png
      kagejax render kage --sweep filters.gamma=0.5,1,2 --sweep background.mode=black,noise,image --out grid.png
      kagejax render played.replay --out played.gif

    Args:
        source: An id, such as kage or kage/background/1/eval, a YAML file, or a replay of kagejax play.
        settings: Set a key to a value (in YAML) on top; may be given several times. Of a replay, what its picture reads.
        out: Where to, .png, .gif or .mp4.
        policy: random, right, right_jump, scripted, or the directory of a training run.
        steps: Steps to play; -1 is to the end of the episode, or 0 in a sweep.
        seed: Whole number from which level and noise are drawn.
        scale: Magnification, a whole number.
        fps: Pictures per second of a GIF or MP4; 30 unless said, or as a replay was played.
        beside: Another configuration, played beside the first on the same level.
        sweep: Values of a key, as FIRST:LAST:COUNT or VALUE,VALUE; twice for a grid.
    """
    path = _checked_path(out, bool(sweep))
    require(scale >= 1, "--scale", f"Found {scale}; allowed: 1 or more.")
    require(steps >= -1, "--steps", f"Found {steps}; allowed: 0 or more, or -1 for the whole episode.")
    require(fps is None or 0 < fps <= 100, "--fps", f"Found {fps or 0:g}; allowed: above 0, to 100.")
    require(0 <= seed < 2**32, "--seed", f"Found {seed}; allowed: 0 to 2^32 - 1.")
    require(not (sweep and beside), "--sweep", "A sweep has no --beside; give one of them.")
    on_top = overrides(settings)
    if _replays.is_replay(source):
        given = {"--policy": policy != "random", "--steps": steps != -1, "--seed": seed, "--beside": beside, "--sweep": sweep}
        for option in (option for option, is_given in given.items() if is_given):
            require(False, option, "A replay says itself what is played; leave this out.")
        drawn = _replays.draw(source, on_top)
        frames, fps = recording.paced(path, drawn.frames, fps or drawn.fps)
        _save(path, frames[:, None], [source], scale, fps)
        print(f"{out}: {drawn.steps:,} steps{'' if drawn.same else ', NOT as they were played'}")
        return 0 if drawn.same else 1
    fps = fps or 30.0
    if sweep:
        sweeps = _sweeps.parse(sweep)
        configs = [load(load(source, on_top, origin="--set"), cell, origin="--sweep") for cell in _sweeps.grid(sweeps)]
        shown = _play(configs, policy, max(steps, 0), seed, last_only=True)
        _save_png(path, _sheet_of_sweep(source, sweeps, shown.frames[-1], scale))
    else:
        names = [source, beside] if beside else [source]
        configs = [load(name, on_top, origin="--set") for name in names]
        shown = _play(configs, policy, LONGEST if steps < 0 else steps, seed, last_only=False)
        _save(path, shown.frames, names, scale, fps)
    print(f"{out}: {_told(shown, bool(sweep))}")
    return 0


class Shown(NamedTuple):
    """What was played."""

    frames: np.ndarray  # u8 [time, configurations, H, W, 3]
    steps: int


def _play(configs: list, policy: str, steps: int, seed: int, last_only: bool) -> Shown:
    """Frames of one episode in each of `configs`; of a sweep the last alone.

    One program draws them all, or one each where they differ in what is static, such as the kind of observation.
    """
    from kagejax.config.making import make_batches
    from kagejax.evaluation import views

    made = make_batches(configs)
    shown = [_recorded(env, params, policy, steps, seed, last_only) for env, params in made]
    return Shown(views.together([part.frames for part in shown]), max(part.steps for part in shown))


def _recorded(env: Any, params: Any, policy: str, steps: int, seed: int, last_only: bool) -> Shown:
    import jax
    from rich.console import Console

    from kagejax.evaluation import episodes, views

    console = Console(stderr=True)
    with console.status("making"):
        actor, parameters = _actor(env, policy)
    frames, played = [], -1
    with console.status("compiling") as status:
        for chunk, _ in episodes.record(env, params, actor, parameters, jax.random.key(seed), steps):
            played += len(jax.tree.leaves(chunk)[0])
            frames = [jax.tree.map(lambda x: x[-1:], chunk)] if last_only else [*frames, chunk]
            status.update(f"step {played:,}" if steps == LONGEST else f"step {played:,} of {steps:,}")
    try:
        return Shown(views.pictures(env, jax.tree.map(lambda *parts: np.concatenate(parts), *frames)), played)
    except ValueError as problem:
        raise ConfigError(Problem(Where("source"), "", f"They cannot be drawn: {problem}.")) from None


def _told(shown: Shown, swept: bool) -> str:
    after = f"after {shown.steps:,} steps" if shown.steps else "at the start"
    count = shown.frames.shape[1]
    if swept:
        return f"{count} configuration{'s' if count > 1 else ''} {after} of an episode"
    return f"{shown.steps:,} steps" + (f", {count} configurations" if count > 1 else "") if shown.steps else "the first picture"


def _actor(env: Any, policy: str) -> tuple[Any, Any]:
    """An actor and its parameters: one with a name, or of a training run."""
    from kagejax.evaluation import episodes

    named = episodes.actors(env)
    if policy in named:
        return named[policy], None
    if not pathlib.Path(policy).is_dir():
        message = f"Found {policy!r}; allowed: {listing(list(named))}, or the directory of a training run."
        raise ConfigError(Problem(Where("--policy"), "", message + did_you_mean(policy, named)))
    from ._runs import trained

    return trained(policy, env)


def _checked_path(out: str, swept: bool) -> pathlib.Path:
    from kagejax.evaluation import videos

    path = pathlib.Path(out)
    kind = path.suffix.lower()
    require(kind in KINDS, "--out", f"Found {out!r}; the name must end in {listing(KINDS)}.")
    require(not swept or kind == ".png", "--out", f"Found {out!r}; a sweep is one picture: the name must end in .png.")
    require(path.parent.is_dir(), "--out", f"Found {out!r}; there is no folder {str(path.parent)!r}. Make it first.")
    message = "An MP4 needs imageio-ffmpeg, which is not installed: pip install 'kagejax[video]'. Or write a .gif."
    require(kind != ".mp4" or videos.available(), "--out", message)
    return path


def _save(path: pathlib.Path, frames: np.ndarray, names: Sequence[str], scale: int, fps: float) -> None:
    from kagejax.evaluation import films, videos

    if path.suffix.lower() == ".png":
        _save_png(path, _strip(frames, names, scale))
        return
    frames = frames.repeat(scale, 2).repeat(scale, 3)
    film = films.side_by_side(frames, names) if len(names) > 1 else frames[:, 0]
    if path.suffix.lower() == ".gif":
        films.write_gif(path, film, fps)
    else:
        videos.write_mp4(path, film, fps)


def _strip(frames: np.ndarray, names: Sequence[str], scale: int) -> np.ndarray:
    """Pictures spread evenly over an episode; with two configurations a row for each."""
    from kagejax.raster.sheet import contact_sheet

    if len(frames) == 1 and len(names) == 1:
        return frames[0, 0].repeat(scale, 0).repeat(scale, 1)
    most = STRIP if len(names) == 1 else STRIP // 2
    times = np.unique(np.linspace(0, len(frames) - 1, min(most, len(frames))).round().astype(int))
    pictures = [frames[time, place] for place in range(len(names)) for time in times]
    labels = [f"step {time}" for _ in names for time in times]
    columns = min(len(times), STRIP // 2)
    sheet = contact_sheet(pictures, columns, labels, scale)
    return sheet if len(names) == 1 else _titled(sheet, [f"above: {names[0]}", f"below: {names[1]}"])


def _sheet_of_sweep(source: str, sweeps: Sequence[Any], pictures: np.ndarray, scale: int) -> np.ndarray:
    from kagejax.raster.sheet import contact_sheet

    cells = _sweeps.grid(sweeps)
    labels = [", ".join(_short(cell[sweep.key]) for sweep in sweeps) for cell in cells]
    if len(sweeps) == 1:
        columns = min(len(cells), int(np.ceil(np.sqrt(1.6 * len(cells)))))
        title = [f"{source}:  {sweeps[0].key}"]
    else:
        columns = len(sweeps[0].values)
        title = [f"{source}:", f"across: {sweeps[0].key}", f"down: {sweeps[1].key}"]
    return _titled(contact_sheet(list(pictures), columns, labels, scale), title)


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 18 else f"{text[:17]}…"


def _titled(sheet: np.ndarray, lines: Sequence[str]) -> np.ndarray:
    """The sheet under lines of text, widened where they need it."""
    from PIL import Image, ImageDraw, ImageFont

    font, pitch = ImageFont.load_default(12), 17
    width = max(sheet.shape[1], *(int(font.getlength(line)) + 8 for line in lines))
    page = Image.new("RGB", (width, pitch * len(lines) + 4 + sheet.shape[0]), (24, 24, 28))
    pen = ImageDraw.Draw(page)
    for place, line in enumerate(lines):
        pen.text((4, 2 + pitch * place), line, fill=(230, 230, 230), font=font)
    page.paste(Image.fromarray(sheet), (0, pitch * len(lines) + 4))
    return np.asarray(page)


def _save_png(path: pathlib.Path, picture: np.ndarray) -> None:
    from PIL import Image

    Image.fromarray(picture).save(path)


if __name__ == "__main__":
    sys.exit(main())
