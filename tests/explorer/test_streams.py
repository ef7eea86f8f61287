"""Answers in pieces."""

import asyncio
import concurrent.futures
import json
import threading

import pytest

pytest.importorskip("starlette", reason="the explorer needs starlette: pip install 'kagejax[explore]'")

from kagejax.explorer.streams import AHEAD, Superseded, stream


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        yield pool


def test_pieces_come_in_order_one_a_line(pool):
    async def ask():
        response = stream(pool, lambda line: [line.send({"number": number}) for number in range(20)])
        return [json.loads(piece) async for piece in response.body_iterator]

    assert asyncio.run(ask()) == [{"number": number} for number in range(20)]


def test_a_failure_is_a_piece(pool):
    async def ask():
        return [json.loads(piece) async for piece in stream(pool, lambda line: 1 // 0).body_iterator]

    [piece] = asyncio.run(ask())
    assert piece == {"event": "failed", "message": "ZeroDivisionError: integer division or modulo by zero"}


def test_a_job_ends_when_nobody_listens_any_more(pool):
    sent, ended = [], threading.Event()

    def job(line):
        try:
            for number in range(1000):
                line.send({"number": number})
                sent.append(number)
        except Superseded:
            ended.set()
            raise

    async def ask():
        pieces = stream(pool, job).body_iterator
        await anext(pieces)
        await pieces.aclose()

    asyncio.run(ask())
    assert ended.wait(10)
    assert len(sent) <= AHEAD + 2  # it was no further ahead of its listener


def test_a_job_that_waits_as_its_asker_goes_never_begins(pool):
    begun, busy = [], threading.Event()
    pool.submit(busy.wait, 10)

    async def ask():
        pieces = stream(pool, begun.append).body_iterator
        waiting = asyncio.ensure_future(anext(pieces))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    asyncio.run(ask())
    busy.set()
    pool.submit(int).result(10)
    assert begun == []
