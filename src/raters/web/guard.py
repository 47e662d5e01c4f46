"""Who may talk to the page: this browser, on this machine. Every request passes here first, every answer last."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    # the report's bars are placed by style attributes; nothing else is inline, and no script but the two files
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:;"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
MOST_BODY = 1 << 30
"""Bytes that a request may bring; a larger file is named on the command line."""
START = "/start"


class TooLarge(Exception):
    """A request that brings more than it may."""


class Guard:
    """Lets a request through to ``app`` if it comes from the browser that opened the address, and from our own pages.

    ``tell``: called with the address that opens the page, first and whenever an address was used a second time.
    """

    def __init__(self, app: App, port: int, tell: Callable[[str], None], most: int = MOST_BODY) -> None:
        self.app, self.port, self.tell, self.most = app, port, tell, most
        self.host = f"127.0.0.1:{port}"
        self.cookie = f"raters-{port}"
        self.secret = token_urlsafe(32)
        self.once = token_urlsafe(32)
        self.renewed = 0

    @property
    def address(self) -> str:
        """What opens the page, once."""
        return f"http://{self.host}{START}?token={self.once}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        heads = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        why = self.refused(scope, heads)
        if why is not None:
            await self.say(send, *why)
        elif scope["path"] == START:
            await self.exchange(scope, send)
        elif not self.known(heads):
            await self.say(send, 403, "Open the address that the terminal shows; this browser has not opened it yet.")
        else:
            await self.pass_on(scope, receive, send, heads)

    def refused(self, scope: Scope, heads: dict[str, str]) -> tuple[int, str] | None:
        """Why a request is not even looked at: another host's name for this machine, or another site's page."""
        if heads.get("host") != self.host:
            return 421, f"This page answers to http://{self.host} only."
        ours = f"http://{self.host}"
        if heads.get("origin", ours) != ours:
            return 403, "This request comes from another page."
        if scope["method"] not in ("GET", "HEAD") and "origin" not in heads:
            return 403, "This request does not say which page it comes from."
        if heads.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return 403, "This request comes from another site."
        if int(heads.get("content-length") or 0) > self.most:
            return 413, too_large(self.most)
        return None

    def known(self, heads: dict[str, str]) -> bool:
        try:
            held = SimpleCookie(heads.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return held is not None and hmac.compare_digest(held.value.encode(), self.secret.encode())

    async def exchange(self, scope: Scope, send: Send) -> None:
        """The token of the address for a cookie, once; the address that stays has none."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.once.encode()):
            await self.say(send, 403, "This address was used already, or is not whole: the terminal shows a new one.")
            self.renew()
            return
        self.once = token_urlsafe(32)
        cookie = f"{self.cookie}={self.secret}; Path=/; HttpOnly; SameSite=Strict"
        await send(answer(303, [("location", "/"), ("set-cookie", cookie)]))
        await send({"type": "http.response.body", "body": b""})

    def renew(self) -> None:
        """A new address for a second browser, shown where only the user sees it; not for ever."""
        self.renewed += 1
        if self.renewed <= 20:
            self.once = token_urlsafe(32)
            self.tell(self.address)

    async def pass_on(self, scope: Scope, receive: Receive, send: Send, heads: dict[str, str]) -> None:
        taken = 0
        started = False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.most:
                raise TooLarge
            return message

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *headers()]
            await send(message)

        try:
            await self.app(scope, counted, with_headers)
        except TooLarge:
            if not started:
                await self.say(send, 413, too_large(self.most))
        except Exception:
            if not started:
                await self.say(send, 500, "This view could not be made. Go back, or start raters serve again.")

    async def say(self, send: Send, status: int, text: str) -> None:
        """A sentence instead of a page; nothing of a request is repeated in it."""
        await send(answer(status, [("content-type", "text/plain; charset=utf-8")]))
        await send({"type": "http.response.body", "body": f"raters: {text}\n".encode()})


def headers() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]


def answer(status: int, more: list[tuple[str, str]]) -> Message:
    own = [(name.encode(), value.encode()) for name, value in more]
    return {"type": "http.response.start", "status": status, "headers": [*own, *headers()]}


def too_large(most: int) -> str:
    return f"The files have more than {most >> 20:,} MB together. Name them on the command line: raters serve FILE"
