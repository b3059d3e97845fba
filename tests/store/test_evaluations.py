from collections.abc import Callable
from typing import Any

import pytest

from evenhand.core.errors import InvalidText
from evenhand.core.errors.database import ConstraintRefused
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import DocId, QueryId
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.uow import Database
from tests.builders import (
    START,
    Given,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
    row_id,
)

Add = Callable[..., EvaluationRecord]
Rows = Callable[..., list[tuple[Any, ...]]]

RANKINGS = (
    StoredRanking(
        position=0,
        query_id=QueryId(b"q1\xff"),
        documents=(DocId(b"d\xff"), DocId(b""), DocId("é".encode())),
        scores=(2.5, 1.0, -0.1),
    ),
    StoredRanking(position=1, query_id=QueryId(b"q2"), documents=(), scores=None),
    StoredRanking(position=2, query_id=QueryId(b"q3"), documents=(), scores=()),
    StoredRanking(position=3, query_id=QueryId(b"q4"), documents=(DocId(b"d"),), scores=None),
)


@pytest.mark.parametrize("privacy", PrivacyLevel)
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "unknown"])
def test_a_record_comes_back_as_it_was_stored(
    add: Add, database: Database, privacy: PrivacyLevel, *, declared: bool
) -> None:
    evaluation = an_evaluation(provenance=a_provenance(execution="abc") if declared else None)
    record = add(evaluation, privacy=privacy)
    assert database.read(lambda uow: uow.evaluations.get(record.id)) == record


@pytest.mark.proves("G-10")
def test_the_counts_are_stored_as_whole_numbers(add: Add, rows: Rows) -> None:
    evaluation = an_evaluation(given={"q1": ["d1"], "q2": ["x", "d3"], "q3": ValueError()})
    add(evaluation)
    stored = rows(
        "SELECT questions, answerable, no_answer, failed, unjudged, top1_hits, top3_hits,"
        " answerable_top1_hits, answerable_top3_hits, abstained, false_abstained FROM evaluation"
    )
    assert stored == [(4, 3, 1, 1, 0, 2, 3, 1, 2, 1, 0)]


@pytest.mark.parametrize(
    "privacy", [PrivacyLevel.METADATA, PrivacyLevel.REDACTED, PrivacyLevel.FULL]
)
def test_outcomes_come_back_in_order_of_position(
    add: Add, database: Database, privacy: PrivacyLevel
) -> None:
    questions = a_set(
        a_question("b", "d1", "d2"),
        a_question("a", "d1"),
        a_question("d", unjudged=True),
        a_question("c"),
        a_question("e", unjudged=True),
    )
    given: dict[str, Given] = {
        "b": ["d9", "d2", "d1"],
        "a": ValueError(),
        "d": ["x"],
        "e": KeyError(),
    }
    evaluation = an_evaluation(questions, given)
    record = add(evaluation, privacy=privacy)
    assert database.read(lambda uow: uow.evaluations.get_outcomes(record.id)) == (
        evaluation.outcomes
    )


def test_level_none_keeps_no_outcomes(add: Add, database: Database, rows: Rows) -> None:
    record = add(privacy=PrivacyLevel.NONE)
    assert database.read(lambda uow: uow.evaluations.get_outcomes(record.id)) is None
    assert rows("SELECT * FROM evaluation_outcome") == []


@pytest.mark.proves("P-54")
def test_rankings_come_back_with_their_bytes_and_scores(add: Add, database: Database) -> None:
    record = add(privacy=PrivacyLevel.FULL, rankings=RANKINGS)
    assert database.read(lambda uow: uow.evaluations.get_rankings(record.id)) == RANKINGS


@pytest.mark.parametrize("privacy", [level for level in PrivacyLevel if not level.keeps_run])
def test_below_full_there_are_no_rankings(
    add: Add, database: Database, privacy: PrivacyLevel
) -> None:
    record = add(privacy=privacy)
    assert database.read(lambda uow: uow.evaluations.get_rankings(record.id)) is None


@pytest.mark.parametrize("privacy", PrivacyLevel)
def test_the_repository_takes_no_more_than_the_level_keeps(
    database: Database, privacy: PrivacyLevel
) -> None:
    evaluation = an_evaluation()
    record = a_record(evaluation, privacy=privacy)
    keeps: tuple[object, ...] = (
        None if privacy.keeps_outcomes else evaluation.outcomes,
        None if privacy.keeps_run else RANKINGS,
    )
    for outcomes, rankings in ((keeps[0], None), (evaluation.outcomes, keeps[1])):
        with pytest.raises(ValueError, match="privacy level"):
            database.run(
                lambda uow, o=outcomes, r=rankings: uow.evaluations.add(  # type: ignore[misc]
                    record, outcomes=o, rankings=r, details=None
                )
            )


@pytest.mark.parametrize("privacy", [PrivacyLevel.NONE, PrivacyLevel.METADATA])
def test_details_are_refused_where_the_level_drops_them(
    add: Add, rows: Rows, privacy: PrivacyLevel
) -> None:
    with pytest.raises(ValueError, match="details"):
        add(privacy=privacy, details="[]")
    assert rows("SELECT * FROM evaluation") == []


@pytest.mark.parametrize("details", [None, "", '[{"questionId":"q1"}]'])
def test_details_come_back_as_they_were_stored(
    add: Add, database: Database, details: str | None
) -> None:
    record = add(privacy=PrivacyLevel.FULL, details=details)
    assert database.read(lambda uow: uow.evaluations.get_details(record.id)) == details


@pytest.mark.proves("P-56")
def test_every_read_but_the_export_gives_summaries_without_details(
    add: Add, database: Database
) -> None:
    record = add(privacy=PrivacyLevel.FULL, details="canary-in-details")
    found = database.read(
        lambda uow: (
            uow.evaluations.get(record.id),
            uow.evaluations.find_previous(record.set_identifier, "fake", record.grader),
            uow.evaluations.find_by_prefix(record.id[:8], 9),
            uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9),
        )
    )
    assert found == (record, record, (record,), (record,))
    assert "canary-in-details" not in repr(found)


def test_an_id_can_be_used_once(add: Add, database: Database) -> None:
    add(number=1)
    with pytest.raises(ConstraintRefused) as refused:
        add(number=1)
    assert refused.value.constraint == "pk_evaluation"
    everything = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert len(everything) == 1


@pytest.mark.parametrize("unknown", [row_id(7), "", "nul\0", "\udcff", "' OR 1=1"])
def test_an_unknown_id_is_not_found(add: Add, database: Database, unknown: str) -> None:
    add(number=1)
    for work in (
        lambda uow: uow.evaluations.get(unknown),
        lambda uow: uow.evaluations.get_outcomes(unknown),
        lambda uow: uow.evaluations.get_rankings(unknown),
        lambda uow: uow.evaluations.get_details(unknown),
        lambda uow: uow.evaluations.delete(unknown, actor="tester"),
    ):
        with pytest.raises(EvaluationNotFound):
            database.run(work)


def test_a_prefix_finds_ids_that_start_so(add: Add, database: Database) -> None:
    first, second = add(number=1), add(number=12)

    def find(prefix: str, limit: int = 9) -> tuple[EvaluationRecord, ...]:
        return database.read(lambda uow: uow.evaluations.find_by_prefix(prefix, limit))

    assert find("01990000") == (second, first)
    assert find("01990000", limit=1) == (second,)
    assert find(first.id) == (first,)
    for prefix in ("01990001", "0199000%", "_", "nul\0", "\udcff"):
        assert find(prefix) == ()


def test_the_newest_are_listed_first_by_time_then_id(add: Add, database: Database) -> None:
    tied = [add(number=number, created_at=START) for number in (2, 1, 3)]
    early = add(number=9, created_at=START.replace(year=2025))
    listed = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    assert listed == (tied[2], tied[0], tied[1], early)


def test_a_list_can_be_narrowed_by_set_and_retriever(add: Add, database: Database) -> None:
    one = add(an_evaluation(a_set(identifier="one"), identifier="x"), number=1)
    two = add(an_evaluation(a_set(identifier="two"), identifier="x"), number=2)
    other = add(an_evaluation(a_set(identifier="two"), identifier="y"), number=3)

    def listed(set_identifier: str | None, retriever: str | None) -> list[EvaluationRecord]:
        return list(
            database.read(
                lambda uow: uow.evaluations.list_latest(
                    set_identifier=set_identifier, retriever=retriever, limit=9
                )
            )
        )

    assert listed(None, None) == [other, two, one]
    assert listed("two", None) == [other, two]
    assert listed(None, "x") == [two, one]
    assert listed("two", "x") == [two]
    assert listed("none", None) == listed(None, "nul\0") == []


@pytest.mark.parametrize("name", ["a\0b", "\ud800"], ids=["nul", "surrogate"])
def test_text_that_a_database_cannot_hold_is_refused_on_both(
    add: Add, rows: Rows, name: str
) -> None:
    with pytest.raises(InvalidText, match="retriever"):
        add(an_evaluation(identifier=name))
    assert rows("SELECT * FROM evaluation") == []


def test_thousands_of_questions_are_stored_in_one_piece(add: Add, database: Database) -> None:
    questions = [a_question(f"q{number:05d}", f"d{number}") for number in range(11_000)]
    evaluation = an_evaluation(a_set(*questions))
    rankings = tuple(
        StoredRanking(
            position=position,
            query_id=question.id,
            documents=question.expected_document_ids,
            scores=None,
        )
        for position, question in enumerate(evaluation.golden_set.by_position)
    )
    record = add(evaluation, privacy=PrivacyLevel.FULL, rankings=rankings)
    assert database.read(
        lambda uow: (
            uow.evaluations.get_outcomes(record.id),
            uow.evaluations.get_rankings(record.id),
        )
    ) == (evaluation.outcomes, rankings)
