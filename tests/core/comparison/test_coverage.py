"""Judged@k: the share of what came back that somebody has judged."""

from fractions import Fraction

from evenhand.core.comparison.coverage import Judged, JudgedAt
from tests.core.comparison.pairs import a_result, answers, compared


def test_judged_documents_among_the_first_distinct_ones() -> None:
    at_3, at_10 = compared(a_result(), a_result(answers(missed=range(10)))).judged
    assert at_3 == JudgedAt(
        cutoff=3,
        current=Judged(judged=40, documents=120),
        candidate=Judged(judged=30, documents=110),
    )
    assert at_10.cutoff == 10
    assert at_10.current.documents == 120
    assert at_3.differs


def test_questions_that_failed_on_a_side_or_have_no_answer_are_left_out() -> None:
    at_3, _ = compared(a_result(), a_result(answers(failed=range(10), noisy=range(4)))).judged
    assert at_3.current == at_3.candidate == Judged(judged=30, documents=90)
    assert not at_3.differs


def test_nothing_that_came_back_is_a_share_of_zero() -> None:
    assert Judged(judged=0, documents=0).share == Fraction(0)
