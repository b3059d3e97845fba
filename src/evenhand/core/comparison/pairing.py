"""How do the outcomes and values of two comparable results become paired differences?

A failed question is a miss in the number that is shown. Beside it stand the two extremes: every
failed question decided for, and against, a positive difference (DESIGN 2, point 3).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from evenhand.core.comparison.paired import PairedDifference, Reading
from evenhand.core.errors import InvalidSetting
from evenhand.core.scoring.intervals import PairedCounts, mean_interval, newcombe_interval
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.power import ALPHA
from evenhand.core.scoring.significance import (
    FEWEST_QUESTIONS,
    RESAMPLES,
    SEED,
    Method,
    Refusal,
    RefusalReason,
    Significance,
    mcnemar_exact,
    randomisation_test,
    without_dust,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Whether a question is a hit; None where its retrieval failed.
Hits = Sequence[bool | None]
#: A question's graded value; None where its retrieval failed.
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """How much is drawn, from which seed.

    Attributes:
        seed: of the generators; the same seed gives the same answer.
        resamples: sign assignments and bootstrap samples, at least 1.
    """

    seed: int = SEED
    resamples: int = RESAMPLES


class _HitMeasure(NamedTuple):
    """A rate of the hits protocol: over which questions, and what counts."""

    name: str
    is_asked: Callable[[Outcome], bool]
    counts: Callable[[Outcome], bool]
    higher_is_better: bool = True


_HIT_MEASURES: Final = (
    _HitMeasure("Success@1", lambda one: one.is_answerable, lambda one: one.is_hit(1)),
    _HitMeasure("Success@3", lambda one: one.is_answerable, lambda one: one.is_hit(3)),
    _HitMeasure("abstention", lambda one: one.is_no_answer, lambda one: one.is_hit(1)),
    _HitMeasure(
        "false abstention",
        lambda one: one.is_answerable,
        lambda one: one.window == 0,
        higher_is_better=False,
    ),
)


def hit_differences(
    current: Sequence[Outcome], candidate: Sequence[Outcome], *, alpha: float = ALPHA
) -> tuple[PairedDifference, ...]:
    """Success@1, Success@3, abstention and false abstention of two comparable results.

    Args:
        current: outcomes of the current side, by position.
        candidate: of the candidate, over equal labels. Unjudged questions are passed over: they
            are in no labels digest, and either side may have others.
        alpha: significance level; the intervals have a confidence of 1 - alpha.

    Returns:
        The measures whose kind of question occurs, in that order.

    Raises:
        ValueError: the judged questions of the two are not the same.
    """
    pairs = list(zip(_judged(current), _judged(candidate), strict=True))
    if any(before.targets != after.targets for before, after in pairs):
        raise ValueError("the two results have other labels")
    differences = []
    for measure in _HIT_MEASURES:
        asked = [pair for pair in pairs if measure.is_asked(pair[0])]
        if asked:
            differences.append(
                hit_difference(
                    measure.name,
                    [_hit(measure, before) for before, _ in asked],
                    [_hit(measure, after) for _, after in asked],
                    higher_is_better=measure.higher_is_better,
                    alpha=alpha,
                )
            )
    return tuple(differences)


def hit_difference(
    measure: str,
    current: Hits,
    candidate: Hits,
    *,
    higher_is_better: bool = True,
    alpha: float = ALPHA,
) -> PairedDifference:
    """Difference of a rate: exact McNemar test, Newcombe's interval.

    Args:
        measure: name of the rate.
        current: of the current side, one per question, in the same order as the candidate's.
        candidate: of the candidate.
        higher_is_better: whether more hits are good.
        alpha: significance level, in (0, 1).

    Raises:
        ValueError: not as many on one side as on the other.
        InvalidSetting: alpha outside its range.
    """
    cells = Counter(zip(current, candidate, strict=True))
    questions = cells.total()

    def reading(*, current_failed: bool, candidate_failed: bool) -> Reading:
        decided: Counter[tuple[bool, bool]] = Counter()
        for (before, after), count in cells.items():
            hit_before = current_failed if before is None else before
            hit_after = candidate_failed if after is None else after
            decided[hit_before, hit_after] += count
        return _hit_reading(decided, alpha, higher_is_better=higher_is_better)

    return PairedDifference(
        measure=measure,
        higher_is_better=higher_is_better,
        questions=questions,
        current_failed=sum(count for (before, _), count in cells.items() if before is None),
        candidate_failed=sum(count for (_, after), count in cells.items() if after is None),
        current=_mean(sum(count for (before, _), count in cells.items() if before), questions),
        candidate=_mean(sum(count for (_, after), count in cells.items() if after), questions),
        point=reading(current_failed=False, candidate_failed=False),
        lowest=reading(current_failed=True, candidate_failed=False),
        highest=reading(current_failed=False, candidate_failed=True),
        alpha=alpha,
    )


def graded_difference(
    measure: str,
    current: Values,
    candidate: Values,
    *,
    alpha: float = ALPHA,
    resampling: Resampling | None = None,
) -> PairedDifference:
    """Difference of the mean of a graded measure: randomisation test, bootstrap interval.

    Args:
        measure: name of the measure; higher is better.
        current: values in [0, 1] of the current side, one per question, in the same order as the
            candidate's.
        candidate: of the candidate.
        alpha: significance level, in (0, 1).
        resampling: by default 10,000 from a fixed seed.

    Raises:
        ValueError: not as many on one side as on the other.
        InvalidSetting: a value outside [0, 1], or another argument outside its range.
    """
    import numpy as np

    if len(current) != len(candidate):
        raise ValueError("the two results have not the same number of questions")
    drawn = resampling or Resampling()

    def legs(*, current_failed: float, candidate_failed: float) -> NDArray[np.float64]:
        before = [current_failed if value is None else value for value in current]
        after = [candidate_failed if value is None else value for value in candidate]
        return np.array([before, after], dtype=np.float64).reshape(2, -1)

    shown = legs(current_failed=0.0, candidate_failed=0.0)
    # Not a comparison with NaN, which is never outside.
    if not ((shown >= 0) & (shown <= 1)).all():
        raise InvalidSetting("values", "must be in [0, 1]")
    point = _graded_reading(shown, alpha, drawn)
    lowest = highest = point
    if None in current or None in candidate:
        lowest = _graded_reading(legs(current_failed=1.0, candidate_failed=0.0), alpha, drawn)
        highest = _graded_reading(legs(current_failed=0.0, candidate_failed=1.0), alpha, drawn)
    questions = len(current)
    has_spread = questions >= FEWEST_QUESTIONS
    return PairedDifference(
        measure=measure,
        higher_is_better=True,
        questions=questions,
        current_failed=sum(value is None for value in current),
        candidate_failed=sum(value is None for value in candidate),
        current=_mean(math.fsum(shown[0]), questions),
        candidate=_mean(math.fsum(shown[1]), questions),
        point=point,
        lowest=lowest,
        highest=highest,
        alpha=alpha,
        spread=float(np.std(_differences(shown), ddof=1)) if has_spread else 0.0,
    )


def _judged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.state is not OutcomeState.UNJUDGED]


def _hit(measure: _HitMeasure, outcome: Outcome) -> bool | None:
    return None if outcome.state is OutcomeState.FAILED else measure.counts(outcome)


def _hit_reading(
    cells: Counter[tuple[bool, bool]], alpha: float, *, higher_is_better: bool
) -> Reading:
    gained, lost, questions = cells[False, True], cells[True, False], cells.total()
    counts = PairedCounts(
        both=cells[True, True],
        candidate_only=gained,
        current_only=lost,
        neither=cells[False, False],
    )
    significance = _mcnemar(gained, lost, questions)
    return Reading(
        wins=gained if higher_is_better else lost,
        losses=lost if higher_is_better else gained,
        ties=questions - gained - lost,
        delta=_mean(gained - lost, questions),
        significance=significance,
        interval=newcombe_interval(counts, confidence=1 - alpha),
        adjusted_p=_p(significance),
    )


def _mcnemar(gained: int, lost: int, questions: int) -> Significance | Refusal:
    if questions < FEWEST_QUESTIONS:
        return Refusal(reason=RefusalReason.TOO_FEW_QUESTIONS)
    return Significance(p=mcnemar_exact(gained, lost), method=Method.MCNEMAR)


def _graded_reading(legs: NDArray[np.float64], alpha: float, drawn: Resampling) -> Reading:
    differences = _differences(legs)
    significance = randomisation_test(differences, seed=drawn.seed, resamples=drawn.resamples)
    return Reading(
        wins=int((differences > 0).sum()),
        losses=int((differences < 0).sum()),
        ties=int((differences == 0).sum()),
        delta=_mean(math.fsum(differences), differences.size),
        significance=significance,
        interval=mean_interval(
            differences, confidence=1 - alpha, seed=drawn.seed, resamples=drawn.resamples
        ),
        adjusted_p=_p(significance),
    )


def _differences(legs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Candidate less current; what is only rounding of equal values is zero."""
    import numpy as np

    return without_dust(legs[1] - legs[0], scale=float(np.abs(legs).max(initial=0.0)))


def _p(significance: Significance | Refusal) -> float | None:
    return None if isinstance(significance, Refusal) else significance.p


def _mean(total: float, questions: int) -> Fraction:
    """Exact; 0 without any question, as `rate` says."""
    return Fraction(total) / questions if questions else Fraction(0)
