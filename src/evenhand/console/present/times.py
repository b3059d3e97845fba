"""How is a time shown? How long ago, with the exact time beside it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.reports import numbers

_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
#: Longer ago than so many days, a date says more than a number of days.
_DAYS_TOLD: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A time.

    Attributes:
        text: how long ago, or the date of what is long ago or lies ahead.
        exact: to the second, in UTC.
        iso: for programs.
    """

    text: str
    exact: str
    iso: str


def moment(at: datetime, *, now: datetime) -> Moment:
    """A time as it is seen now; both aware UTC."""
    return Moment(text=_told(at, now), exact=numbers.instant_text(at), iso=at.isoformat())


def _told(at: datetime, now: datetime) -> str:
    seconds = (now - at).total_seconds()
    if seconds < 0 or seconds >= _DAYS_TOLD * _DAY:
        return f"{at:%Y-%m-%d}"
    if seconds < _MINUTE:
        return "just now"
    for unit, name in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= unit:
            return f"{numbers.count(int(seconds // unit), name)} ago"
    return "just now"
