"""Where does a page of a list begin? Behind a row, in the order of time and then id."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from evenhand.store.times import time_to_text

Row = TypeVar("Row")


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


def page_before(
    query: sa.Select[Any],
    time: sa.Column[Any],
    row: sa.Column[Any],
    place: tuple[datetime, str] | None,
) -> sa.Select[Any]:
    """The rows that stand before a place, or all of them, oldest first.

    These are the nearest ones of a list that stands newest first; :func:`in_order` turns them
    round.

    Args:
        query: all rows of the list, in no order.
        time: the column of the time.
        row: that of the id.
        place: time and id of the first row of the page behind; None for the first page.
    """
    ordered = query.order_by(time.asc(), row.asc())
    return ordered if place is None else ordered.where(is_ahead(time, row, place))


def page_behind(
    query: sa.Select[Any],
    time: sa.Column[Any],
    row: sa.Column[Any],
    place: tuple[datetime, str] | None,
) -> sa.Select[Any]:
    """The rows behind a place, or all of them, newest first.

    Args:
        query: all rows of the list, in no order.
        time: the column of the time.
        row: that of the id.
        place: time and id of the last row of the page before; None for the first page.
    """
    ordered = query.order_by(*newest_first(time, row))
    return ordered if place is None else ordered.where(is_behind(time, row, place))


def in_order(rows: Iterable[Row], *, backwards: bool) -> tuple[Row, ...]:
    """The rows of a page, newest first.

    Args:
        rows: as they were found.
        backwards: whether they are those of :func:`page_before`.
    """
    found = tuple(rows)
    return found[::-1] if backwards else found
