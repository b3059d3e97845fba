"""Is the previous result a baseline for the current one? States of BP-22, reasons beside them."""

from __future__ import annotations

from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.verdict import Dimension, Reason, ReasonCode, Verdict, VerdictState


def baseline_state(
    current_benchmark: str | None, previous_benchmark: str | None, *, has_previous: bool
) -> VerdictState:
    """State of a current result against the immediately preceding one of its series.

    Args:
        current_benchmark: benchmark fingerprint, None when unknown.
        previous_benchmark: the previous one's, None when unknown or when there is none.
        has_previous: whether there is a previous result at all.

    Returns:
        ``unknown`` first: an unknown current result is no baseline either. Two unknowns are
        never equal (DESIGN 2.4).
    """
    if current_benchmark is None:
        return VerdictState.UNKNOWN
    if not has_previous:
        return VerdictState.BASELINE
    if previous_benchmark is None:
        return VerdictState.UNKNOWN
    equal = current_benchmark == previous_benchmark
    return VerdictState.COMPARABLE if equal else VerdictState.MISMATCH


def baseline_verdict(
    current: StoredIdentity | None, previous: StoredIdentity | None, *, has_previous: bool
) -> Verdict:
    """Verdict on a current result against the previous one, with the dimensions that moved.

    Args:
        current: identity of the current result, None when unknown.
        previous: identity of the previous one, None when unknown or when there is none.
        has_previous: whether there is a previous result at all.
    """
    state = baseline_state(
        None if current is None else current.fingerprints.benchmark,
        None if previous is None else previous.fingerprints.benchmark,
        has_previous=has_previous,
    )
    return Verdict(state=state, reasons=_reasons(state, current, previous, has_previous))


def require_size(verdict: Verdict, current: HitCounts, previous: HitCounts) -> Verdict:
    """The verdict, but never ``comparable`` where the numbers of questions differ.

    Labels that are one have one number of questions. Where they are only stated, as of a set that
    is described, the numbers can contradict them; then the labels cannot be the same.

    Args:
        verdict: on the two identities.
        current: counts of the current result.
        previous: of the previous one.
    """
    differ = (current.questions, current.answerable) != (previous.questions, previous.answerable)
    if not (verdict.is_comparable and differ):
        return verdict
    reason = Reason(code=ReasonCode.LABELS_CHANGED, dimension=Dimension.LABELS)
    return Verdict(state=VerdictState.MISMATCH, reasons=(reason,))


def _reasons(
    state: VerdictState,
    current: StoredIdentity | None,
    previous: StoredIdentity | None,
    has_previous: bool,  # noqa: FBT001 -- private, passed through
) -> tuple[Reason, ...]:
    if state is VerdictState.COMPARABLE:
        return ()
    if state is VerdictState.BASELINE:
        return (Reason(code=ReasonCode.NO_PREVIOUS, dimension=Dimension.PROVENANCE),)
    reasons = []
    if current is None:
        reasons.append(Reason(code=ReasonCode.CURRENT_UNKNOWN, dimension=Dimension.PROVENANCE))
    if previous is None and has_previous:
        reasons.append(Reason(code=ReasonCode.PREVIOUS_UNKNOWN, dimension=Dimension.PROVENANCE))
    if current is not None and previous is not None:
        reasons.extend(_moved(current, previous))
    return tuple(reasons)


def _moved(current: StoredIdentity, previous: StoredIdentity) -> list[Reason]:
    now, before = current.fingerprints, previous.fingerprints
    sides = (
        (
            ReasonCode.CORPUS_CHANGED,
            Dimension.CORPUS,
            current.provenance.corpus_revision,
            previous.provenance.corpus_revision,
        ),
        (ReasonCode.LABELS_CHANGED, Dimension.LABELS, now.labels, before.labels),
        (
            ReasonCode.SCORING_CHANGED,
            Dimension.SCORING,
            now.scoring_version,
            before.scoring_version,
        ),
    )
    return [
        Reason(code=code, dimension=dimension, current=is_now, previous=was)
        for code, dimension, is_now, was in sides
        if is_now != was
    ]
