"""What stands before the application: who may call, how much may be sent, what browsers are told.

A page of a stranger, open in the same browser, can send requests to this server. It cannot read
the answers (there is no CORS), and here it cannot do anything else either:

- `Host` must be a name of this server, so that a stranger's name that leads here (DNS rebinding)
  is refused;
- whatever changes something must come from this page (`Origin`, `Sec-Fetch-Site`), or from no
  browser at all, and be JSON, which a form cannot send.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from typing import Any

from oddsmith.web.responses import problem
from oddsmith.web.settings import ServerSettings

SAFE = ("GET", "HEAD", "OPTIONS")
BODY_SECONDS = 30.0
"""How long a body may take to arrive."""

POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

Scope = dict[str, Any]


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that goes no further."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Guard:
    """The application behind its checks: the outermost layer, so that every answer passes it."""

    def __init__(self, app: Any, settings: ServerSettings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # no web sockets

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in HEADERS.items()
                        if name.encode() not in given
                    ),
                ]
            await send(message)

        try:
            self._check(scope)
            if scope["method"] not in SAFE:
                receive = await self._whole_body(scope, receive)
        except Refused as refusal:
            await _refuse(refusal, guarded)
            return
        except Exception as error:
            traceback.print_exc()
            said = f"The server failed, and should not have: {type(error).__name__}."
            await _refuse(Refused(500, said), guarded)
            return
        await self.app(scope, receive, guarded)

    def _check(self, scope: Scope) -> None:
        headers = _headers(scope)
        host = headers.get("host", "")
        if _name(host) not in self.settings.host_names:
            raise Refused(
                403,
                f"This server does not go by the name {_name(host)[:100]!r}: start it with "
                f"--allow-host if it should.",
            )
        site = headers.get("sec-fetch-site", "none")
        api = scope["path"].startswith("/api")
        if api and site not in ("same-origin", "none"):
            raise Refused(403, "Another site's page asked for this.")
        if scope["method"] in SAFE:
            return
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise Refused(403, "Another site's page asked for this.")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] != "DELETE" and kind != "application/json":
            raise Refused(415, "Send JSON, with the content type application/json.")

    async def _whole_body(self, scope: Scope, receive: Any) -> Any:
        """The body, read as far as it may go; what is said of its length is not trusted."""
        most = self.settings.limits.body_bytes
        told = _headers(scope).get("content-length", "0")
        too_large = Refused(413, f"A request may have {most:,} bytes at most.")
        if told.isascii() and told.isdigit() and int(told[:20]) > most:
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(
                BODY_SECONDS
            ):  # for all of it: a letter now and then is none
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refused(400, "The request was not whole.")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise too_large
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise Refused(408, "The request took too long to arrive.") from None
        sent = False

        async def again() -> Any:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": b"".join(parts), "more_body": False}

        return again


def _headers(scope: Scope) -> dict[str, str]:
    return {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
    }


def _name(host: str) -> str:
    """The name in a Host header, without its port.

    >>> _name("LocalHost:8765"), _name("[::1]:8765"), _name("evil.example")
    ('localhost', '[::1]', 'evil.example')
    """
    host = host.strip().lower()
    if host.startswith("["):
        return host[: host.find("]") + 1]
    return host.partition(":")[0]


async def _refuse(refusal: Refused, send: Any) -> None:
    data = json.dumps(problem(str(refusal))).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    if refusal.status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": data})
