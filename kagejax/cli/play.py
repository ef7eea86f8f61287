"""`kagejax play`: an environment under a person's hands, in a window or a terminal."""

import pathlib
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.config.loader import load
from kagejax.config.problems import ConfigError, Problem, Where, listing

from ._arguments import new_file, require
from .config import Settings, Source, overrides

FILMS = (".gif", ".mp4")
SHAPE = (128, 128)
"""Of pictures, for the size of the window until there is one."""
FASTEST = 240


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax play ARGUMENTS` and gives the exit status. Raises ConfigError for a user's mistake."""
    return tyro.cli(play, prog="kagejax play", args=arguments, use_underscores=False)


def play(
    source: Source,
    settings: Settings = (),
    *,
    seed: int = 0,
    fps: float = 30.0,
    scale: int = 0,
    record: Annotated[str, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = "",
    replay: Annotated[str, tyro.conf.arg(metavar="FILE", help_behavior_hint="")] = "",
    terminal: Annotated[bool, tyro.conf.FlagCreatePairsOff] = False,
) -> int:
    """Play an environment, and see what its agent sees.

    Keys:
      kage       left, right or A, D run; space, up or W jumps; hold them together
      others     arrows or W, A, S, D: one step for each press
      all        N next episode, R the same again, H help, Q or Esc quit
      kage       P pause, . one step, + faster, - slower
      terminal   left and right keep on until down; V shows what the agent sees

    For example:
      kagejax play kage --set background.mode=noise
      kagejax play sokoban --record solved.gif --replay solved.replay
      kagejax play spatial/first_steps --terminal
      kagejax render solved.replay --out again.gif

    Args:
        source: An id, such as kage, sliding, sokoban, spatial or kage/background/1/eval, or a YAML file.
        settings: Set a key to a value (in YAML) on top; may be given several times.
        seed: Whole number from which levels and noise are drawn.
        fps: Steps per second where time goes on by itself, and pictures per second of a recording.
        scale: Magnification of the picture and of a recording, a whole number; 0 is what fits, and 1 in a recording.
        record: Film of all that was played, .gif or .mp4.
        replay: Replay of it, .replay, which kagejax render turns into a film or pictures.
        terminal: Play in this terminal, in coloured characters, over ssh too.
    """
    from kagejax.play.replays import ENDING

    require(0 <= seed < 2**32, "--seed", f"Found {seed}; allowed: 0 to 2^32 - 1.")
    require(0 < fps <= FASTEST, "--fps", f"Found {fps:g}; allowed: above 0, to {FASTEST}.")
    require(0 <= scale <= 64, "--scale", f"Found {scale}; allowed: 1 to 64, or 0 for what fits.")
    film = new_file(record, FILMS, "--record") if record else None
    kept = new_file(replay, (ENDING,), "--replay") if replay else None
    if film is not None and film.suffix == ".mp4":
        from importlib.util import find_spec

        message = "An MP4 needs imageio-ffmpeg, which is not installed: pip install 'kagejax[video]'. Or record a .gif."
        require(find_spec("imageio_ffmpeg") is not None, "--record", message)
    config = load(source, overrides(settings), origin="--set")
    shown = " ".join([source, *settings])
    return _play(config, shown, seed, fps, scale, film, kept, terminal)


def _play(
    config: Any,
    title: str,
    seed: int,
    fps: float,
    scale: int,
    film: pathlib.Path | None,
    kept: pathlib.Path | None,
    in_terminal: bool,
) -> int:
    from kagejax.play.loading import Loading, Unplayable
    from kagejax.play.player import Player
    from kagejax.play.recording import Recording

    recording = Recording(film is not None)

    def player_of(loading: Loading) -> Player:
        from kagejax.play.controls import controls_of

        return Player(loading.session, controls_of(loading.session.env), loading.moment, recording, fps, sticky=in_terminal)

    player = None
    try:
        if in_terminal:
            from kagejax.play import terminal

            screen = terminal.Terminal(title)
            with screen.taken():
                player = terminal.run(screen, Loading(config, seed), player_of)
        else:
            from kagejax.play import window

            frame = window.Window(title, SHAPE, scale)
            try:
                player = window.run(frame, Loading(config, seed), player_of)
            finally:
                frame.close()
    except Unplayable as problem:
        raise ConfigError(Problem(Where(title), "", f"It cannot be played: {problem}.")) from None
    finally:  # what was played is kept whatever ended it
        told = _write(recording, config, seed, fps, scale, film, kept)
        print("\n".join([*([_score(player)] if player else []), *told]))
    return 0


def _score(player: Any) -> str:
    moment = player.moment
    return f"episode {moment.episode}, {moment.step:,} steps, return {moment.total:.3f}: {player.status()[0].partition(':')[0]}"


def _write(
    recording: Any, config: Any, seed: int, fps: float, scale: int, film: pathlib.Path | None, kept: pathlib.Path | None
) -> list[str]:
    """Writes what was asked for, also after an error; what to say of it."""
    asked = [path for path in (film, kept) if path]
    if recording.now is None:
        return []
    if not recording.played:
        return [f"{listing([str(path) for path in asked], 'and')}: nothing was played, nothing was written"] if asked else []
    told = []
    if kept:
        try:
            recording.replay(config, seed, fps).write(kept)
        except OSError as problem:
            raise ConfigError(Problem(Where(str(kept)), "", f"It cannot be written: {problem.strerror}.")) from None
        told.append(f"{kept}: {len(recording.played)} episode{'s' * (len(recording.played) != 1)}")
    if film:
        print(f"{film}: writing ...", file=sys.stderr, flush=True)
        try:
            count, left_out = recording.write_film(film, max(scale, 1), fps)
        except (OSError, RuntimeError) as problem:
            raise ConfigError(Problem(Where(str(film)), "", f"It cannot be written: {problem}.")) from None
        cut = f"; {left_out:,} more were left out, since they would take too much memory" if left_out else ""
        told.append(f"{film}: {count:,} pictures{cut}")
    return told


if __name__ == "__main__":
    sys.exit(main())
