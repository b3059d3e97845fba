"""Golden sets a page at a time: what is held out is counted, and in no page."""

import pytest

from evenhand.core.retrieval.golden import QueryId
from evenhand.store.uow import Database
from tests.builders import START, a_question, a_set

#: In another order than that of the ids, with one that is held out between them.
MIXED = a_set(
    a_question("q9", "d1", "d2"),
    a_question(b"\xff", "d3"),
    a_question("q1", unjudged=True),
    a_question("Q5"),
    holdout=[a_question("q3", "d9")],
)


@pytest.fixture
def kept(database: Database) -> Database:
    database.run(lambda uow: uow.golden_sets.save(MIXED, imported_at=START))
    return database


def test_entry_counts_what_is_asked_and_what_is_held_out(kept: Database) -> None:
    entry = kept.read(lambda uow: uow.golden_set_pages.find_entry("tiny"))

    assert entry is not None
    assert (entry.questions, entry.unjudged, entry.holdout) == (4, 1, 1)
    assert (entry.labels_fingerprint, entry.imported_at) == (MIXED.labels_fingerprint, START)
    assert kept.read(lambda uow: uow.golden_set_pages.find_entry("none")) is None
    assert kept.read(lambda uow: uow.golden_set_pages.find_entry("\0")) is None


def test_questions_come_in_the_order_of_the_set_without_those_held_out(kept: Database) -> None:
    first = kept.read(lambda uow: uow.golden_set_pages.list_questions("tiny", after=-1, limit=3))
    rest = kept.read(
        lambda uow: uow.golden_set_pages.list_questions("tiny", after=first[-1][0], limit=3)
    )

    assert tuple(question for _, question in (*first, *rest)) == MIXED.questions


def test_position_is_the_place_in_byte_order_of_the_ids(kept: Database) -> None:
    found = kept.read(lambda uow: uow.golden_set_pages.find_ids_at("tiny", [0, 1, 2, 3, 4]))

    assert [found.get(place) for place in range(5)] == [
        *(question.id for question in MIXED.by_position),
        None,
    ]
    assert kept.read(lambda uow: uow.golden_set_pages.find_ids_at("tiny", [])) == {}


def test_questions_are_found_by_id_but_not_those_held_out(kept: Database) -> None:
    asked = [QueryId(b"q9"), QueryId(b"q3"), QueryId(b"none")]
    found = kept.read(lambda uow: uow.golden_set_pages.find_questions("tiny", asked))

    assert found == {QueryId(b"q9"): MIXED.questions[0]}
