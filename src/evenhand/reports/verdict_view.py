"""What may be said of a result against the previous one? The verdict first, then what it allows.

A difference, a flag or a flip reaches a report only through a `PreviousComparison`, which holds
none unless the verdict is ``comparable``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from evenhand.core.comparison.checks import SelfCheck
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.difference import PooledRegression, RateDifference
from evenhand.core.comparison.previous import PreviousComparison, Tolerance
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.verdict import Reason, ReasonCode, Verdict
from evenhand.reports import numbers, wording
from evenhand.reports.notices import flag, flags_first, note
from evenhand.reports.safe_text import shown_id, shown_lines
from evenhand.reports.subject import Subject
from evenhand.reports.view import DifferenceView, Notice, ReasonView, VerdictView


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What only the caller knows.

    Attributes:
        command: what runs this retriever on this set again; made from both names when empty.
        declaration: lines by which the retriever would declare what it runs, for ``unknown``.
        pair: what runs the version before and this one over one corpus, for ``mismatch``.
        tolerance: thresholds of the regression flag, None when they are not to be named.
        checks: what self-checks of the result found.
        baseline: the result against the pinned baseline, None without one.
        history: stored results of the set and retriever, newest first.
    """

    command: str = ""
    declaration: str = ""
    pair: str = ""
    tolerance: Tolerance | None = None
    checks: tuple[SelfCheck, ...] = ()
    baseline: Comparison | None = None
    history: tuple[EvaluationRecord, ...] = ()


def build_verdict_view(
    subject: Subject, comparison: PreviousComparison, hints: Hints
) -> VerdictView:
    """The verdict on a result against the previous one."""
    verdict = comparison.verdict
    command = hints.command or wording.run_command(subject.set_identifier, subject.retriever)
    return VerdictView(
        state=verdict.state,
        word=wording.state_word(verdict.state),
        sentence=wording.state_sentence(verdict.state),
        previous=_previous(comparison.previous),
        reasons=reason_views(verdict),
        differences=difference_views(comparison.differences),
        notices=flags_first(_notices(subject, comparison, hints.tolerance)),
        advice=wording.fair_answer(
            verdict,
            shown_lines(command),
            shown_lines(hints.declaration),
            pair=shown_lines(hints.pair),
        ),
    )


def reason_views(
    verdict: Verdict, *, current: str = wording.THIS_RESULT, previous: str = wording.PREVIOUS
) -> tuple[ReasonView, ...]:
    """The reasons by dimension, both values shortened so that they still differ.

    Args:
        verdict: whose reasons.
        current: what the one result is called where it alone is meant.
        previous: what the other is called.
    """
    return tuple(_reason(reason, current, previous) for reason in verdict.reasons)


def difference_views(differences: tuple[RateDifference, ...]) -> tuple[DifferenceView, ...]:
    """Differences written out, with bounds where failed questions leave room."""
    return tuple(map(_difference, differences))


def _reason(reason: Reason, current: str, previous: str) -> ReasonView:
    is_now, was = reason.current or "", reason.previous or ""
    if is_now and was:
        is_now, was = numbers.short_pair(is_now, was)
    # With nothing to compare with, no identity moved.
    is_first = reason.code is ReasonCode.NO_PREVIOUS
    return ReasonView(
        dimension="" if is_first else wording.dimension_word(reason.dimension),
        sentence=wording.reason_sentence(reason.code, current=current, previous=previous),
        current=shown_id(is_now),
        previous=shown_id(was),
    )


def _difference(difference: RateDifference) -> DifferenceView:
    total = difference.total
    delta, low, high = difference.delta, difference.low, difference.high
    hits = difference.current_hits - difference.previous_hits
    return DifferenceView(
        measure=difference.measure[:1].upper() + difference.measure[1:],
        previous=numbers.rate_text(difference.previous_hits, total),
        current=numbers.rate_text(difference.current_hits, total),
        delta=numbers.delta_text(delta, hits),
        bounds="" if low == high else numbers.bounds_text(low, high),
        incomplete=difference.is_incomplete,
        drawn=(float(low), float(delta), float(high)),
        lower_is_better=difference.measure == "false abstention",
    )


def _previous(record: EvaluationRecord | None) -> str:
    if record is None:
        return ""
    return f"{shown_id(record.id)}, stored {numbers.instant_text(record.created_at)}"


def _notices(
    subject: Subject, comparison: PreviousComparison, tolerance: Tolerance | None
) -> Iterator[Notice]:
    incomplete = [one.measure for one in comparison.differences if one.is_incomplete]
    if incomplete:
        yield flag(wording.incomplete(incomplete))
    if comparison.regression is not None and comparison.previous is not None:
        yield _pooled(subject, comparison.previous, comparison.regression, tolerance)
    if comparison.depth_changed and comparison.previous is not None:
        yield flag(
            f"Depth changed: {numbers.count(comparison.previous.depth, 'result')} "
            f"{numbers.verb(comparison.previous.depth, 'was', 'were')} asked for before, "
            f"{subject.depth} now."
        )
    if comparison.treatment_changed and comparison.previous is not None:
        yield note(_treatment(subject, comparison.previous))
    if comparison.flips is None:
        yield note("Which questions flipped is not known: the previous result keeps no outcomes.")


def _pooled(
    subject: Subject,
    previous: EvaluationRecord,
    regression: PooledRegression,
    tolerance: Tolerance | None,
) -> Notice:
    then, now = previous.counts, subject.counts
    top1 = (then.top1_hits, now.top1_hits, regression.top1_regressed)
    top3 = (then.top3_hits, now.top3_hits, regression.top3_regressed)
    limits: tuple[Fraction | None, Fraction | None] = (None, None)
    if tolerance is not None:
        limits = (tolerance.max_top1_drop, tolerance.max_top3_drop)
    moves = "; ".join(
        f"{name} from {numbers.rate_text(before, then.questions)} to "
        f"{numbers.rate_text(after, now.questions)}{_beyond(limit) if fell else ''}"
        for name, (before, after, fell), limit in zip(
            ("top1", "top3"), (top1, top3), limits, strict=True
        )
    )
    if regression.is_regression:
        return flag(f"Regression flag on pooled rates: {moves}.")
    return note(f"Pooled rates within the tolerance: {moves}.")


def _beyond(limit: Fraction | None) -> str:
    named = "" if limit is None else f" of {numbers.decimal(limit)}"
    return f", a drop beyond the tolerance{named}"


def _treatment(subject: Subject, previous: EvaluationRecord) -> str:
    text = "Treatment changed"
    if subject.identity is None or previous.identity is None:
        return f"{text}."
    now, then = subject.identity.provenance, previous.identity.provenance
    sides = (
        ("model", then.model_revision, now.model_revision),
        ("chunking", then.chunking_identity, now.chunking_identity),
        ("pipeline", then.pipeline_identity, now.pipeline_identity),
    )
    moved = [
        "{} from {} to {}".format(name, *numbers.short_pair(was, is_now))
        for name, was, is_now in sides
        if was != is_now
    ]
    return f"{text}, as declared: {'; '.join(moved)}."
