"""Which part of a list does an address ask for? Page, size, order and filters, from and to the URL.

A place in a list is the id of the row at its edge, so that a page costs what it shows, however
long the list is, and does not move when rows are added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from starlette.requests import Request

from evenhand.console.addresses import with_query
from evenhand.core.errors import Invalid

#: How many rows a page may have.
SIZES: Final = (25, 50, 100)
_DEFAULT_SIZE: Final = SIZES[0]
#: Longest number in an address.
_DIGITS: Final = 9

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What an address asks for.

    Attributes:
        path: of the list.
        size: rows of a page, one of `SIZES`.
        sort: order of the list, one of those that it has.
        default_sort: which of them is meant where the address says none.
        filters: name → value of those that are set.
        after: id of the row before the page's first; None for the first page.
        before: id of the row behind the page's last, for the way back; None going forward.
    """

    path: str
    size: int
    sort: str
    default_sort: str
    filters: dict[str, str]
    after: str | None = None
    before: str | None = None

    def filter(self, name: str) -> str | None:
        """The value of a filter, None where it is not set."""
        return self.filters.get(name)

    def address(self, *, after: str | None = None, before: str | None = None) -> str:
        """The same list at another place."""
        return self._address(self.size, after=after, before=before)

    def of_size(self, size: int) -> str:
        """The first page of the same list with another size."""
        return self._address(size)

    def _address(self, size: int, **place: str | None) -> str:
        return with_query(
            self.path,
            **self.filters,
            sort=None if self.sort == self.default_sort else self.sort,
            size=None if size == _DEFAULT_SIZE else size,
            **place,
        )


def read_listing(
    request: Request, *, filters: Sequence[str] = (), sorts: Sequence[str] = ("newest",)
) -> Listing:
    """What the address of a request asks for.

    Args:
        request: to a list.
        filters: names of the filters that the list has.
        sorts: orders that it has, the customary one first.

    Raises:
        Invalid: a size or an order that there is not, or two places at once.
    """
    query = request.query_params
    sort = query.get("sort") or sorts[0]
    if sort not in sorts:
        raise Invalid(_one_of("sort", sorts))
    size = query.get("size") or str(_DEFAULT_SIZE)
    if size not in map(str, SIZES):
        raise Invalid(_one_of("size", list(map(str, SIZES))))
    after, before = query.get("after") or None, query.get("before") or None
    if after and before:
        raise Invalid("after, before: only one of them says where a page is")
    return Listing(
        path=request.url.path,
        size=int(size),
        sort=sort,
        default_sort=sorts[0],
        filters={name: query[name] for name in filters if query.get(name)},
        after=after,
        before=before,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged(Generic[Row]):
    """A page of a list with the ways from it.

    Attributes:
        rows: in the list's order.
        back: address of the page before, None for the first.
        on: address of the page behind, None for the last.
        sizes: size and address of the same list with it; the address is empty for the present one.
    """

    rows: tuple[Row, ...]
    back: str | None
    on: str | None
    sizes: tuple[tuple[int, str], ...]

    @property
    def is_whole(self) -> bool:
        """Whether the list has no other page."""
        return self.back is None and self.on is None


def read_place(request: Request) -> int:
    """The place that a page begins behind, of rows that are numbered from 0; -1 for the first page.

    Raises:
        Invalid: it is no such number.
    """
    given = request.query_params.get("after")
    if not given:
        return -1
    if len(given) > _DIGITS or not (given.isascii() and given.isdigit()):
        raise Invalid("after: must be a whole number from 0")
    return int(given)


def page_of(listing: Listing, found: Sequence[Row], *, id_of: Callable[[Row], str]) -> Paged[Row]:
    """The page that was asked for.

    Args:
        listing: what was asked for.
        found: in the list's order, one more than a page where there is more: behind the page's
            last row going forward, before its first on the way back.
        id_of: id of a row.
    """
    has_more = len(found) > listing.size
    if listing.before is not None:
        rows = tuple(found[-listing.size :])
        has_back, has_on = has_more, True
    else:
        rows = tuple(found[: listing.size])
        has_back, has_on = listing.after is not None, has_more
    return Paged(
        rows=rows,
        back=listing.address(before=id_of(rows[0])) if has_back and rows else None,
        on=listing.address(after=id_of(rows[-1])) if has_on and rows else None,
        sizes=tuple(
            (size, "" if size == listing.size else listing.of_size(size)) for size in SIZES
        ),
    )


def _one_of(name: str, known: Sequence[str]) -> str:
    return f"{name}: must be one of {', '.join(known)}"
