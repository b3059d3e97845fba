"""How much may a client that has a limit still ask? As much as a minute holds, refilled evenly.

All that is kept is one instant: when the client may again ask as much as in a whole minute. What
it asks moves the instant on by the part of a minute that this is worth; it may never lie further
ahead than a minute. So within any span of *t* seconds at most ``limit * (1 + t / 60)`` inputs are
let through.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from evenhand.core.errors.gateway import InvalidInput

_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Wait:
    """It is too early.

    Attributes:
        seconds: whole seconds after which the same may be asked, from 1 to 60, if nothing else
            is asked meanwhile.
    """

    seconds: int


def spend(
    full_at: datetime | None, *, count: int, per_minute: int, now: datetime
) -> datetime | Wait:
    """When the whole minute's worth is there again after ``count`` inputs, or how long to wait.

    Args:
        full_at: when it would be there without them; None where nothing was asked yet.
        count: of inputs, at least 1.
        per_minute: the limit, at least 1.
        now: the database's time, so that several processes agree.

    Raises:
        InvalidInput: more inputs than the limit, which no waiting helps.

    Source: the generic cell rate algorithm (ITU-T I.371).
    """
    if count > per_minute:
        raise InvalidInput(_too_many(per_minute))
    # A clock that was set back must not make anybody wait longer than a minute.
    begins = now if full_at is None else min(max(full_at, now), now + _MINUTE)
    ends = begins + _MINUTE * count / per_minute
    early = ends - (now + _MINUTE)
    return Wait(max(1, ceil(early.total_seconds()))) if early > timedelta(0) else ends


def _too_many(limit: int) -> str:
    return f"must not hold more than {limit} items: this client may send no more a minute"
