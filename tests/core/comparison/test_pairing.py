"""Outcomes and values of two results become paired differences."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from evenhand.core.comparison.difference import build_leg, rate_differences
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.comparison.pairing import (
    Resampling,
    graded_difference,
    hit_difference,
    hit_differences,
)
from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.intervals import (
    Interval,
    IntervalMethod,
    PairedCounts,
    newcombe_interval,
)
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.protocols import count_hits
from evenhand.core.scoring.significance import (
    Method,
    Refusal,
    RefusalReason,
    Significance,
    mcnemar_exact,
)


def outcome(position: int, *, rank: int | None, targets: int = 1, window: int = 3) -> Outcome:
    return Outcome(
        position=position,
        state=OutcomeState.SCORED,
        targets=targets,
        retrieved=window,
        window=window,
        judged_hits=() if rank is None else (JudgedHit(rank, 1),),
    )


def failed(position: int, *, targets: int = 1) -> Outcome:
    return Outcome(
        position=position,
        state=OutcomeState.FAILED,
        targets=targets,
        retrieved=None,
        window=None,
        error_class="RetrievalFailed",
    )


def unjudged(position: int) -> Outcome:
    return Outcome(
        position=position, state=OutcomeState.UNJUDGED, targets=None, retrieved=3, window=3
    )


CURRENT = (
    outcome(0, rank=1),
    outcome(1, rank=3),
    outcome(2, rank=None),
    outcome(3, rank=None, window=0),
    failed(4),
    outcome(5, rank=None, targets=0, window=0),
    outcome(6, rank=None, targets=0),
)
CANDIDATE = (
    outcome(0, rank=2),
    outcome(1, rank=1),
    failed(2),
    outcome(3, rank=1),
    outcome(4, rank=1),
    failed(5, targets=0),
    outcome(6, rank=None, targets=0, window=0),
)


# Hits --------------------------------------------------------------------------------------


def test_hits_give_four_measures_over_the_questions_that_each_is_about() -> None:
    found = [(one.measure, one.questions) for one in hit_differences(CURRENT, CANDIDATE)]
    assert found == [
        ("Success@1", 5),
        ("Success@3", 5),
        ("abstention", 2),
        ("false abstention", 5),
    ]


def test_wins_losses_and_ties_count_questions() -> None:
    rows = {one.measure: one.point for one in hit_differences(CURRENT, CANDIDATE)}
    found = {name: (one.wins, one.losses, one.ties) for name, one in rows.items()}
    assert found == {
        "Success@1": (3, 1, 1),
        "Success@3": (2, 0, 3),
        "abstention": (1, 1, 0),
        # Fewer are better: the one that came back empty does so no more.
        "false abstention": (1, 0, 4),
    }


def test_rates_and_bounds_are_those_of_the_plain_difference() -> None:
    plain = rate_differences(
        build_leg(count_hits(CURRENT), CURRENT), build_leg(count_hits(CANDIDATE), CANDIDATE)
    )
    for one, other in zip(hit_differences(CURRENT, CANDIDATE), plain, strict=True):
        assert (one.measure, one.delta, one.low, one.high, one.questions) == (
            other.measure,
            other.delta,
            other.low,
            other.high,
            other.total,
        )
        assert one.sign_depends_on_failures is other.is_incomplete


def test_a_measure_without_its_kind_of_question_is_left_out() -> None:
    answerable = [one.measure for one in hit_differences(CURRENT[:5], CANDIDATE[:5])]
    assert answerable == ["Success@1", "Success@3", "false abstention"]
    assert [one.measure for one in hit_differences(CURRENT[5:], CANDIDATE[5:])] == ["abstention"]
    assert hit_differences((), ()) == ()


def test_unjudged_questions_are_passed_over_wherever_they_stand() -> None:
    current = (unjudged(0), *CURRENT, unjudged(8))
    candidate = (*CANDIDATE[:3], unjudged(3), *CANDIDATE[3:])
    assert hit_differences(current, candidate) == hit_differences(CURRENT, CANDIDATE)


def test_results_over_other_questions_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        hit_differences(CURRENT, CANDIDATE[:-1])
    other = (dataclasses.replace(CANDIDATE[0], targets=2), *CANDIDATE[1:])
    with pytest.raises(ValueError, match="labels"):
        hit_differences(CURRENT, other)


def test_hits_are_tested_by_mcnemar_and_get_newcombes_interval() -> None:
    current = [True] * 40 + [False] * 12 + [True] * 3 + [False] * 5
    candidate = [True] * 52 + [False] * 8
    point = hit_difference("Success@1", current, candidate).point
    assert point.significance == Significance(p=mcnemar_exact(12, 3), method=Method.MCNEMAR)
    counts = PairedCounts(both=40, candidate_only=12, current_only=3, neither=5)
    assert point.interval == newcombe_interval(counts)


def test_alpha_decides_the_conclusion_and_the_confidence() -> None:
    current, candidate = [True] * 50 + [False] * 6, [True] * 56
    strict = hit_difference("Success@1", current, candidate, alpha=0.01)
    assert strict.conclusion is Conclusion.INCONCLUSIVE
    assert isinstance(strict.interval, Interval)
    assert strict.interval.confidence == 0.99
    assert hit_difference("Success@1", current, candidate).conclusion is Conclusion.BETTER


# A baseline with failures (issue 3, must show 3) ---------------------------------------------


def test_a_worse_candidate_is_never_better_because_the_baseline_failed() -> None:
    """10 of 100 questions fail in the baseline; the candidate is truly 6 points worse."""
    random = np.random.default_rng(20260909)
    runs, questions = 400, 100
    trapped = 0
    for run in range(runs):
        base = (0.8, 0.9, 0.95)[run % 3]
        # Of what the baseline hits the candidate loses some, and it wins some of the rest:
        # its true rate is the baseline's less 0.06.
        wins = 0.03
        current = random.random(questions) < base
        lost = random.random(questions) < (0.06 + wins) / base
        won = random.random(questions) < wins / (1 - base)
        candidate = np.where(current, ~lost, won)
        shown: list[bool | None] = [bool(one) for one in current]
        for position in random.choice(questions, 10, replace=False):
            shown[position] = None
        difference = hit_difference("Success@1", shown, [bool(one) for one in candidate])
        assert difference.conclusion is not Conclusion.BETTER
        trapped += difference.point.direction(0.05) > 0
    # With failures as mere misses it would have been called better now and then.
    assert trapped >= 8


# Graded values -----------------------------------------------------------------------------


def values(n: int, seed: int) -> list[float]:
    drawn: list[float] = np.random.default_rng(seed).random(n).tolist()
    return drawn


def test_graded_values_are_tested_by_randomisation_and_get_a_bootstrap_interval() -> None:
    found = graded_difference(
        "nDCG@10", values(40, 1), values(40, 2), resampling=Resampling(seed=3, resamples=400)
    )
    assert isinstance(found.point.significance, Significance)
    assert isinstance(found.interval, Interval)
    assert (found.point.significance.method, found.point.significance.seed) == (
        Method.RANDOMISATION,
        3,
    )
    assert (found.interval.method, found.interval.seed, found.interval.resamples) == (
        IntervalMethod.STUDENTISED_BOOTSTRAP,
        3,
        400,
    )


def test_the_mean_difference_is_that_of_the_values() -> None:
    found = graded_difference("AP", [0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.3, 0.4, 0.5, 0.6])
    assert float(found.delta) == pytest.approx(0.1, abs=1e-15)
    assert float(found.current) == pytest.approx(0.3, abs=1e-15)
    assert float(found.candidate) == pytest.approx(0.4, abs=1e-15)
    assert (found.point.wins, found.point.losses, found.point.ties) == (5, 0, 0)
    assert found.interval == Refusal(reason=RefusalReason.ZERO_VARIANCE)


def test_values_that_only_rounding_tells_apart_are_equal() -> None:
    found = graded_difference("AP", [0.3, 0.3, 0.5], [0.1 + 0.2, 0.3, 0.5])
    assert found.is_identical
    assert found.delta == 0
    assert found.p == 1.0


def test_failed_values_are_misses_between_bounds() -> None:
    found = graded_difference("AP", [0.5, None, 0.5, 0.5], [0.5, 0.25, None, 0.75])
    assert (found.current_failed, found.candidate_failed) == (1, 1)
    assert (found.current, found.candidate) == (Fraction(3, 8), Fraction(3, 8))
    assert found.delta == 0
    assert found.low == Fraction(-1, 4)
    assert found.high == Fraction(1, 4)
    assert found.conclusion is Conclusion.INCOMPLETE


def test_failed_values_that_could_undo_a_graded_answer_make_it_incomplete() -> None:
    current: list[float | None] = [0.2] * 30
    candidate: list[float | None] = [0.3 + 0.01 * (index % 5) for index in range(30)]
    assert graded_difference("AP", current, candidate).conclusion is Conclusion.BETTER
    missing: list[float | None] = [None] * 3
    found = graded_difference("AP", [*current, *missing], [*candidate, *[0.0] * 3])
    assert found.p is not None
    assert found.p <= 0.05
    assert not found.sign_depends_on_failures
    assert found.conclusion is Conclusion.INCOMPLETE


def test_without_failures_there_is_one_reading() -> None:
    found = graded_difference("AP", values(30, 1), values(30, 2))
    assert found.lowest is found.point is found.highest


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_value_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(InvalidSetting, match=r"^values: must be in \[0, 1\]"):
        graded_difference("AP", [0.1, value], [0.1, 0.2])


def test_graded_values_of_other_questions_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="same number"):
        graded_difference("AP", [0.1], [0.1, 0.2])


def test_no_questions_give_no_number_but_zero_means() -> None:
    for found in (graded_difference("AP", [], []), hit_difference("Success@1", [], [])):
        assert found.questions == found.delta == 0
        assert found.p is None
        assert found.interval == Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
        assert found.conclusion is Conclusion.INCONCLUSIVE


def test_the_order_of_the_questions_does_not_change_a_graded_answer() -> None:
    current, candidate = values(40, 1), values(40, 2)
    found = graded_difference("AP", current, candidate)
    turned = graded_difference("AP", current[::-1], candidate[::-1])
    assert turned.point == found.point
