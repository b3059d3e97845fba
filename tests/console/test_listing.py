"""Page, size, order and filters of a list, from its address and to it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from evenhand.console.addresses import below, with_query
from evenhand.console.listing import Listing, page_of, read_listing
from evenhand.core.errors import Invalid

SORTS = ("newest", "oldest")


def asked(query: str, filters: Sequence[str] = ("set",)) -> Listing:
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/console/evaluations",
        "query_string": query.encode(),
        "headers": [(b"host", b"127.0.0.1")],
        "scheme": "http",
        "server": ("127.0.0.1", 80),
    }
    return read_listing(Request(scope), filters=filters, sorts=SORTS)


def test_address_without_a_query_asks_for_the_first_page() -> None:
    listing = asked("")

    assert (listing.size, listing.sort, listing.after, listing.filters) == (25, "newest", None, {})
    assert listing.address() == "/console/evaluations"


@pytest.mark.parametrize(
    "query", ["size=0", "size=26", "size=many", "sort=best", "after=a&before=b"]
)
def test_value_that_the_list_does_not_have_is_refused(query: str) -> None:
    with pytest.raises(Invalid):
        asked(query)


@given(set_name=st.text(max_size=8), after=st.text(max_size=8))
def test_address_leads_back_to_what_was_asked(set_name: str, after: str) -> None:
    first = asked(
        with_query("", sort="oldest", size=50, set=set_name, after=after).removeprefix("?")
    )
    again = asked(first.address(after=first.after).partition("?")[2])

    assert again == first


def test_only_known_filters_are_taken() -> None:
    assert asked("set=tiny&other=x").filters == {"set": "tiny"}


@given(name=st.text(min_size=1, max_size=12))
def test_name_in_a_path_is_one_segment_whatever_it_holds(name: str) -> None:
    made = below("/console/sets", name)

    assert made.count("/") == 3
    assert not set(made) & set("?#\"'<> \n\u202e")


@pytest.mark.parametrize(
    ("query", "found", "shown", "has_back", "has_on"),
    [
        ("", 3, range(3), False, False),
        ("", 26, range(25), False, True),
        ("after=x", 3, range(3), True, False),
        ("before=x", 26, range(1, 26), True, True),
        ("before=x", 25, range(25), False, True),
    ],
)
def test_page_leads_on_only_where_there_is_more(
    query: str, found: int, shown: range, *, has_back: bool, has_on: bool
) -> None:
    page = page_of(asked(query), [str(number) for number in range(found)], id_of=str)

    assert page.rows == tuple(map(str, shown))
    assert (page.back is not None, page.on is not None) == (has_back, has_on)


def test_sizes_other_than_the_present_one_have_an_address() -> None:
    page = page_of(asked("size=50&set=a"), ["1"], id_of=str)

    assert page.sizes == (
        (25, "/console/evaluations?set=a"),
        (50, ""),
        (100, "/console/evaluations?set=a&size=100"),
    )
