"""May two results be compared on a graded measure, and what is then the difference?

The benchmark fingerprint of the very measure decides (settled 2): it binds corpus and labels to the
judgements, the protocol, the measure and the depth. So one grade that somebody changed leaves the
hits comparable and the graded measures not.
"""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.core.comparison.baseline import baseline_state
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.pairing import graded_difference
from evenhand.core.comparison.side import Side
from evenhand.core.errors import Invalid, InvalidSetting
from evenhand.core.identity.graded import GradedScale
from evenhand.core.scoring.graded import question_values
from evenhand.core.scoring.measures import GRADED_VERSION, Measure
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.verdict import Dimension, Reason, ReasonCode, Verdict, VerdictState

_NO_MEAN = "is a count; only means of values between 0 and 1 are compared"


def require_comparable_measure(measure: Measure) -> Measure:
    """The measure, if differences of it can be tested.

    Raises:
        InvalidSetting: its values are whole numbers.
    """
    if measure.is_count:
        raise InvalidSetting(str(measure), _NO_MEAN)
    return measure


def scale_of(side: Side, measure: Measure, protocol: str = GRADED_VERSION) -> GradedScale:
    """What a value of a measure is measured with on one side."""
    return GradedScale(
        protocol=protocol,
        qrels_digest=side.qrels_digest,
        measure=str(measure),
        depth=side.depth,
    )


def graded_verdict(current: Side, candidate: Side, measure: Measure) -> Verdict:
    """Whether two results may be compared on a graded measure, with what moved.

    As in every verdict the candidate is the later result: it is what reasons call ``current``.

    Args:
        current: the current side.
        candidate: the candidate.
        measure: on which they would be compared.
    """
    benchmarks = [
        scale_of(side, measure).benchmark(side.identity) for side in (candidate, current)
    ]
    state = baseline_state(*benchmarks, has_previous=True)
    if state is VerdictState.COMPARABLE:
        return Verdict(state=state)
    reasons = _unknown(current, candidate) or _moved(current, candidate)
    return Verdict(state=state, reasons=reasons)


def graded_pair_difference(
    measure: Measure,
    current: Sequence[Outcome],
    candidate: Sequence[Outcome],
    *,
    alpha: float,
) -> PairedDifference | None:
    """Candidate less current on a graded measure; None where it speaks of no question.

    Args:
        measure: which one.
        current: outcomes of the current side, by position.
        candidate: of the candidate, over the same judgements.
        alpha: significance level; the interval has a confidence of 1 - alpha.

    Raises:
        Invalid: outcomes that cannot be those of equal judgements, such as an edited file has.
        GradesUnknown: the grades behind a judged question were not kept.
    """
    before, after = question_values(measure, current), question_values(measure, candidate)
    if len(before) != len(after):
        raise Invalid("outcomes: the two sides state equal judgements and have other ones")
    if not before:
        return None
    return graded_difference(
        str(measure),
        [one.value for one in before],
        [one.value for one in after],
        alpha=alpha,
    )


def _unknown(current: Side, candidate: Side) -> tuple[Reason, ...]:
    sides = (
        (candidate, ReasonCode.CURRENT_UNKNOWN, ReasonCode.CURRENT_GRADES_UNKNOWN),
        (current, ReasonCode.PREVIOUS_UNKNOWN, ReasonCode.PREVIOUS_GRADES_UNKNOWN),
    )
    reasons = []
    for side, without_identity, without_grades in sides:
        if side.identity is None:
            reasons.append(Reason(code=without_identity, dimension=Dimension.PROVENANCE))
        elif side.qrels_digest is None:
            reasons.append(Reason(code=without_grades, dimension=Dimension.LABELS))
    return tuple(reasons)


def _moved(current: Side, candidate: Side) -> tuple[Reason, ...]:
    corpora = [
        None if side.identity is None else side.identity.provenance.corpus_revision
        for side in (candidate, current)
    ]
    reasons = []
    if corpora[0] != corpora[1]:
        reasons.append(_reason(ReasonCode.CORPUS_CHANGED, Dimension.CORPUS, *corpora))
    if current.labels != candidate.labels:
        reasons.append(
            _reason(ReasonCode.LABELS_CHANGED, Dimension.LABELS, candidate.labels, current.labels)
        )
    elif current.qrels_digest != candidate.qrels_digest:
        # Other labels have other judgements; of equal labels a grade was changed.
        digests = (candidate.qrels_digest, current.qrels_digest)
        reasons.append(_reason(ReasonCode.GRADES_CHANGED, Dimension.LABELS, *digests))
    if current.depth != candidate.depth:
        depths = (str(candidate.depth), str(current.depth))
        reasons.append(_reason(ReasonCode.DEPTH_CHANGED, Dimension.SCORING, *depths))
    return tuple(reasons)


def _reason(
    code: ReasonCode, dimension: Dimension, current: str | None, previous: str | None
) -> Reason:
    return Reason(code=code, dimension=dimension, current=current, previous=previous)
