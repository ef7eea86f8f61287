"""A model behind an OpenAI-compatible endpoint: one request, tried until there is an answer or no hope of one.

The client library's own retries are off: what was tried, and what went wrong, is for our log to say.
"""

import asyncio
import dataclasses
import email.utils
import random
import time
import urllib.parse
from collections.abc import Mapping
from typing import Any

from .exchange import Attempt, Reply, Request
from .settings import Sampling

HOPELESS = (401, 402, 403, 404, 405)
"""Status codes that every further request would get, too."""
PASSING = (408, 409, 425, 429)
"""Status codes below 500 that may be different the next time."""


class EndpointError(RuntimeError):
    """No request can succeed: a wrong key or address, an unknown model, an exhausted account."""


@dataclasses.dataclass(frozen=True)
class Patience:
    """How much is endured for an answer."""

    timeout: float = 600.0  # seconds, for one attempt from its beginning to its last byte
    attempts: int = 6
    first_wait: float = 1.0  # seconds before the second attempt; doubled each time, and shortened by up to half at random
    longest_wait: float = 60.0
    longest_asked: float = 600.0  # an endpoint that asks for a longer wait gets no further attempt


class _Failed(Exception):
    """An attempt without an answer."""

    def __init__(self, error: str, again: bool = True, wait: float | None = None, unreached: bool = False):
        super().__init__(error)
        self.error, self.again, self.wait, self.unreached = error, again, wait, unreached


class Endpoint:
    """A `exchange.Player`. When the endpoint asks for a pause, all requests that are made at the same time keep it.

    base_url: such as http://localhost:8000/v1; None: OpenAI's own. Raises ImportError where the package openai is missing.
    """

    def __init__(self, sampling: Sampling, api_key: str, base_url: str | None = None, patience: Patience | None = None):
        try:
            import openai
        except ImportError as error:
            raise ImportError("Asking an endpoint needs openai; install it with: pip install 'kagejax[llm]'") from error
        self._errors = openai
        self._client = openai.AsyncOpenAI(api_key=api_key, base_url=base_url, max_retries=0)
        self._sampling, self._patience = sampling, patience or Patience()
        self._paused_until = 0.0
        self._reached = False  # whether it ever answered anything

    async def close(self) -> None:
        """Ends its connections."""
        await self._client.close()

    async def __call__(self, request: Request) -> Reply:
        """The reply. A failure is a reply, too; raises EndpointError where no other request would fare better."""
        began, attempts = time.monotonic(), []
        while True:
            await self._pause()
            started = time.monotonic()
            try:
                reply = await self._attempt(request, last=len(attempts) + 1 == self._patience.attempts)
                return dataclasses.replace(reply, seconds=time.monotonic() - began, attempts=tuple(attempts))
            except _Failed as failed:
                wait = self._wait(failed, len(attempts))
                attempts.append(Attempt(failed.error, time.monotonic() - started, wait or 0.0))
                if wait is None and failed.unreached and not self._reached:
                    where = address(str(self._client.base_url))
                    raise EndpointError(f"There is no endpoint to be reached at {where}: {failed.error}.") from None
                if wait is None:
                    return Reply(seconds=time.monotonic() - began, attempts=tuple(attempts), failure=failed.error)
            await asyncio.sleep(wait)

    def _wait(self, failed: _Failed, before: int) -> float | None:
        """Seconds until the next attempt, or None if there is none."""
        patience = self._patience
        if not failed.again or before + 1 >= patience.attempts:
            return None
        if failed.wait is not None:
            if failed.wait > patience.longest_asked:
                return None
            self._paused_until = max(self._paused_until, time.monotonic() + failed.wait)
            return failed.wait
        return min(patience.longest_wait, patience.first_wait * 2**before) * random.uniform(0.5, 1.0)

    @property
    def paused(self) -> bool:
        """Whether the endpoint asked for a pause that is not over."""
        return time.monotonic() < self._paused_until

    async def _pause(self) -> None:
        while (left := self._paused_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    async def _attempt(self, request: Request, last: bool) -> Reply:
        """One request. Raises _Failed and EndpointError."""
        openai = self._errors
        try:
            async with asyncio.timeout(self._patience.timeout):
                completion = await self._client.chat.completions.create(
                    messages=list(request.messages),
                    extra_body=dict(self._sampling.extra),
                    timeout=self._patience.timeout,
                    **self._sampling.body(request.sample),
                )
        except (TimeoutError, openai.APITimeoutError):
            raise _Failed(f"no answer within {self._patience.timeout:g} s") from None
        except openai.APIStatusError as error:
            self._reached = True
            raise _of_status(error) from None
        except openai.APIConnectionError as error:
            raise _Failed(f"connection failed ({_reason(error)})", unreached=True) from None
        except Exception as error:  # whatever a library makes of a broken answer must not end a run of hours
            raise _Failed(f"unusable answer ({type(error).__name__})") from None
        self._reached = True
        reply = _reply_of(completion)
        if not reply.content.strip() and reply.finish != "length" and not last:
            raise _Failed("empty answer")
        return reply


def _of_status(error: Any) -> Exception:
    """What an error with a status code means for the request."""
    code, said = error.status_code, " ".join(str(_told(error)).split())[:300]
    text = f"status {code}: {said}" if said else f"status {code}"
    if code in HOPELESS or getattr(error, "code", None) == "insufficient_quota":
        return EndpointError(f"The endpoint refuses all requests with {text}")
    return _Failed(text, again=code in PASSING or code >= 500, wait=asked_wait(error.response.headers))


def _told(error: Any) -> str:
    """The message of an error's body, where it has one of the usual form."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        return inner.get("message", "") if isinstance(inner, Mapping) else inner
    return body or ""


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a response's headers ask to wait: as milliseconds, as seconds, or as a date; None if they do not."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def _reason(error: BaseException) -> str:
    cause = error.__cause__ or error
    return " ".join((str(cause) or type(cause).__name__).split())[:200]


def _reply_of(completion: Any) -> Reply:
    """The reply in a response, trusting none of its fields. Raises _Failed if it has no message."""
    choices = getattr(completion, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if message is None:
        raise _Failed("malformed answer: there is no message in it")
    reasoning = next((text for name in ("reasoning_content", "reasoning") if (text := _text(getattr(message, name, None)))), "")
    usage = getattr(completion, "usage", None)
    return Reply(
        content=_text(getattr(message, "content", None)) or _text(getattr(message, "refusal", None)),
        reasoning=reasoning,
        finish=_text(getattr(choices[0], "finish_reason", None)),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        reasoning_tokens=_count(getattr(usage, "completion_tokens_details", None), "reasoning_tokens"),
    )


def _text(value: Any) -> str:
    """Text, also from the list of parts that some servers give."""
    if isinstance(value, list):
        return "".join(_text(part.get("text")) for part in value if isinstance(part, Mapping))
    return value if isinstance(value, str) else ""


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def address(url: str) -> str:
    """An URL as it may be shown: without a name and password in it, and without what follows a question mark."""
    parts = urllib.parse.urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
