"""Who may speak to the explorer: pages that it served itself, under a name of this machine."""

import ipaddress
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")
MOST_BYTES = 1 << 20
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


class Guard:
    """Middleware that turns away what a browser sends for somebody else's page.

    A foreign page can make a browser ask this server for something, and with a name that it points at this machine even read
    the answer. So the name asked for (Host) must be one of `hosts`, a page that is named as the origin must be our own, and
    what changes anything must come as JSON, which no foreign page can send without asking first, and it is never allowed to.
    """

    def __init__(self, app: Any, hosts: Iterable[str] = LOOPBACK):
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        status, message = self.verdict(scope["method"], headers)
        if status:
            plain = {"content-type": "text/plain; charset=utf-8", **HEADERS}
            await send({"type": "http.response.start", "status": status, "headers": _coded(plain)})
            await send({"type": "http.response.body", "body": f"{message}\n".encode()})
            return

        async def send_with_headers(message: dict) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *_coded(HEADERS)]}
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def verdict(self, method: str, headers: dict[str, str]) -> tuple[int, str]:
        """Status and message of a refusal; (0, "") for what may pass."""
        host = headers.get("host", "")
        if not self._known(host):
            return 403, f"This server does not answer to the name {host[:100]!r}."
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return 403, "Only the explorer's own page may ask this."
        if method == "POST" and headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return 415, "Send JSON."
        if method == "POST" and not headers.get("content-length", "0").isdecimal():
            return 400, "Give the length of the request."
        if method == "POST" and ("transfer-encoding" in headers or int(headers.get("content-length", "0")) > MOST_BYTES):
            return 413, f"A request has at most {MOST_BYTES:,} bytes."
        return 0, ""

    def _known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.hosts or (not self.hosts.isdisjoint(EVERYWHERE) and _is_address(name))


def _coded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _is_address(name: str) -> bool:
    """Whether it is an address in figures, which nobody can point elsewhere."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
