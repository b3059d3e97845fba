"""Grades of judged documents: what they must agree with, and which digests they move."""

from dataclasses import replace

import pytest

from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.qrels import qrels_digest
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.retrieval.grades import hold_grades
from evenhand.core.retrieval.qrels import question_relevance
from tests.builders import a_question, a_set


def graded(*grades: tuple[str | bytes, int], targets: tuple[str, ...] = ("d1",)) -> GoldenQuestion:
    return GoldenQuestion(
        id="q1", question="q1", form="match", expected_document_ids=targets, grades=grades
    )


def test_grades_are_held_in_byte_order_of_the_documents() -> None:
    question = graded(("d2", 0), ("d1", 2))
    assert question.grades == ((b"d1", 2), (b"d2", 0))
    assert question_relevance(question) == {b"d1": 2, b"d2": 0}


def test_without_grades_each_target_has_grade_one() -> None:
    assert a_question("q1", "d2", "d1").judgements == ((b"d1", 1), (b"d2", 1))


def test_grades_that_say_no_more_than_the_targets_are_none() -> None:
    assert graded(("d1", 1)) == graded()


def test_a_question_without_an_answer_may_have_judged_documents() -> None:
    assert graded(("d1", 0), ("d2", -2), targets=()).judgements == ((b"d1", 0), (b"d2", -2))


@pytest.mark.parametrize(
    ("grades", "rule"),
    [
        ([("d1", 2), ("d2", 1)], "exactly the expected_document_ids"),
        ([("d1", 0)], "exactly the expected_document_ids"),
        ([("d1", 2), (b"d1", 2)], "twice"),
        ([("d1", True)], "whole number"),
        ([("d1", 2.0)], "whole number"),
        ([("d1", 2**31)], "whole number"),
        ([("", 0), ("d1", 1)], "empty document id"),
        ([("d\0", 0), ("d1", 1)], "cannot be held"),
    ],
)
def test_grades_that_break_a_rule_are_refused(grades: list[tuple[str, int]], rule: str) -> None:
    with pytest.raises(InvalidGoldenSet, match=rule):
        hold_grades(grades, [b"d1"])


def test_one_grade_moves_the_judgements_digest_and_not_the_labels() -> None:
    one, other = (a_set(graded(("d1", grade), ("d9", 0))) for grade in (2, 3))
    assert one.labels_fingerprint == other.labels_fingerprint
    assert one.qrels_digest != other.qrels_digest


def test_the_digest_covers_every_judgement_of_every_question() -> None:
    asked = a_set(graded(("d1", 2), ("d9", 0)), a_question("q2", "d3"), a_question("q3"))
    rows = [(b"q1", b"d1", 2), (b"q1", b"d9", 0), (b"q2", b"d3", 1)]
    assert asked.qrels_digest == qrels_digest(rows)
    unjudged = replace(asked, questions=(*asked.questions, _only_nonrelevant()))
    assert unjudged.qrels_digest == qrels_digest([*rows, (b"q4", b"d5", 0)])


def _only_nonrelevant() -> GoldenQuestion:
    return GoldenQuestion(id="q4", question="q4", form="match", unjudged=True, grades=[("d5", 0)])


def test_a_set_of_targets_has_the_digest_of_their_judgements() -> None:
    assert isinstance(a_set(), GoldenSet)
    assert a_set(a_question("q", "d")).qrels_digest == qrels_digest([(b"q", b"d", 1)])
