"""Which application does a request belong to: the console, or what it stands beside?"""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.console.addresses import ROOT


class Beside:
    """Sends what lies below ``/console`` to the console, and all else to another application.

    That begins and ends with the process, too; the console has nothing of its own to begin.

    Args:
        console: the console, whose addresses all lie there.
        other: what it stands beside.
    """

    def __init__(self, console: ASGIApp, other: ASGIApp) -> None:
        self._console = console
        self._other = other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_page = scope["type"] == "http" and _is_below(scope["path"])
        await (self._console if is_page else self._other)(scope, receive, send)


def _is_below(path: str) -> bool:
    return path == ROOT or path.startswith(f"{ROOT}/")
