"""Requests to an endpoint that misbehaves in every way there is."""

import asyncio
import email.utils
import time

import pytest

from kagejax.evaluation.spatial import endpoint
from kagejax.evaluation.spatial.endpoint import Endpoint, EndpointError, Patience
from kagejax.evaluation.spatial.exchange import Request
from kagejax.evaluation.spatial.settings import Sampling

from . import spatial_cases as cases
from .spatial_endpoint import RESET, Say, completion, error, says
from .spatial_endpoint import Endpoint as Fake

pytest.importorskip("openai", reason="openai is not installed: pip install 'kagejax[llm]'")

PATIENCE = Patience(timeout=20, attempts=4, first_wait=0.01)
MESSAGES = ({"role": "system", "content": "s"}, {"role": "user", "content": "u"})


def ask(script, count=1, sampling=None, patience=PATIENCE, sample=0):
    """The replies to `count` requests, and the endpoint that gave them."""
    fake = Fake(script)
    request = Request(MESSAGES, cases.puzzle("A01"), ((0, 0),), (), 0, sample)

    async def all_of(url):
        client = Endpoint(sampling or Sampling("m"), "secret", url, patience)
        try:
            return [await client(request) for _ in range(count)]
        finally:
            await client.close()

    with fake.running() as url:
        return asyncio.run(all_of(url)), fake


def once(bad, **settings):
    """The reply where the first attempt meets with `bad`, and the second with an answer."""
    (reply,), fake = ask(lambda request, number: bad if number == 0 else says("fine"), **settings)
    return reply, fake


def test_an_answer_comes_with_its_reasoning_tokens_and_ending():
    body = completion("fine", reasoning="hm", finish="length", usage=(11, 22))
    body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 20}
    (reply,), fake = ask(lambda *_: Say(body))
    assert (reply.content, reply.reasoning, reply.finish, reply.failure) == ("fine", "hm", "length", "")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (11, 22, 20)
    assert reply.attempts == ()
    assert fake.keys == ["Bearer secret"]
    assert fake.requests == [{"model": "m", "messages": list(MESSAGES)}]


def test_what_is_set_is_sent_and_nothing_else():
    sampling = Sampling("m", temperature=0.0, max_tokens=9, seed=40, extra={"top_k": 3, "reasoning_effort": "low"})
    _, fake = ask(lambda *_: says("fine"), sampling=sampling, sample=2)
    sent = {"temperature": 0.0, "max_tokens": 9, "seed": 42, "top_k": 3, "reasoning_effort": "low"}
    assert fake.requests == [{"model": "m", "messages": list(MESSAGES)} | sent]


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (error(429, "slow down"), "status 429: slow down"),
        (error(500, "boom"), "status 500: boom"),
        (error(503, "full"), "status 503: full"),
        (error(408, "late"), "status 408: late"),
        (Say(b"<html>bad gateway</html>", 502, kind="text/html"), "status 502: <html>bad gateway</html>"),
        (says(""), "empty answer"),
        (says("  \n"), "empty answer"),
        (says(None), "empty answer"),
        (Say(b'{"choices": ['), "unusable answer (JSONDecodeError)"),
        (Say(b""), "unusable answer (JSONDecodeError)"),
        (Say({"choices": []}), "malformed answer: there is no message in it"),
        (Say({"choices": None}), "malformed answer: there is no message in it"),
        (Say({"choices": [{"index": 0}]}), "malformed answer: there is no message in it"),
        (Say({"error": "in disguise"}), "malformed answer: there is no message in it"),
        (Say([1, 2]), "malformed answer: there is no message in it"),
        (Say(b"null"), "malformed answer: there is no message in it"),
        (Say(b"hello", kind="text/plain"), "malformed answer: there is no message in it"),
    ],
)
def test_what_may_pass_is_tried_again(bad, told):
    reply, fake = once(bad)
    assert (reply.content, reply.failure) == ("fine", "")
    assert [attempt.error for attempt in reply.attempts] == [told]
    assert len(fake.requests) == 2


def test_a_connection_that_is_reset_is_tried_again():
    reply, _ = once(RESET)
    assert reply.content == "fine"
    assert reply.attempts[0].error.startswith("connection failed (")


def test_a_body_that_ends_too_soon_is_tried_again():
    reply, _ = once(Say(b'{"choi', headers={"content-length": 400, "connection": "close"}), patience=Patience(2.0, 4, 0.01))
    assert reply.content == "fine" and reply.attempts


def test_an_answer_that_does_not_come_is_given_up_in_time():
    reply, _ = once(Say(completion("late"), delay=6), patience=Patience(1.0, 8, 0.01))
    assert reply.content == "fine"
    assert {attempt.error for attempt in reply.attempts} == {"no answer within 1 s"}
    assert 0.9 < reply.attempts[0].seconds < 5


def test_a_good_answer_that_comes_late_counts():
    (reply,), _ = ask(lambda *_: Say(completion("late"), delay=0.3))
    assert (reply.content, reply.attempts) == ("late", ())
    assert reply.seconds >= 0.3


def test_content_in_parts_and_refusals_are_text():
    parts = completion([{"type": "text", "text": "fi"}, {"type": "text", "text": "ne"}, {"type": "x"}])
    (reply,), _ = ask(lambda *_: Say(parts))
    assert reply.content == "fine"
    refused = completion(None)
    refused["choices"][0]["message"]["refusal"] = "I will not."
    (reply,), _ = ask(lambda *_: Say(refused))
    assert reply.content == "I will not."


def test_odd_figures_are_no_figures():
    body = completion("fine", usage=None)
    body["usage"] = {"prompt_tokens": None, "completion_tokens": "many"}
    (reply,), _ = ask(lambda *_: Say(body))
    assert (reply.content, reply.prompt_tokens, reply.completion_tokens) == ("fine", 0, 0)


def test_an_answer_that_ran_out_of_tokens_is_not_asked_for_again():
    (reply,), fake = ask(lambda *_: says("", finish="length"))
    assert (reply.content, reply.finish, reply.failure, len(fake.requests)) == ("", "length", "", 1)


def test_an_answer_that_stays_empty_is_an_answer():
    (reply,), fake = ask(lambda *_: says(""))
    assert (reply.content, reply.failure, len(fake.requests)) == ("", "", 4)


def test_attempts_are_limited_and_waits_grow():
    (reply,), fake = ask(lambda *_: error(500, "boom"), patience=Patience(20, 4, first_wait=0.02))
    assert (reply.failure, len(fake.requests)) == ("status 500: boom", 4)
    waits = [attempt.waited for attempt in reply.attempts]
    for wait, most in zip(waits, (0.02, 0.04, 0.08), strict=False):
        assert most / 2 <= wait <= most
    assert waits[3] == 0.0


def test_waits_do_not_grow_for_ever():
    patience = Patience(20, 6, first_wait=0.02, longest_wait=0.03)
    (reply,), _ = ask(lambda *_: error(500), patience=patience)
    assert all(wait <= 0.03 for wait in (attempt.waited for attempt in reply.attempts))


@pytest.mark.parametrize("headers", [{"retry-after": "0.3"}, {"retry-after-ms": "300", "retry-after": "9"}])
def test_the_endpoint_says_how_long_to_wait(headers):
    reply, _ = once(error(429, headers=headers))
    assert reply.attempts[0].waited == 0.3
    assert reply.seconds >= 0.3


def test_a_wait_may_be_asked_for_as_a_date():
    assert endpoint.asked_wait({"retry-after": "5"}) == 5.0
    assert endpoint.asked_wait({"retry-after-ms": "x", "retry-after": "2"}) == 2.0
    date = email.utils.formatdate(time.time() + 100, usegmt=True)
    assert 95 < endpoint.asked_wait({"retry-after": date}) <= 101
    assert endpoint.asked_wait({"retry-after": email.utils.formatdate(0, usegmt=True)}) == 0.0
    for nothing in ({}, {"retry-after": "soon"}, {"retry-after": "-3"}, {"retry-after": "inf"}, {"retry-after": "nan"}):
        assert endpoint.asked_wait(nothing) is None


def test_when_one_request_is_told_to_wait_others_wait_with_it():
    came = []

    def script(request, number):
        came.append(time.monotonic())
        return error(429, headers={"retry-after": "0.6"}) if number == 0 else says("fine")

    async def two(url):
        client = Endpoint(Sampling("m"), "secret", url, PATIENCE)
        request = Request(MESSAGES, cases.puzzle("A01"), ((0, 0),), (), 0, 0)
        first = asyncio.create_task(client(request))
        while not client.paused:
            await asyncio.sleep(0.01)
        told = time.monotonic()
        replies = [await client(request), await first]
        await client.close()
        return told, replies

    fake = Fake(script)
    with fake.running() as url:
        told, replies = asyncio.run(two(url))
    assert [reply.content for reply in replies] == ["fine", "fine"]
    assert [reply.attempts == () for reply in replies] == [True, False]
    assert all(later - told >= 0.5 for later in came[1:])


def test_an_endpoint_that_asks_for_too_long_a_wait_is_not_waited_for():
    (reply,), fake = ask(lambda *_: error(429, "tomorrow", {"retry-after": "86400"}))
    assert (reply.failure, len(fake.requests)) == ("status 429: tomorrow", 1)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_request_that_is_refused_is_not_repeated(status):
    (reply,), fake = ask(lambda *_: error(status, "too long"))
    assert (reply.failure, len(fake.requests)) == (f"status {status}: too long", 1)


@pytest.mark.parametrize(
    "bad",
    [error(401, "bad key"), error(403, "no"), error(404, "no such model"), error(429, "broke", code="insufficient_quota")],
)
def test_what_no_other_request_would_survive_ends_the_run(bad):
    with pytest.raises(EndpointError, match="The endpoint refuses all requests with status 4"):
        ask(lambda *_: bad)


def test_an_endpoint_that_was_never_there_ends_the_run_and_its_address_is_told_without_secrets():
    async def nobody():
        client = Endpoint(Sampling("m"), "secret", "http://me:word@127.0.0.1:9/v1?key=1", Patience(5, 2, 0.01))
        try:
            await client(Request(MESSAGES, cases.puzzle("A01"), ((0, 0),), (), 0, 0))
        finally:
            await client.close()

    with pytest.raises(EndpointError) as caught:
        asyncio.run(nobody())
    assert str(caught.value).startswith("There is no endpoint to be reached at http://127.0.0.1:9/v1: connection failed (")


def test_one_that_was_there_and_went_away_fails_only_the_request():
    replies, _ = ask(lambda request, number: says("fine") if number == 0 else RESET, count=2)
    assert replies[0].content == "fine"
    assert replies[1].failure.startswith("connection failed (")
