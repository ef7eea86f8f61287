"""The explorer's web server. It keeps nothing of a page: every request says all, and only caches are between two of them."""

import asyncio
import concurrent.futures
import functools
import pathlib
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from kagejax.config import registry
from kagejax.config.parameters import defaults
from kagejax.config.problems import ConfigError
from kagejax.config.rendering import yaml_value

from . import files, sides
from .description import catalogue, description, plain
from .guard import LOOPBACK, Guard

PAGE = pathlib.Path(__file__).parent / "page"


def application(start: Mapping[str, Any], folder: pathlib.Path, hosts: Iterable[str] = LOOPBACK) -> Any:
    """The explorer, a Starlette. `start` is what its page begins with (`sides.beginning`), `folder` all it reads and writes."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    here = Explorer(start, folder)
    routes = [
        Route("/", here.page),
        Route("/api/start", here.begin),
        Route("/api/description/{env}", here.describe),
        Route("/api/open", here.open, methods=["POST"]),
        Route("/api/draw", functools.partial(here.work, "draw"), methods=["POST"]),
        Route("/api/play", functools.partial(here.work, "play"), methods=["POST"]),
        Route("/api/proof", functools.partial(here.work, "prove"), methods=["POST"]),
        Route("/api/yaml", here.yaml, methods=["POST"]),
        Route("/api/save", here.save, methods=["POST"]),
        Mount("/page", StaticFiles(directory=PAGE)),
    ]
    handlers = {ConfigError: _refused, KeyError: _malformed, TypeError: _malformed, ValueError: _malformed}
    return Starlette(routes=routes, middleware=[Middleware(Guard, hosts=hosts)], exception_handlers=handlers)


class Explorer:
    """Answers to the page."""

    def __init__(self, start: Mapping[str, Any], folder: pathlib.Path):
        self.start, self.folder = start, folder
        # Two, so that a page in one tab draws while another waits for its program; a proof has a thread of its own.
        self.drawers = concurrent.futures.ThreadPoolExecutor(2, "draw")
        self.players = concurrent.futures.ThreadPoolExecutor(4, "play")
        self.provers = concurrent.futures.ThreadPoolExecutor(1, "prove")

    @functools.cached_property
    def studio(self) -> Any:
        """Made for the first picture, so that the page is there before jax is loaded."""
        from .drawing import Studio

        return Studio()

    async def page(self, request: Any) -> Any:
        from starlette.responses import FileResponse

        return FileResponse(PAGE / "index.html")

    async def begin(self, request: Any) -> Any:
        listed = await asyncio.to_thread(files.listed, self.folder)
        return _json({"start": self.start, "folder": self.folder.name, "files": listed, **catalogue()})

    async def describe(self, request: Any) -> Any:
        return _json(await asyncio.to_thread(description, request.path_params["env"]))

    async def open(self, request: Any) -> Any:
        """A configuration by name, or the text of a file: `{source}` or `{name, text}`."""
        asked = await request.json()
        if "text" in asked:
            name = asked["name"]
            found = await asyncio.to_thread(sides.opened_text, asked["text"], name)
        else:
            name = asked["source"]
            if name.endswith(files.ENDINGS):
                found = await asyncio.to_thread(sides.opened, str(files.inside(name, self.folder)))
            else:
                found = await asyncio.to_thread(sides.named, name)
        room = registry.room_of(found.config).id
        base = room if "text" in asked else name
        return _json({"env": room, "base": base, "notes": found.notes, **sides.state_of(found.config)})

    async def work(self, name: str, request: Any) -> Any:
        """What comes in pieces; see `jobs`."""
        from .streams import stream

        asked = await request.json()
        pool = {"draw": self.drawers, "play": self.players, "prove": self.provers}[name]

        def job(line: Any) -> None:
            from . import jobs

            try:
                getattr(jobs, name)(self.studio, asked, line)
            except ConfigError as error:
                line.send({"event": "problems", "side": "", "problems": sides.told(error)})

        return stream(pool, job)

    async def yaml(self, request: Any) -> Any:
        """A side as YAML, and as a command line: `{env, base, values, changed, seed, steps, policy}`."""
        asked = await request.json()
        config = sides.checked(asked["env"], asked["values"], {})
        text = sides.yaml_of(config, bool(asked.get("changed", True)))
        return _json({"yaml": text, "command": command(asked, config.flat())})

    async def save(self, request: Any) -> Any:
        """Writes a side to a file: `{env, values, changed, path, overwrite}`; status 409 where there is one already."""
        asked = await request.json()
        config = sides.checked(asked["env"], asked["values"], {})
        path = files.inside(asked["path"], self.folder)
        text = sides.yaml_of(config, bool(asked.get("changed", True)))
        if not await asyncio.to_thread(files.save, path, text, bool(asked.get("overwrite"))):
            return _json({"exists": asked["path"]}, 409)
        return _json({"saved": str(path.relative_to(self.folder.resolve()))})


def command(asked: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """`kagejax render` for a side: its base, and each value that is another than there."""
    base = asked.get("base") or asked["env"]
    try:
        usual = sides.opened(base).config
        usual = usual.flat() if registry.room_of(usual).id == asked["env"] else None
    except ConfigError:  # a file that has gone
        usual = None
    if usual is None:
        base, usual = asked["env"], defaults(registry.room(asked["env"]).model)
    changed = {path: value for path, value in values.items() if plain(value) != plain(usual[path])}
    settings = [f"--set {shlex.quote(f'{path}={yaml_value(value)}')}" for path, value in changed.items()]
    episode = [f"--seed {int(asked.get('seed', 0))}", f"--steps {int(asked.get('steps', 0))}"]
    if asked.get("policy") not in (None, "", "random"):
        episode.append(f"--policy {shlex.quote(asked['policy'])}")
    return " ".join(["kagejax render", shlex.quote(base), *settings, *episode, "--out episode.png"])


def _json(content: Any, status: int = 200) -> Any:
    from starlette.responses import JSONResponse

    return JSONResponse(content, status)


async def _refused(request: Any, error: Exception) -> Any:
    return _json({"problems": sides.told(error), "message": str(error)}, 422)


async def _malformed(request: Any, error: Exception) -> Any:
    message = f"The request is not as the page sends it ({type(error).__name__}: {error})."
    return _json({"problems": [{"path": "", "message": message, "where": ""}], "message": message}, 400)
