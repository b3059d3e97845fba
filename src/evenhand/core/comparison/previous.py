"""What does a fresh result say against the previous one of its series, if anything at all?

Without a ``comparable`` verdict there is no difference, no regression and no flip in the value,
so that nothing downstream could show one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.comparison.difference import (
    DEFAULT_MAX_DROP,
    PooledRegression,
    RateDifference,
    build_leg,
    pooled_regression,
    rate_differences,
)
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a pooled rate may fall before it counts as a regression.

    Attributes:
        max_top1_drop, max_top3_drop: exact shares in [0, 1]; a drop equal to it is tolerated.
    """

    max_top1_drop: Fraction = DEFAULT_MAX_DROP
    max_top3_drop: Fraction = DEFAULT_MAX_DROP


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A question whose top-1 hit was won or lost between two comparable results.

    Attributes:
        position: index of the question in byte order of the ids of the current result.
        won: True when it is a hit now and was none before.
    """

    position: int
    won: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousComparison:
    """A result against the immediately preceding one of its series.

    Attributes:
        verdict: whether the two may be compared, and why not.
        previous: the preceding record, None when there is none.
        treatment_changed: comparable, and the variant differs.
        depth_changed: the depths asked for differ, whatever the verdict.
        differences: empty unless comparable.
        regression: None unless comparable.
        flips: won and lost top-1 hits by position; empty unless comparable, None where a side
            keeps no outcomes.
    """

    verdict: Verdict
    previous: EvaluationRecord | None
    treatment_changed: bool = False
    depth_changed: bool = False
    differences: tuple[RateDifference, ...] = ()
    regression: PooledRegression | None = None
    flips: tuple[Flip, ...] | None = ()


def compare_with_previous(
    current: EvaluationRecord,
    current_outcomes: tuple[Outcome, ...],
    previous: EvaluationRecord | None,
    previous_outcomes: tuple[Outcome, ...] | None,
    tolerance: Tolerance,
) -> PreviousComparison:
    """Verdict first; difference, regression and flips only when it is ``comparable``.

    Args:
        current: the fresh result.
        current_outcomes: its outcomes by position.
        previous: the immediately preceding result of the series, None when there is none.
        previous_outcomes: its outcomes, None where its privacy level kept none.
        tolerance: thresholds of the regression flag.
    """
    verdict = baseline_verdict(
        current.identity,
        None if previous is None else previous.identity,
        has_previous=previous is not None,
    )
    depth_changed = previous is not None and previous.depth != current.depth
    if previous is None or not verdict.is_comparable:
        return PreviousComparison(verdict=verdict, previous=previous, depth_changed=depth_changed)
    return PreviousComparison(
        verdict=verdict,
        previous=previous,
        treatment_changed=_variant(current) != _variant(previous),
        depth_changed=depth_changed,
        differences=rate_differences(
            build_leg(previous.counts, previous_outcomes),
            build_leg(current.counts, current_outcomes),
        ),
        regression=pooled_regression(
            previous.counts,
            current.counts,
            max_top1_drop=tolerance.max_top1_drop,
            max_top3_drop=tolerance.max_top3_drop,
        ),
        flips=None if previous_outcomes is None else flips(previous_outcomes, current_outcomes),
    )


def flips(previous: tuple[Outcome, ...], current: tuple[Outcome, ...]) -> tuple[Flip, ...]:
    """Judged questions whose top-1 hit changed, by position.

    Equal labels mean the same judged questions on both sides, in the same order. Unjudged ones
    are in no labels digest, so either side may have others: they shift positions, and are
    passed over here.

    Raises:
        ValueError: the two have not the same number of judged questions.
    """
    return tuple(
        Flip(position=now.position, won=now.is_hit(1))
        for before, now in zip(_judged(previous), _judged(current), strict=True)
        if before.is_hit(1) != now.is_hit(1)
    )


def _judged(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    return tuple(one for one in outcomes if one.state is not OutcomeState.UNJUDGED)


def _variant(record: EvaluationRecord) -> str | None:
    return None if record.identity is None else record.identity.fingerprints.variant
