"""What came of a comparison: comparable, complete, eligible, and by how much?

It says what was measured and decides nothing else: which deployment is used is for an operator to
change, elsewhere and knowingly. Eligible is a candidate whose case is complete, that loses no
critical case, and of which no measure falls beyond the tolerance; beside each difference stands
how low it may really be. Whether it rightly finds nothing is told beside that and not part of it,
but for a suite in which there is nothing else to tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.comparison.cases import Pairs
from evenhand.core.comparison.difference import DEFAULT_MAX_DROP
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.pairing import graded_difference, hit_difference, hit_differences
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K, HitCounts

#: Every measure of a summary, under the name that it is told by.
MEASURES: Final = (
    "success_at_1",
    "success_at_3",
    "reciprocal_rank_at_3",
    "abstention",
    "false_abstention",
    "top1",
    "top3",
)
_RECIPROCAL_RANK: Final = "reciprocal_rank_at_3"
#: By which a candidate is eligible, and by which where no case of the suite is answerable.
_DECIDING: Final = ("success_at_1", "success_at_3", _RECIPROCAL_RANK)
_DECIDING_WITHOUT_ANSWERS: Final = ("abstention",)
#: Why an intent that was not completed is none of the three.
NOT_COMPLETED: Final = "not_completed"

_NAMES: Final[Mapping[str, str]] = {
    "Success@1": "success_at_1",
    "Success@3": "success_at_3",
    "abstention": "abstention",
    "false abstention": "false_abstention",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureLine:
    """One measure of both sides; a failed case is a miss.

    Attributes:
        measure: its name.
        current, candidate: the means, exact.
        delta: candidate less current, exact.
        lower_bound: lower end of the 95 % interval of the difference, the failed cases decided
            against the candidate; the upper end where less is better. None where no interval
            would be honest.
    """

    measure: str
    current: Fraction
    candidate: Fraction
    delta: Fraction
    lower_bound: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LegSummary:
    """One side in numbers.

    Attributes:
        failed: cases that failed.
        abstained: no-answer cases to which nothing came back.
        false_abstained: answerable cases to which nothing came back.
        basis: who saw the rankings come into being.
    """

    failed: int
    abstained: int
    false_abstained: int
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSummary:
    """What came of a completed comparison.

    Attributes:
        comparability_reasons: why it is not comparable; empty where it is.
        eligibility_reasons: why it is not eligible; empty where it is.
        tolerance: how far a measure may fall.
        lines: of each measure whose kind of case occurs, in the order of `MEASURES`.
        critical_regressions: critical cases that current hits within three and candidate does not.
        no_answer_cases: cases that nothing in the corpus answers.
        current, candidate: the two sides.
    """

    comparability_reasons: tuple[str, ...]
    eligibility_reasons: tuple[str, ...]
    tolerance: Fraction
    lines: tuple[MeasureLine, ...]
    critical_regressions: int
    no_answer_cases: int
    current: LegSummary
    candidate: LegSummary

    @property
    def comparable(self) -> bool:
        """Whether both sides were measured on an equal benchmark."""
        return not self.comparability_reasons

    @property
    def complete(self) -> bool:
        """Whether no case failed on either side."""
        return not self.current.failed + self.candidate.failed

    @property
    def eligible(self) -> bool:
        """Whether nothing speaks against the candidate; it authorises nothing (C-89)."""
        return not self.eligibility_reasons


def summarise(
    current: Evaluation, candidate: Evaluation, *, tolerance: Fraction = DEFAULT_MAX_DROP
) -> EvaluationSummary:
    """The summary of two sides that were scored on one suite.

    Args:
        current: what is in production.
        candidate: what is tried.
        tolerance: how far a measure may fall, exactly; a drop equal to it is tolerated.

    Source: statements C-83, C-88, G-55, G-56; DESIGN 8.
    """
    verdict = baseline_verdict(candidate.identity, current.identity, has_previous=True)
    lines = _lines(current.outcomes, candidate.outcomes)
    critical = _critical_regressions(current.golden_set, current.outcomes, candidate.outcomes)
    counts = current.counts
    told = tuple(reason.code.value for reason in verdict.reasons)
    summary = EvaluationSummary(
        comparability_reasons=told,
        eligibility_reasons=(),
        tolerance=tolerance,
        lines=lines,
        critical_regressions=critical,
        no_answer_cases=counts.no_answer,
        current=_leg(counts, current.basis),
        candidate=_leg(candidate.counts, candidate.basis),
    )
    return _decided(summary, _DECIDING if counts.answerable else _DECIDING_WITHOUT_ANSWERS)


def _decided(summary: EvaluationSummary, deciding: Sequence[str]) -> EvaluationSummary:
    reasons = [] if summary.comparable else ["not_comparable"]
    if not summary.complete:
        reasons.append("failed_cases")
    if summary.critical_regressions:
        reasons.append("critical_regression")
    reasons += [
        f"{line.measure}_dropped"
        for line in summary.lines
        if line.measure in deciding and -line.delta > summary.tolerance
    ]
    return replace(summary, eligibility_reasons=tuple(reasons))


def _leg(counts: HitCounts, basis: Basis) -> LegSummary:
    return LegSummary(
        failed=counts.failed,
        abstained=counts.abstained,
        false_abstained=counts.false_abstained,
        basis=basis,
    )


def _lines(current: Sequence[Outcome], candidate: Sequence[Outcome]) -> tuple[MeasureLine, ...]:
    lines = {
        _NAMES[one.measure]: _line(_NAMES[one.measure], one)
        for one in hit_differences(current, candidate)
    }
    answerable = [pair for pair in zip(current, candidate, strict=True) if pair[0].is_answerable]
    if answerable:
        lines[_RECIPROCAL_RANK] = _rank_line(answerable)
    for name, cutoff in (("top1", 1), ("top3", TOP_K)):
        pooled = hit_difference(
            name,
            [_hit(one, cutoff) for one in current],
            [_hit(one, cutoff) for one in candidate],
        )
        lines[name] = _line(name, pooled)
    return tuple(lines[name] for name in MEASURES if name in lines)


def _line(name: str, difference: PairedDifference) -> MeasureLine:
    return MeasureLine(
        measure=name,
        current=difference.current,
        candidate=difference.candidate,
        delta=difference.delta,
        lower_bound=_bound(difference),
    )


def _rank_line(answerable: Pairs) -> MeasureLine:
    """The line of the reciprocal rank: exact, as a third is to no float."""
    ranks = [(_reciprocal_rank(before), _reciprocal_rank(after)) for before, after in answerable]
    before, after = (
        sum((pair[side] or Fraction(0) for pair in ranks), Fraction(0)) / len(ranks)
        for side in (0, 1)
    )
    drawn = graded_difference(
        _RECIPROCAL_RANK,
        [None if one is None else float(one) for one, _ in ranks],
        [None if one is None else float(one) for _, one in ranks],
    )
    return MeasureLine(
        measure=_RECIPROCAL_RANK,
        current=before,
        candidate=after,
        delta=after - before,
        lower_bound=_bound(drawn),
    )


def _bound(difference: PairedDifference) -> float | None:
    interval = difference.cautious.interval
    if not isinstance(interval, Interval):
        return None
    return interval.low if difference.higher_is_better else interval.high


def _reciprocal_rank(outcome: Outcome) -> Fraction | None:
    """Of the first target within three distinct documents; None where it failed."""
    if outcome.state is OutcomeState.FAILED or outcome.window is None:
        return None
    first = outcome.first_target(TOP_K)
    return Fraction(0) if first is None else Fraction(1, first)


def _hit(outcome: Outcome, cutoff: int) -> bool | None:
    return None if outcome.state is OutcomeState.FAILED else outcome.is_hit(cutoff)


def _critical_regressions(
    golden_set: GoldenSet, current: Sequence[Outcome], candidate: Sequence[Outcome]
) -> int:
    asked = zip(golden_set.by_position, current, candidate, strict=True)
    return sum(
        question.critical and before.is_hit(TOP_K) and not after.is_hit(TOP_K)
        for question, before, after in asked
    )
