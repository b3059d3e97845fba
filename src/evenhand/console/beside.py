"""Which application does a request belong to: the console, or what it stands beside?"""

from __future__ import annotations

from collections.abc import Callable

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.console.addresses import ROOT


class Beside:
    """Sends what lies below ``/console`` to the console, and all else to another application.

    That begins and ends with the process, too; the console has nothing of its own to begin. It is
    made when a page is asked for the first time, beside the event loop: many hubs are a gateway
    only, and their start pays for no templates.

    Args:
        open_console: makes the console, whose addresses all lie there; called once.
        other: what it stands beside.
    """

    def __init__(self, open_console: Callable[[], ASGIApp], other: ASGIApp) -> None:
        self._open_console = open_console
        self._other = other
        self._console: ASGIApp | None = None
        self._opening = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_page = scope["type"] == "http" and _is_below(scope["path"])
        answer = await self.console() if is_page else self._other
        await answer(scope, receive, send)

    async def console(self) -> ASGIApp:
        """The console, made where it was not before."""
        if self._console is None:
            async with self._opening:
                if self._console is None:
                    self._console = await run_in_threadpool(self._open_console)
        return self._console


def _is_below(path: str) -> bool:
    return path == ROOT or path.startswith(f"{ROOT}/")
