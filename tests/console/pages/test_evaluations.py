"""The list of evaluations: filters and order in the address, pages that hold every row once."""

import pytest

from evenhand.console.addresses import EVALUATIONS, with_query
from tests.builders import a_provenance, an_evaluation, row_id
from tests.console.conftest import Console, only_sqlite

HOSTILE = "<script>alert(1)</script>\u202e"


def ids(console: Console, address: str) -> list[str]:
    """Whole ids that a page of the list lets one copy."""
    page = console.get(address)
    assert page.status == 200
    return [given["data-copy"] for given in page.all("button", class_="copy needs-script")]


def fill(console: Console, number: int) -> None:
    for one in range(1, number + 1):
        name = "odd" if one % 2 else "even"
        console.add(an_evaluation(identifier=name), number=one)


def test_pages_forward_and_back_hold_every_evaluation_once(console: Console) -> None:
    fill(console, 60)
    page = console.get(EVALUATIONS)
    seen: list[list[str]] = []
    while True:
        seen.append([g["data-copy"] for g in page.all("button", class_="copy needs-script")])
        onward = page.all("a", rel="next")
        if not onward:
            break
        page = console.get(onward[0]["href"])
    back = console.get(page.all("a", rel="prev")[0]["href"])

    assert [len(one) for one in seen] == [25, 25, 10]
    assert [row for one in seen for row in one] == [row_id(n) for n in range(60, 0, -1)]
    shown = [g["data-copy"] for g in back.all("button", class_="copy needs-script")]
    assert shown == seen[1]


def test_oldest_come_first_where_the_address_says_so(console: Console) -> None:
    fill(console, 3)

    assert ids(console, f"{EVALUATIONS}?sort=oldest") == [row_id(n) for n in (1, 2, 3)]


def test_filter_of_a_retriever_a_set_and_a_benchmark_takes_whole_names(console: Console) -> None:
    fill(console, 4)
    known = console.add(an_evaluation(provenance=a_provenance(), identifier="odd"), number=5)
    assert known.identity is not None
    benchmark = known.identity.fingerprints.benchmark
    assert with_query(EVALUATIONS, benchmark=benchmark) in console.get(EVALUATIONS).links()

    assert ids(console, f"{EVALUATIONS}?retriever=odd") == [row_id(n) for n in (5, 3, 1)]
    assert ids(console, f"{EVALUATIONS}?set=tiny&retriever=even") == [row_id(4), row_id(2)]
    assert ids(console, with_query(EVALUATIONS, benchmark=benchmark)) == [row_id(5)]
    assert ids(console, f"{EVALUATIONS}?set=tin") == []


def test_filter_proposes_names_that_have_evaluations(console: Console) -> None:
    fill(console, 4)
    page = console.get(EVALUATIONS)

    assert [given["value"] for given in page.all("option")][:4] == [
        "newest",
        "oldest",
        "tiny",
        "even",
    ]


@only_sqlite
@pytest.mark.parametrize("query", ["?sort=success", "?size=7", "?after=nothing"])
def test_address_that_makes_no_sense_is_refused(console: Console, query: str) -> None:
    assert console.get(f"{EVALUATIONS}{query}").status in (404, 422)


@only_sqlite
def test_unknown_benchmark_is_shown_as_unknown(console: Console) -> None:
    console.add()

    assert "unknown" in console.get(EVALUATIONS).text


@only_sqlite
def test_name_of_a_retriever_is_never_carried_out(console: Console) -> None:
    console.add(an_evaluation(identifier=HOSTILE))
    page = console.get(with_query(EVALUATIONS, retriever=HOSTILE))

    assert "<script>alert" not in page.response.text
    assert "\u202e" not in page.text
    assert "<script>alert(1)</script><U+202E>" in page.text
