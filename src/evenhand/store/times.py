"""What time is it, and how is an instant written in a row? As text that sorts like the time."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.usecases.ports import Clock


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
    at: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
    return at.astimezone(UTC)
