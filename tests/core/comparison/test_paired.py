"""Conclusions about paired differences: better, worse, inconclusive, incomplete."""

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison.paired import Conclusion, PairedDifference, as_family
from evenhand.core.comparison.pairing import graded_difference, hit_difference
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.power import detectable_difference
from evenhand.core.scoring.significance import Refusal, RefusalReason, holm
from evenhand.core.scoring.student import DetectableMean


def hits(
    *, both: int = 0, won: int = 0, lost: int = 0, neither: int = 0, **options: bool
) -> PairedDifference:
    current = [True] * both + [False] * won + [True] * lost + [False] * neither
    candidate = [True] * (both + won) + [False] * (lost + neither)
    return hit_difference("Success@1", current, candidate, **options)


def with_failures(
    pairs: list[tuple[bool | None, bool | None, int]], *, higher_is_better: bool = True
) -> PairedDifference:
    """Each kind of question as (current, candidate, how many); None failed."""
    current = [one for one, _, count in pairs for _ in range(count)]
    candidate = [other for _, other, count in pairs for _ in range(count)]
    return hit_difference("Success@1", current, candidate, higher_is_better=higher_is_better)


# Conclusions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("won", "lost", "conclusion"),
    [
        (10, 1, Conclusion.BETTER),
        (1, 10, Conclusion.WORSE),
        (6, 0, Conclusion.BETTER),
        (5, 0, Conclusion.INCONCLUSIVE),
        (8, 6, Conclusion.INCONCLUSIVE),
        (5, 5, Conclusion.INCONCLUSIVE),
        (0, 0, Conclusion.INCONCLUSIVE),
    ],
)
def test_hits_are_decided_by_the_exact_test(won: int, lost: int, conclusion: Conclusion) -> None:
    assert hits(both=50, won=won, lost=lost, neither=20).conclusion is conclusion


def test_for_a_measure_that_should_be_low_more_is_worse() -> None:
    assert hits(both=5, won=10, neither=50, higher_is_better=False).conclusion is Conclusion.WORSE
    fewer = hits(both=5, lost=10, neither=50, higher_is_better=False)
    assert fewer.conclusion is Conclusion.BETTER
    assert (fewer.point.wins, fewer.point.losses, fewer.delta) == (10, 0, Fraction(-10, 65))


def test_a_significant_test_whose_interval_holds_zero_is_inconclusive() -> None:
    difference = hits(both=50, won=10, lost=1)
    assert isinstance(difference.interval, Interval)
    interval = dataclasses.replace(difference.interval, low=-0.01)
    point = dataclasses.replace(difference.point, interval=interval)
    assert dataclasses.replace(difference, point=point).conclusion is Conclusion.INCONCLUSIVE


def test_where_the_interval_is_refused_the_test_alone_decides() -> None:
    difference = graded_difference("nDCG@10", [0.2] * 12, [0.2] * 2 + [0.7] * 10)
    assert difference.interval == Refusal(reason=RefusalReason.TOO_FEW_DIFFERENCES)
    assert difference.p == 2 / 2**10
    assert difference.conclusion is Conclusion.BETTER


def test_no_conclusion_says_that_there_is_no_difference() -> None:
    assert {one.value for one in Conclusion} == {"better", "worse", "inconclusive", "incomplete"}


def test_identical_legs_are_called_identical_and_inconclusive() -> None:
    same = hits(both=40, neither=10)
    assert same.is_identical
    assert (same.p, same.conclusion) == (1.0, Conclusion.INCONCLUSIVE)
    assert not hits(both=40, won=1).is_identical


# Failed questions --------------------------------------------------------------------------


def test_a_failed_question_is_a_miss_and_the_bounds_say_what_it_could_be() -> None:
    difference = with_failures(
        [(True, True, 5), (None, True, 1), (True, None, 2), (None, None, 1), (False, False, 1)]
    )
    assert (difference.questions, difference.current_failed, difference.candidate_failed) == (
        10,
        2,
        3,
    )
    assert (difference.current, difference.candidate) == (Fraction(7, 10), Fraction(6, 10))
    assert (difference.delta, difference.low, difference.high) == (
        Fraction(-1, 10),
        Fraction(-3, 10),
        Fraction(2, 10),
    )


@pytest.mark.parametrize(
    ("pairs", "conclusion"),
    [
        # One failure turns a tie, or a lead of one.
        ([(True, True, 50), (None, False, 1)], Conclusion.INCOMPLETE),
        ([(True, True, 50), (False, True, 1), (None, False, 1)], Conclusion.INCOMPLETE),
        # A lead of two is not turned by one, and not significant either.
        ([(True, True, 50), (False, True, 2), (None, False, 1)], Conclusion.INCONCLUSIVE),
        # A clear lead is not undone.
        ([(True, True, 50), (False, True, 12), (None, False, 1)], Conclusion.BETTER),
        # Significant as it stands; one win less would not be.
        ([(True, True, 50), (False, True, 5), (None, True, 1)], Conclusion.INCOMPLETE),
        # Here the interval alone would not notice: it excludes zero before the test does.
        (
            [(True, True, 50), (False, True, 9), (True, False, 2), (None, True, 1)],
            Conclusion.INCOMPLETE,
        ),
        # The same the other way round: failures of the candidate shield from "worse".
        ([(True, True, 50), (True, False, 5), (True, None, 1)], Conclusion.INCOMPLETE),
        ([(True, True, 50), (True, False, 12), (True, None, 1)], Conclusion.WORSE),
    ],
)
def test_failed_questions_that_could_undo_an_answer_make_it_incomplete(
    pairs: list[tuple[bool | None, bool | None, int]], conclusion: Conclusion
) -> None:
    assert with_failures(pairs).conclusion is conclusion


def test_a_failure_on_both_sides_can_go_either_way() -> None:
    difference = with_failures([(True, True, 50), (None, None, 1)])
    assert (difference.low, difference.high) == (Fraction(-1, 51), Fraction(1, 51))
    assert difference.conclusion is Conclusion.INCOMPLETE


CELLS = st.lists(
    st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])),
    min_size=2,
    max_size=40,
)


@given(CELLS)
def test_the_bounds_are_the_extremes_over_every_way_to_decide(
    pairs: list[tuple[bool | None, bool | None]],
) -> None:
    current, candidate = [one for one, _ in pairs], [other for _, other in pairs]
    difference = hit_difference("Success@1", current, candidate)
    lowest = sum((b is True) - (a is not False) for a, b in pairs)
    highest = sum((b is not False) - (a is True) for a, b in pairs)
    assert difference.low == Fraction(lowest, len(pairs))
    assert difference.high == Fraction(highest, len(pairs))
    assert difference.low <= difference.delta <= difference.high
    if not difference.current_failed + difference.candidate_failed:
        assert difference.lowest == difference.point == difference.highest


@given(CELLS)
def test_an_answer_of_better_or_worse_survives_every_way_to_decide(
    pairs: list[tuple[bool | None, bool | None]],
) -> None:
    current, candidate = [one for one, _ in pairs], [other for _, other in pairs]
    conclusion = hit_difference("Success@1", current, candidate).conclusion
    if conclusion in {Conclusion.BETTER, Conclusion.WORSE}:
        for failed_current in (True, False):
            for failed_candidate in (True, False):
                decided = hit_difference(
                    "Success@1",
                    [failed_current if one is None else one for one in current],
                    [failed_candidate if one is None else one for one in candidate],
                )
                assert decided.conclusion is conclusion


def test_the_cautious_reading_decides_failures_against_the_candidate() -> None:
    pairs: list[tuple[bool | None, bool | None, int]] = [(True, True, 50), (None, True, 3)]
    assert with_failures(pairs).cautious.delta == 0
    turned = with_failures(pairs, higher_is_better=False)
    assert turned.cautious.delta == Fraction(3, 53)


# Detectable differences --------------------------------------------------------------------


def test_an_inconclusive_rate_comes_with_what_so_many_questions_can_show() -> None:
    rows = hits(both=80, won=5, lost=3, neither=12).detectable
    assert [(row.questions, row.difference) for row in rows] == [
        (100, detectable_difference(100, discordance)) for discordance in (0.1, 0.2, 0.3)
    ]


def test_an_inconclusive_mean_comes_with_what_its_spread_can_show() -> None:
    current = [0.1 * (index % 7) for index in range(40)]
    candidate = [0.1 * (index * 3 % 7) for index in range(40)]
    difference = graded_difference("nDCG@10", current, candidate)
    assert difference.conclusion is Conclusion.INCONCLUSIVE
    (row,) = difference.detectable
    assert isinstance(row, DetectableMean)
    assert (row.questions, row.spread) == (40, difference.spread)


def test_a_decided_difference_comes_without() -> None:
    assert hits(both=50, won=10).detectable == ()
    assert with_failures([(True, True, 50), (None, False, 1)]).detectable == ()


def test_identical_values_have_no_spread_to_tell_from() -> None:
    assert graded_difference("nDCG@10", [0.5] * 30, [0.5] * 30).detectable == ()


# Families ----------------------------------------------------------------------------------


def test_a_family_adjusts_each_p_value_by_holm_and_may_take_an_answer_back() -> None:
    alone = [hits(both=50, won=6), hits(both=50, won=20), hits(both=50, won=7, lost=1)]
    assert [one.conclusion for one in alone] == [
        Conclusion.BETTER,
        Conclusion.BETTER,
        Conclusion.INCONCLUSIVE,
    ]
    family = as_family(alone)
    assert [one.adjusted_p for one in family] == list(holm([one.p or 0 for one in alone]))
    assert [one.p for one in family] == [one.p for one in alone]
    assert {one.family for one in family} == {3}
    assert [one.conclusion for one in family] == [
        Conclusion.INCONCLUSIVE,
        Conclusion.BETTER,
        Conclusion.INCONCLUSIVE,
    ]
    assert family[0].detectable


def test_the_failed_questions_must_not_undo_an_adjusted_answer_either() -> None:
    pairs: list[tuple[bool | None, bool | None, int]] = [(True, True, 50), (False, True, 6)]
    lead = with_failures([*pairs, (None, True, 1)])
    other = hits(both=50, won=3, lost=3)
    assert lead.conclusion is Conclusion.BETTER
    # Seven wins give 0.0156, doubled 0.031; six, with the failure against it, 0.031 and 0.063.
    adjusted, _ = as_family([lead, other])
    assert adjusted.conclusion is Conclusion.INCOMPLETE


def test_a_difference_without_a_test_is_in_no_family() -> None:
    untested = hits(won=1)
    family = as_family([untested, hits(both=50, won=6)])
    assert family[0] == untested
    assert (family[1].family, family[1].conclusion) == (1, Conclusion.BETTER)


def test_a_family_of_none_is_empty() -> None:
    assert as_family([]) == ()


def test_too_few_questions_are_inconclusive_without_a_p_value() -> None:
    single = hits(won=1)
    assert single.p is None
    assert single.point.significance == Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    assert single.conclusion is Conclusion.INCONCLUSIVE
    assert graded_difference("nDCG@10", [0.0], [1.0]).conclusion is Conclusion.INCONCLUSIVE
