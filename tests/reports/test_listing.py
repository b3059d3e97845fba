from datetime import UTC, datetime

import pytest

from evenhand.core.privacy import PrivacyLevel
from evenhand.reports.listing import listing_document, listing_lines
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation, row_id
from tests.reports.hostile import an_evaluation_of_it


def test_two_lines_say_when_what_and_rates_with_what_they_cover() -> None:
    record = a_record(
        an_evaluation(given={"q1": ["d1"], "q2": LookupError(), "q4": ["x"]}),
        number=7,
        created_at=datetime(2026, 9, 9, 23, 59, tzinfo=UTC),
    )

    assert listing_lines([record]) == [
        f"{row_id(7)[:13]}  2026-09-09 23:59 UTC  tiny  fake",
        "               Success@1 0.333 (1 of 3) · abstention 0.000 (0 of 1) · failed 1",
    ]


def test_unjudged_questions_are_counted_where_there_are_any() -> None:
    golden_set = a_set(*a_set().questions, a_question("u1", unjudged=True))

    assert listing_lines([a_record(an_evaluation(golden_set))])[1].endswith("· unjudged 1")


def test_a_rate_over_no_question_is_no_number() -> None:
    no_answers = a_set(*(q for q in a_set().questions if q.expected_document_ids))

    _, rates = listing_lines([a_record(an_evaluation(no_answers))])

    assert "abstention no such questions (0 of 0)" in rates


def test_lines_keep_the_order_they_are_given() -> None:
    records = [a_record(number=number) for number in (2, 3, 1)]

    assert [line[:13] for line in listing_lines(records)[::2]] == [one.id[:13] for one in records]
    assert listing_lines([]) == []


def test_a_hostile_name_stays_on_its_line_and_spells_out_what_it_hides() -> None:
    lines = listing_lines([a_record(an_evaluation_of_it())])

    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("level", PrivacyLevel)
def test_a_document_gives_whole_numbers_and_unknown_as_null(level: PrivacyLevel) -> None:
    declared = a_record(an_evaluation(provenance=a_provenance()), privacy=level)
    undeclared = a_record(privacy=level)

    document = listing_document(declared)

    assert declared.identity is not None
    assert document == {
        "id": declared.id,
        "created_at": declared.created_at.isoformat(),
        "set": "tiny",
        "retriever": "fake",
        "basis": "local",
        "privacy": level.value,
        "answerable": 3,
        "success_at_1_hits": 3,
        "no_answer": 1,
        "abstained": 1,
        "failed": 0,
        "unjudged": 0,
        "benchmark": declared.identity.fingerprints.benchmark,
        "variant": declared.identity.fingerprints.variant,
    }
    assert listing_document(undeclared)["benchmark"] is None
    assert listing_document(undeclared)["variant"] is None
