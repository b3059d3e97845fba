"""Which page of a short list is asked for, by how many rows are passed over?

For what a registry holds, and for the history of comparisons, whose API counts the same way. Lists
that grow with every request are `console.listing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from starlette.requests import Request

from evenhand.console.addresses import with_query
from evenhand.console.listing import SIZES, Paged
from evenhand.core.errors import Invalid

#: How many rows can be passed over, as in the API (C-42).
LAST_OFFSET: Final = 10_000
_DIGITS: Final = len(str(LAST_OFFSET))
_SIZE: Final = f"size: must be one of {', '.join(map(str, SIZES))}"
_OFFSET: Final = f"offset: must be a whole number from 0 to {LAST_OFFSET}"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What an address asks for.

    Attributes:
        path: of the list.
        size: rows of a page.
        offset: rows before it.
        filters: name → value of those that are set.
    """

    path: str
    size: int
    offset: int
    filters: dict[str, str]

    def filter(self, name: str) -> str | None:
        """The value of a filter, None where it is not set."""
        return self.filters.get(name)

    @property
    def wanted(self) -> int:
        """How many rows to read: one more than a page tells whether the list goes on."""
        return self.size + 1

    def address(self, offset: int, size: int) -> str:
        """The same list at another place."""
        is_usual = size == SIZES[0]
        return with_query(
            self.path, **self.filters, size=None if is_usual else size, offset=offset or None
        )

    def page(self, rows: Sequence[Row]) -> Paged[Row]:
        """The page that was asked for.

        Args:
            rows: as many as `wanted`, fewer where the list ends before.
        """
        following = self.offset + self.size
        has_more = len(rows) > self.size and following <= LAST_OFFSET
        back = max(0, self.offset - self.size)
        return Paged(
            rows=tuple(rows[: self.size]),
            back=self.address(back, self.size) if self.offset else None,
            on=self.address(following, self.size) if has_more else None,
            sizes=tuple((one, "" if one == self.size else self.address(0, one)) for one in SIZES),
        )


def read_window(request: Request, *, filters: Sequence[str] = ()) -> Window:
    """What the address of a request asks for.

    Args:
        request: to a list.
        filters: names of the filters that the list has.

    Raises:
        Invalid: a size that there is not, or an offset out of range.
    """
    query = request.query_params
    size, offset = query.get("size") or str(SIZES[0]), query.get("offset") or "0"
    if size not in map(str, SIZES):
        raise Invalid(_SIZE)
    is_number = offset.isascii() and offset.isdecimal() and len(offset) <= _DIGITS
    if not is_number or int(offset) > LAST_OFFSET:
        raise Invalid(_OFFSET)
    return Window(
        path=request.url.path,
        size=int(size),
        offset=int(offset),
        filters={name: query[name] for name in filters if query.get(name)},
    )
