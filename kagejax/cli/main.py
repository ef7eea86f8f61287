"""The command `kagejax`: finds the sub-command, and turns a user's mistake into a message."""

import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

COMMANDS = {
    "config": ("kagejax.cli.config:main", "show, validate and compare configurations, or print their schema"),
    "render": ("kagejax.cli.render:main", "draw an episode or a contact sheet to a file"),
    "suites": ("kagejax.cli.suites:main", "list, show and draw the train and eval pairs of the benchmarks"),
    "sweep": ("kagejax.cli.sweep:main", "run all training runs of a benchmark, on this machine or a cluster"),
    "sokoban": ("kagejax.cli.sokoban:main", "generate, solve, show and count Sokoban levels"),
    "spatial": ("kagejax.cli.spatial:main", "generate, solve, check, show and evaluate path puzzles"),
    "report": ("kagejax.cli.report:main", "tables, statistics and figures of sweeps"),
    "play": ("kagejax.cli.play:main", "play an environment, in a window or a terminal, and see what its agent sees"),
    "explore": ("kagejax.cli.explore:main", "move every setting on a local page, train beside eval"),
    "bench": ("kagejax.cli.bench:main", "measure throughput on this machine"),
}
"""Sub-commands: 'module:function', imported when called, and what it does. The function takes the arguments after the name."""

MISTAKE = 2
"""Exit status for a mistake of the user; the message is on stderr."""

EPILOGUE = """\
examples:
  kagejax config show kage --set background.mode=noise
  kagejax config diff kage/background/1/train kage/background/1/eval
  kagejax COMMAND --help
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax ARGUMENTS` (the process's own by default) and gives the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if arguments[0] in ("-V", "--version"):
        import kagejax

        print(f"kagejax {kagejax.__version__}")
        return 0
    if arguments[0] not in COMMANDS:
        print(f"kagejax: no command {arguments[0]!r}; the commands are {', '.join(COMMANDS)}.", file=sys.stderr)
        return MISTAKE
    return _run(arguments[0], arguments[1:])


def _help() -> str:
    lines = [f"  {name:<8} {about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join(["usage: kagejax COMMAND ...", "", "commands:", *lines, "", EPILOGUE]).rstrip()


def _run(command: str, arguments: list[str]) -> int:
    from kagejax.assets.errors import AssetError
    from kagejax.config.problems import ConfigError, DeadKeyWarning

    module, _, function = COMMANDS[command][0].partition(":")
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        warnings.simplefilter("always", DeadKeyWarning)
        try:
            return getattr(importlib.import_module(module), function)(arguments) or 0
        except (ConfigError, AssetError) as error:
            print(f"kagejax {command}: {error}", file=sys.stderr)
            return MISTAKE
        except KeyboardInterrupt:
            return 130
        except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *rest: Any) -> None:
    """Warnings as a person who typed a command wants them: without the line of our code that gave them."""
    print(f"warning: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
