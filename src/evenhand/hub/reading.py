"""How does a route say where a list goes on, and read it again? Cursors of pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from evenhand.hub.problems import Refusal
from evenhand.wire.paging import InvalidCursor, Page, PageQuery, Place, read_cursor, write_cursor
from evenhand.wire.problems import FieldProblem


class Listed(Protocol):
    """What stands in a list, newest first."""

    @property
    def id(self) -> str:
        """Of its row."""

    @property
    def created_at(self) -> datetime:
        """Aware UTC."""


Row = TypeVar("Row", bound=Listed)
Entry = TypeVar("Entry")
Item = TypeVar("Item")


def place_of(query: PageQuery) -> Place | None:
    """Where the page before ended; None for the first page.

    Raises:
        Refusal: no page gave this cursor.
    """
    if query.cursor is None:
        return None
    try:
        return read_cursor(query.cursor)
    except InvalidCursor:
        field = FieldProblem(field="query.cursor", code="invalid_cursor")
        raise Refusal("invalid_cursor", fields=(field,)) from None


def page_of(found: Sequence[Row], limit: int, to_wire: Callable[[Row], Item]) -> Page[Item]:
    """The first rows as a page.

    Args:
        found: newest first; more than ``limit`` of them tell that the list goes on.
        limit: how many a page has at most, at least 1.
        to_wire: how a row is shown.
    """
    return page_at(found, limit, to_wire, place=lambda row: (row.created_at, row.id))


def page_at(
    found: Sequence[Entry],
    limit: int,
    to_wire: Callable[[Entry], Item],
    *,
    place: Callable[[Entry], Place],
) -> Page[Item]:
    """The same for what has its time under another name.

    Args:
        found: as :func:`page_of`.
        limit: as :func:`page_of`.
        to_wire: how a row is shown.
        place: time and id of a row.
    """
    page = found[:limit]
    more = len(found) > len(page)
    return Page(
        items=list(map(to_wire, page)),
        next_cursor=write_cursor(place(page[-1])) if more else None,
    )
