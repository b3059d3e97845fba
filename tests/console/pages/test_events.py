"""Events on pages: the contract with its decisions, what was refused, answers without a total."""

import csv
import io

import pytest

from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.trusted import question_names
from tests.console.conftest import Console, only_sqlite
from tests.console.rows import fill_events
from tests.registry_builders import add_shop

WINDOW = "start=2026-09-09T00:00&end=2026-09-10T00:00"
ANSWER = "/console/event-questions/relevant_grounded_accepted"


@pytest.fixture
def kept(console: Console) -> Console:
    shop = console.parts.database.run(add_shop)
    fill_events(console.parts.database, shop.project.id)
    return console


@only_sqlite
def test_every_field_of_the_contract_stands_with_its_decision(console: Console) -> None:
    page = console.get("/console/events")

    for field in shipped_contract().fields:
        assert field.name in page.text
        assert field.meaning in page.text
        assert (field.decision or "") in page.text
    assert [link for link in page.links() if "/event-questions/" in link] == [
        f"/console/event-questions/{name}" for name in question_names()
    ]


@only_sqlite
def test_the_checklist_is_unknown_where_nothing_keeps_it(console: Console) -> None:
    page = console.get("/console/events")

    assert "Stored here: unknown ." in page.text
    assert "evenhand events verify --project NAME" in page.text


def test_refused_events_are_counted_by_reason_in_a_window(kept: Console) -> None:
    page = kept.get(f"/console/events?{WINDOW}")
    other = kept.get("/console/events?start=2026-01-01&end=2026-02-01")

    assert "3 refused from 2026-09-09 00:00:00 UTC" in page.text
    assert "invalid_event grounded 2" in page.text
    assert "invalid_event release 1" in page.text
    assert "0 refused" in other.text


def test_an_answer_stands_apart_by_benchmark_and_stratum_and_has_no_total(kept: Console) -> None:
    page = kept.get(f"{ANSWER}?{WINDOW}")

    assert "Group 1 of 2" in page.text
    assert "Group 2 of 2" in page.text
    assert "from 2026-09-09 00:00:00 UTC until before 2026-09-10 00:00:00 UTC" in page.text
    assert "Unknown equals nothing: these rows are not drawn against each other." in page.text
    assert len(page.all("table")) == 4
    # Three drawn numbers of each of the two rows of the group that is known.
    assert len(page.all("svg", class_="chart-bar")) == 6


@only_sqlite
def test_the_same_answer_leaves_as_csv(kept: Console) -> None:
    page = kept.get(f"{ANSWER}?{WINDOW}")
    [link] = [one for one in page.links() if ".csv" in one]
    answer = kept.client.get(link)
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))

    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="relevant_grounded_accepted.csv"'
    )
    assert [row["retrieval_version"] for row in rows] == ["hybrid_v4", "hybrid_v5", "hybrid_v4"]
    assert [row["accepted_rate"] for row in rows] == ["1.0", "1.0", "unknown"]


@only_sqlite
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/console/event-questions/nothing", 404),
        (f"{ANSWER}?start=2026-09-02&end=2026-09-01", 422),
        ("/console/events?start=soon", 422),
    ],
)
def test_what_is_no_question_or_no_window_is_refused(
    console: Console, path: str, status: int
) -> None:
    assert console.get(path).status == status


@only_sqlite
def test_an_empty_window_says_so(console: Console) -> None:
    assert "No event in the window" in console.get(f"{ANSWER}?{WINDOW}").text
