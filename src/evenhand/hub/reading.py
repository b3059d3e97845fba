"""How does a route read what the framework does not? Cursors of pages, for one."""

from __future__ import annotations

from evenhand.hub.problems import Refusal
from evenhand.wire.paging import InvalidCursor, PageQuery, Place, read_cursor
from evenhand.wire.problems import FieldProblem


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
