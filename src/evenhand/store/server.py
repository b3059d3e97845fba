"""How is a PostgreSQL server connected to, and for how long is it waited for?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import URL, Engine

#: After how long a server that does not answer at all is given up, by the names of libpq: its
#: host is asked whether it is there after 30 seconds of silence, three times.
_SILENCE: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """For how long something is waited for.

    Attributes:
        lock_seconds: for somebody else's lock.
        statement_seconds: for a statement, where neither URL, role nor database says so; None
            for as long as it takes.
    """

    lock_seconds: int
    statement_seconds: int | None


def server_arguments(url: URL) -> dict[str, Any]:
    """What the driver is told of a connection, where the URL does not say it."""
    arguments: dict[str, Any] = {"fallback_application_name": "evenhand"}
    # The driver's own waits are minutes or for ever, for a host that is away or goes away.
    return arguments | {name: value for name, value in _SILENCE.items() if name not in url.query}


def configure_server(engine: Engine, waits: Waits) -> None:
    """What holds on every connection of an engine."""
    from evenhand.store.pipelines import PipelineCursor

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: object) -> None:
        connection.cursor_factory = PipelineCursor
        connection.execute(f"SET lock_timeout = '{waits.lock_seconds}s'")
        if waits.statement_seconds is not None:
            connection.execute(
                "SELECT set_config('statement_timeout', %s, false)"
                " WHERE current_setting('statement_timeout') = '0'",
                (f"{waits.statement_seconds}s",),
            )
        connection.commit()
