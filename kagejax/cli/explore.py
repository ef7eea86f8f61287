"""`kagejax explore`: a local page on which every setting of a configuration can be moved."""

import errno
import importlib.util
import os
import pathlib
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from typing import Annotated

import tyro

from kagejax import envs  # noqa: F401  (registers the environments)
from kagejax.assets import cache
from kagejax.config.problems import ConfigError, Problem, Where

from ._arguments import require

Source = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ID|FILE")]
Pair = Annotated[tuple[str, str] | None, tyro.conf.arg(metavar="TRAIN EVAL", help_behavior_hint="")]
PORT, MORE_PORTS = 8400, 20
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `kagejax explore ARGUMENTS` until it is interrupted, and gives the exit status. Raises ConfigError for a mistake."""
    return tyro.cli(explore, prog="kagejax explore", args=arguments, use_underscores=False)


def explore(source: Source = "kage", *, pair: Pair = None, host: str = "127.0.0.1", port: int = 0, open: bool = True) -> int:
    """Move every setting of a configuration on a local page, and see train and eval frames side by side at once.

    For example:
      kagejax explore
      kagejax explore kage/background/1
      kagejax explore my.yaml --no-open
      kagejax explore --pair my_train.yaml my_eval.yaml --port 8500

    Args:
        source: What both sides begin with: an id such as kage or kage/background/1/eval, or a YAML file; or a pair such as
            kage/background/1.
        pair: A configuration for each side instead.
        host: Address to listen at. Others than this machine's own let other machines in.
        port: Port to listen at; 0: the first free one from 8400.
        open: Open the page in a browser.
    """
    require(0 <= port < 2**16, "--port", f"Found {port}; allowed: 1 to 65535, or 0 for the first free one.")
    _require_packages()
    # Single pictures: a processor draws them fast enough, and an accelerator stays free for training.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import uvicorn

    from kagejax.explorer import guard, server, sides

    start = sides.beginning(source, pair)
    listener = _listener(host, port)
    cache.keep_programs()
    hosts = (*guard.LOOPBACK, host) if host in LOOPBACK else (*guard.LOOPBACK, host, socket.gethostname())
    app = server.application(start, pathlib.Path.cwd(), hosts)
    shown = "127.0.0.1" if host in guard.EVERYWHERE else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}/"
    if host not in LOOPBACK:
        print("warning: other machines can reach this page, and save configurations in this folder.", file=sys.stderr)
    print(f"kagejax explore: {address}\n(Ctrl+C ends it)", flush=True)
    if open:
        opener = threading.Timer(0.5, webbrowser.open, (address,))
        opener.daemon = True
        opener.start()
    # No log_config: uvicorn's own would close every log handler of this process, and absl's takes standard error with it.
    quiet = {"log_config": None, "log_level": "warning", "access_log": False}
    settings = uvicorn.Config(app, **quiet, timeout_graceful_shutdown=1, lifespan="off")
    with listener:
        uvicorn.Server(settings).run(sockets=[listener])
    return 0


def _require_packages() -> None:
    missing = [name for name in ("starlette", "uvicorn") if importlib.util.find_spec(name) is None]
    message = f"The page needs {' and '.join(missing)}: pip install 'kagejax[explore]'."
    if missing:
        raise ConfigError(Problem(Where("kagejax explore"), "", message))


def _listener(host: str, port: int) -> socket.socket:
    """A socket at the port, or at the first free one. Raises ConfigError."""
    for candidate in [port] if port else range(PORT, PORT + MORE_PORTS):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen()  # only now is the port ours: an address that can be reused can be bound to twice
            return listener
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise ConfigError(Problem(Where("--host"), "", f"Found {host!r}: {error.strerror or error}.")) from None
    message = f"Port {port} is taken; choose another, or 0 for the first free one." if port else "No port from 8400 on is free."
    raise ConfigError(Problem(Where("--port"), "", message))


if __name__ == "__main__":
    sys.exit(main())
