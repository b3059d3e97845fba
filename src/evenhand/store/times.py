"""What time is it, and how is an instant written in a row? As text that sorts like the time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.usecases.ports import Clock

_SERVER_TIME: Final = sa.select(sa.func.clock_timestamp())


def time_to_text(instant: datetime) -> str:
    """``YYYY-MM-DDTHH:MM:SS.ffffffZ``, always 27 characters, always UTC (settled 3).

    Args:
        instant: aware; a naive one has no place on the time line.

    Raises:
        ValueError: naive.
    """
    if instant.tzinfo is None:
        raise ValueError("a stored time needs a zone")
    text = instant.astimezone(UTC).isoformat(timespec="microseconds")
    return text.removesuffix("+00:00") + "Z"


def text_to_time(text: str) -> datetime:
    """The aware UTC instant that :func:`time_to_text` wrote."""
    return datetime.fromisoformat(text)


def time_of(connection: Connection, clock: Clock) -> datetime:
    """The time now, aware UTC: the server's on PostgreSQL, else the process's."""
    if connection.dialect.name != "postgresql":
        return clock.now()
    at: datetime = connection.execute(_SERVER_TIME).scalar_one()
    return at.astimezone(UTC)


class SharedTime:
    """The time for all functions of one transaction, as :func:`time_of` tells it.

    A server is asked once. From there the time goes on with the process's clock for durations,
    which counts alike on every machine, so whoever waited for a lock reads the time after it; and
    to ask again would be the one round trip of a small write (ADR 27).

    Args:
        connection: in a transaction.
        clock: the process's clock.
    """

    __slots__ = ("_asked_at", "_clock", "_connection", "_told")

    def __init__(self, connection: Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._told: datetime | None = None
        self._asked_at = 0.0

    def now(self) -> datetime:
        """Aware UTC."""
        if self._connection.dialect.name != "postgresql":
            return self._clock.now()
        if self._told is None:
            self._told = time_of(self._connection, self._clock)
            self._asked_at = self._clock.monotonic()
            return self._told
        return self._told + timedelta(seconds=self._clock.monotonic() - self._asked_at)
