"""What does a gate demand of a candidate against a comparable baseline?

Each decision that rests on a difference is taken three times: with the failed questions as
misses, and with all of them decided against, and for, a positive difference. Where the three
disagree the gate says ``incomplete`` instead of choosing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from evenhand.core.comparison.cases import judged_questions, pair_outcomes
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.gate_policy import CriticalRule, GatePolicy, question_digest
from evenhand.core.comparison.gate_result import GateCode, GateFinding, GateState, unless
from evenhand.core.comparison.paired import PairedDifference, Reading, as_family
from evenhand.core.comparison.speed import LatencyDifference
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.protocols import TOP_K
from evenhand.core.scoring.significance import Refusal

_NO_FALL: Final = "no significant fall"


def adjusted_family(policy: GatePolicy, comparison: Comparison) -> tuple[PairedDifference, ...]:
    """The differences that the policy tests together, adjusted by Holm's method.

    A measure whose kind of question does not occur in the set is left out.
    """
    named = {one.measure: one for one in comparison.differences}
    return as_family([named[name] for name in policy.family if name in named])


def difference_findings(
    policy: GatePolicy, comparison: Comparison, family: Sequence[PairedDifference]
) -> Iterator[GateFinding]:
    """What the primary measure and the others of its family say.

    Args:
        policy: what is demanded.
        comparison: comparable.
        family: see `adjusted_family`.
    """
    named = {one.measure: one for one in family}
    primary = named.get(policy.primary)
    if primary is None:
        yield GateFinding(
            code=GateCode.MARGIN,
            measure=policy.primary,
            state=GateState.INCOMPLETE,
            wanted=-policy.margin,
        )
    else:
        yield from _primary(policy, comparison, primary)
    for name in policy.also_test:
        difference = named.get(name)
        yield GateFinding(
            code=GateCode.FAMILY,
            measure=name,
            state=GateState.INCOMPLETE if difference is None else _significant_fall(difference),
            found=None if difference is None else difference.delta,
            wanted=_NO_FALL,
        )


def critical_findings(
    policy: GatePolicy, comparison: Comparison, golden_set: GoldenSet
) -> Iterator[GateFinding]:
    """Critical questions that the baseline hits within the first three and the candidate not.

    A failed question is a miss on its side (G-55).

    Args:
        policy: what is demanded.
        comparison: comparable.
        golden_set: what the candidate was asked.
    """
    before, after = comparison.current.outcomes, comparison.candidate.outcomes
    rule = policy.critical
    asked = judged_questions(golden_set)
    digests = {question_digest(question.id) for question in asked} if rule.questions else set()
    absent = set(rule.questions) - digests
    if absent:
        yield GateFinding(
            code=GateCode.CRITICAL_ABSENT, state=GateState.INCOMPLETE, found=len(absent), wanted=0
        )
    if before is None or after is None:
        return
    pairs = zip(asked, pair_outcomes(before, after), strict=True)
    critical = [pair for question, pair in pairs if _is_critical(rule, question)]
    if not critical:
        return
    lost = tuple(
        now.position for was, now in critical if was.is_hit(TOP_K) and not now.is_hit(TOP_K)
    )
    yield GateFinding(
        code=GateCode.CRITICAL,
        state=unless(broken=len(lost) > rule.max_regressions, state=GateState.FAIL),
        found=len(lost),
        wanted=rule.max_regressions,
        positions=lost,
    )


def latency_findings(policy: GatePolicy, comparison: Comparison) -> Iterator[GateFinding]:
    """Ratio of the median latencies, where the conditions of the two sides are equal.

    Args:
        policy: what is demanded.
        comparison: comparable.
    """
    limit = policy.max_median_ratio
    if limit is None:
        return
    latency = comparison.latency
    if not isinstance(latency, LatencyDifference) or not latency.current_ms:
        # Nothing can be said of it here; a gate that only one machine can pass is no gate.
        yield GateFinding(code=GateCode.LATENCY, wanted=limit, is_flag=True)
        return
    ratio = Fraction(latency.candidate_ms, latency.current_ms)
    yield GateFinding(
        code=GateCode.LATENCY,
        state=unless(broken=ratio > limit, state=GateState.FAIL),
        found=ratio,
        wanted=limit,
    )


def is_unchanged(comparison: Comparison, difference: PairedDifference) -> bool:
    """Whether nothing that is declared changed, and no question answered otherwise.

    Then there is nothing to be uncertain about, however small the set.
    """
    before, now = comparison.current.variant, comparison.candidate.variant
    failed = difference.current_failed + difference.candidate_failed
    # An unknown variant equals nothing, not even another unknown one.
    return before is not None and before == now and difference.is_identical and not failed


def worst_bound(difference: PairedDifference, reading: Reading) -> float | None:
    """The bound of the interval on the bad side, as a change for the better; None without one."""
    if not isinstance(reading.interval, Interval):
        return None
    return reading.interval.low if difference.higher_is_better else -reading.interval.high


def _primary(
    policy: GatePolicy, comparison: Comparison, difference: PairedDifference
) -> Iterator[GateFinding]:
    state = _agreed(
        [_against_margin(difference, one, policy.margin) for one in _readings(difference)]
    )
    if is_unchanged(comparison, difference):
        state = GateState.PASS
    yield GateFinding(
        code=GateCode.MARGIN,
        measure=difference.measure,
        state=state,
        found=_bound_or_reason(difference),
        wanted=-policy.margin,
    )
    if state is GateState.PASS and _is_worse(difference, difference.point):
        yield GateFinding(
            code=GateCode.WORSE_WITHIN_MARGIN,
            measure=difference.measure,
            found=difference.delta,
            is_flag=True,
        )
    drop = -difference.delta if difference.higher_is_better else difference.delta
    yield GateFinding(
        code=GateCode.POINT_DROP,
        measure=difference.measure,
        found=drop,
        wanted=policy.max_drop,
        is_flag=drop > policy.max_drop,
    )


def _readings(difference: PairedDifference) -> tuple[Reading, Reading, Reading]:
    return difference.point, difference.lowest, difference.highest


def _agreed(states: Sequence[GateState]) -> GateState:
    return states[0] if len(set(states)) == 1 else GateState.INCOMPLETE


def _against_margin(difference: PairedDifference, reading: Reading, margin: Fraction) -> GateState:
    worst, best = worst_bound(difference, reading), _best_bound(difference, reading)
    if worst is None or best is None:
        # A difference can be beyond chance though nothing bounds it: all questions lost alike.
        gain = reading.delta if difference.higher_is_better else -reading.delta
        is_beyond = gain <= -margin and _is_worse(difference, reading)
        return GateState.FAIL if is_beyond else GateState.INCONCLUSIVE
    if worst > -margin:
        return GateState.PASS
    if best <= -margin or _is_worse(difference, reading):
        return GateState.FAIL
    return GateState.INCONCLUSIVE


def _bound_or_reason(difference: PairedDifference) -> float | str | None:
    interval = difference.point.interval
    if isinstance(interval, Refusal):
        return interval.reason.value
    return worst_bound(difference, difference.point)


def _best_bound(difference: PairedDifference, reading: Reading) -> float | None:
    if not isinstance(reading.interval, Interval):
        return None
    return reading.interval.high if difference.higher_is_better else -reading.interval.low


def _significant_fall(difference: PairedDifference) -> GateState:
    return _agreed(
        [
            unless(broken=_is_worse(difference, one), state=GateState.FAIL)
            for one in _readings(difference)
        ]
    )


def _is_worse(difference: PairedDifference, reading: Reading) -> bool:
    return reading.direction(difference.alpha) == (-1 if difference.higher_is_better else 1)


def _is_critical(rule: CriticalRule, question: GoldenQuestion) -> bool:
    if rule.marked and question.critical:
        return True
    return bool(rule.questions) and question_digest(question.id) in rule.questions
