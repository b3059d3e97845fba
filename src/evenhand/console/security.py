"""What may a browser do with a page? The headers of every answer, and the last place for errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.console.addresses import STATIC
from evenhand.console.parts import ConsoleParts

#: Nothing comes from anywhere else, nothing inline is carried out or styles anything, and no page
#: of anybody else shows one of these.
CONTENT_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # To others nothing; to this console the origin, by which a form is known to be its own: with
    # ``no-referrer`` browsers hide that too.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
#: Pages hold names and texts of a project: no cache on the way keeps them.
NO_STORE: Final = "no-store"
#: A file's address names its release, so its content never changes there.
FOR_EVER: Final = "public, max-age=31536000, immutable"
_MISDIRECTED: Final = 421


class Secured:
    """The outermost middleware: headers on every answer, and no error gets past it.

    Args:
        app: what comes behind it.
        parts: of the console.
        failed_page: makes the page for an error that nobody foresaw.
    """

    def __init__(
        self, app: ASGIApp, *, parts: ConsoleParts, failed_page: Callable[[Request], Response]
    ) -> None:
        self._app = app
        self._parts = parts
        self._failed_page = failed_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say that it cannot be answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def _with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._add(MutableHeaders(scope=message), scope)
            await send(message)

        if not self._is_meant(scope):
            # A name of somebody else that leads here is how a foreign page reads this machine's.
            refusal = PlainTextResponse("This console has another name.\n", _MISDIRECTED)
            await refusal(scope, receive, _with_headers)
            return
        try:
            await self._app(scope, receive, _with_headers)
        except Exception as error:  # noqa: BLE001 -- the last place; its message could hold anything
            self._parts.failed(error)
            if not has_begun:
                page = self._failed_page(Request(scope, receive))
                await page(scope, receive, _with_headers)

    def _add(self, headers: MutableHeaders, scope: Scope) -> None:
        for name, value in HEADERS.items():
            headers[name] = value
        if "cache-control" not in headers:
            headers["Cache-Control"] = FOR_EVER if self._is_released(scope) else NO_STORE

    def _is_released(self, scope: Scope) -> bool:
        query = f"v={self._parts.release}".encode()
        path: str = scope["path"]
        return path.startswith(f"{STATIC}/") and scope["query_string"] == query

    def _is_meant(self, scope: Scope) -> bool:
        if not self._parts.hosts:
            return True
        given = Headers(scope=scope).get("host", "")
        name, _, port = given.rpartition(":")
        return (name if port.isdigit() else given) in self._parts.hosts
