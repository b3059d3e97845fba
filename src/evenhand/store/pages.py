"""Where does a page of a list begin? Behind a row, in the order of time and then id."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from evenhand.store.times import time_to_text


def newest_first(time: sa.Column[Any], row: sa.Column[Any]) -> tuple[Any, Any]:
    """The order of every list: by time, and where that is equal by id."""
    return time.desc(), row.desc()


def is_behind(
    time: sa.Column[Any], row: sa.Column[Any], place: tuple[datetime, str]
) -> sa.ColumnElement[bool]:
    """The condition that a row stands behind a place in that order.

    Args:
        time: the column of the time.
        row: that of the id.
        place: time and id of the last row of the page before.
    """
    at, last = place
    return sa.tuple_(time, row) < sa.tuple_(time_to_text(at), last)


def is_ahead(
    time: sa.Column[Any], row: sa.Column[Any], place: tuple[datetime, str]
) -> sa.ColumnElement[bool]:
    """The condition that a row stands behind a place in the opposite order, oldest first.

    Args:
        time: the column of the time.
        row: that of the id.
        place: time and id of the last row of the page before.
    """
    at, last = place
    return sa.tuple_(time, row) > sa.tuple_(time_to_text(at), last)
