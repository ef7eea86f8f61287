"""Answers that come in pieces, one JSON object a line, from work that runs in a thread."""

import asyncio
import concurrent.futures
import contextlib
import json
import threading
from collections.abc import Callable
from typing import Any

AHEAD = 4
"""Pieces that a thread may be ahead of the network; then it waits, so a film is made as fast as it is watched."""


class Superseded(Exception):
    """Whoever asked has gone."""


class Line:
    """Where a job puts what it has. `send` raises Superseded once nobody listens, so that a job ends there."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self._loop, self._queue = loop, asyncio.Queue()
        self._free = threading.Semaphore(AHEAD)
        self._gone = threading.Event()

    def send(self, piece: dict[str, Any]) -> None:
        """Called by the job: hands over one piece."""
        while not self._free.acquire(timeout=0.2):
            self.check()
        self.check()
        self._loop.call_soon_threadsafe(self._queue.put_nowait, piece)

    def check(self) -> None:
        """Called by the job between its parts. Raises Superseded."""
        if self._gone.is_set():
            raise Superseded

    def close(self) -> None:
        """Called by the job at its end."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._queue.put_nowait, None)

    def leave(self) -> None:
        """Called by the listener: nobody listens any more."""
        self._gone.set()

    async def receive(self) -> dict[str, Any] | None:
        """The next piece; None at the end."""
        piece = await self._queue.get()
        self._free.release()
        return piece


def stream(pool: concurrent.futures.Executor, job: Callable[[Line], None]) -> Any:
    """The response that `job(line)`, run in `pool`, gives piece by piece. A job that waits as its asker goes never begins."""
    from starlette.responses import StreamingResponse

    line = Line(asyncio.get_running_loop())

    def run() -> None:
        try:
            line.check()
            job(line)
        except Superseded:
            pass
        except Exception as error:  # of the environment, such as too little memory: the page says so, and goes on
            with contextlib.suppress(Superseded):
                line.send({"event": "failed", "message": f"{type(error).__name__}: {error}"[:2000]})
        finally:
            line.close()

    async def pieces():
        future = pool.submit(run)
        try:
            while (piece := await line.receive()) is not None:
                yield json.dumps(piece, separators=(",", ":")) + "\n"
        finally:
            line.leave()
            future.cancel()

    return StreamingResponse(pieces(), media_type="application/x-ndjson")
