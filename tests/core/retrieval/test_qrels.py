"""Golden questions as judgements."""

from evenhand.core.retrieval.qrels import MIN_RELEVANCE, golden_qrels, question_relevance
from tests.builders import a_question, a_set


def test_each_target_has_the_grade_that_makes_a_document_relevant() -> None:
    assert MIN_RELEVANCE == 1
    assert question_relevance(a_question("q1", "d1", "d2")) == {b"d1": 1, b"d2": 1}


def test_a_no_answer_question_has_no_judged_document() -> None:
    assert question_relevance(a_question("q1")) == {}


def test_qrels_of_a_set_leave_unjudged_questions_out() -> None:
    asked = a_set(a_question("q1", "d1"), a_question("q2"), a_question("q3", unjudged=True))
    assert golden_qrels(asked) == {b"q1": {b"d1": 1}, b"q2": {}}
