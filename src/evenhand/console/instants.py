"""Which times does an address name? Instants in UTC, as a form sends them, and windows of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from evenhand.contracts.trusted import Window
from evenhand.core.errors import InvalidValue

_RULE: Final = "must be a time in UTC such as 2026-09-01T12:00"


def read_instant(stated: str | None, name: str) -> datetime | None:
    """A time that an address states; None where it states none.

    Args:
        stated: a date, or a date and a time; without a zone it is in UTC.
        name: of the parameter.

    Raises:
        InvalidValue: anything else, and a time of another zone.
    """
    if not stated:
        return None
    try:
        found = datetime.fromisoformat(stated)
    except ValueError:
        raise InvalidValue(name, _RULE) from None
    if found.tzinfo is None:
        return found.replace(tzinfo=UTC)
    if found.utcoffset() != timedelta(0):
        raise InvalidValue(name, _RULE)
    return found.astimezone(UTC)


def read_window(start: str | None, end: str | None, *, now: datetime, days: int) -> Window:
    """The window that an address states.

    Args:
        start: as `read_instant`; without one it begins so many days before its end.
        end: as `read_instant`; without one it ends now.
        now: aware UTC.
        days: at least 1.

    Raises:
        InvalidValue: no times, or an end before the start.
    """
    # To the minute, as a form shows it: what was asked is then what can be asked again.
    until = read_instant(end, "end") or _whole_minute(now)
    since = read_instant(start, "start") or until - timedelta(days=days)
    return Window(start=since, end=until)


def _whole_minute(now: datetime) -> datetime:
    return now.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
