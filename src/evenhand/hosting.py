"""What does a hub's process answer with? The API, and the console beside it.

Both have the same database, policies, log and numbers: what the API may not show or change, the
console may not either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from evenhand.bootstrap import App

if TYPE_CHECKING:
    from typing import TextIO

    from starlette.types import ASGIApp

    from evenhand.console.parts import ConsoleParts
    from evenhand.hub.parts import HubParts

_TITLE: Final = "hub"


def hub_with_console(app: App, log: TextIO) -> ASGIApp:
    """The API of a hub, and its console below ``/console``.

    Args:
        app: the wired parts.
        log: where lines of the log go.

    Raises:
        DatabaseNotReady: as `App.hub`.
        MissingExtra: as `App.hub`.
    """
    from evenhand.console.beside import Beside

    hub = app.hub(log)

    def _open_console() -> ASGIApp:
        from evenhand.console.app import build_console
        from evenhand.console.guard import told_of
        from evenhand.hub.observe import Observed

        parts: HubParts = hub.state.parts
        console = build_console(_console_parts(app, parts))
        return Observed(console, parts=parts, metrics=hub.state.metrics, told=told_of)

    return Beside(_open_console, hub)


def _console_parts(app: App, hub: HubParts) -> ConsoleParts:
    from evenhand.console.parts import ConsoleParts, Mode
    from evenhand.hub.observe import Log, where

    log, public_url = Log(hub.log), app.settings.serve_public_url
    host = None if public_url is None else urlsplit(public_url).hostname
    return ConsoleParts(
        database=hub.database,
        clock=hub.clock,
        ids=hub.ids,
        secrets=hub.secrets,
        release=hub.release,
        policy=hub.policy,
        max_failed_share=hub.max_failed_share,
        mode=Mode.HUB,
        title=host or _TITLE,
        # A set that came over the network has no name that anybody types here.
        recall=lambda _: None,
        failed=lambda error: log.lines.error("failed", **where(error)),
        session_key=app.session_key,
        hosts=frozenset() if host is None else frozenset({host}),
        public_url=public_url,
    )
