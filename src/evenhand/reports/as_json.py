"""How does an evaluation become JSON? One versioned document; no text of a question is in it.

Nothing that compares two results has a value unless the verdict is ``comparable``. Load this
module on use: it brings msgspec.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from evenhand.core.comparison.checks import SelfCheck
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.difference import RateDifference
from evenhand.core.comparison.previous import PreviousComparison
from evenhand.core.identity.canonical import to_text
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.coverage import Coverage
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.scoring.graded import Score
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts, Split, rate
from evenhand.core.verdict import Verdict
from evenhand.reports import evaluation_document as document
from evenhand.reports.evaluation_view import latencies, nearest_rank
from evenhand.reports.notices import FIRST_IDS, never_abstained, returned_nothing, short_lists
from evenhand.reports.safe_text import encodable
from evenhand.reports.subject import Subject


def encode_evaluation(subject: Subject, comparison: PreviousComparison | None = None) -> bytes:
    """The document as one line of UTF-8; equal input gives equal bytes."""
    return msgspec.json.encode(evaluation_document(subject, comparison))


def evaluation_document(
    subject: Subject,
    comparison: PreviousComparison | None = None,
    checks: tuple[SelfCheck, ...] = (),
    baseline: Comparison | None = None,
) -> document.EvaluationDocument:
    """The document of one evaluation.

    Args:
        subject: the evaluation.
        comparison: against the previous one, None when nothing was compared.
        checks: what self-checks of the result found.
        baseline: the result against the pinned baseline, None without one.
    """
    record, identity = subject.record, subject.identity
    previous = None if comparison is None else comparison.previous
    return document.EvaluationDocument(
        format=document.FORMAT,
        id=None if record is None else record.id,
        created_at=None if record is None else record.created_at,
        golden_set=document.GoldenSetName(
            identifier=subject.set_identifier, name=_text(subject.set_name)
        ),
        retriever=_text(subject.retriever),
        grader=subject.grader,
        protocol=subject.protocol,
        basis=subject.basis.value,
        privacy=None if record is None else record.privacy.value,
        depth=subject.depth,
        started_at=subject.started_at,
        finished_at=subject.finished_at,
        release=None if record is None else record.release,
        counts=_counts(subject.counts),
        rates=_rates(subject.counts),
        splits=_splits(subject),
        flags=_flags(subject.counts, subject.outcomes),
        # Of a holdout part nothing is told question by question.
        failed_questions=None if subject.is_holdout else _failed(subject.outcomes),
        latency=_latency(subject.outcomes),
        conditions=document.LatencyConditions(
            machine=_text(subject.conditions.machine),
            jobs=subject.conditions.jobs,
            warmup=subject.conditions.warmup,
            batch=subject.conditions.batch,
        ),
        provenance=None if identity is None else identity.provenance.to_dict(),
        fingerprints=_fingerprints(identity),
        verdict=None if comparison is None else _verdict(comparison.verdict),
        previous=None
        if previous is None
        else document.Previous(
            id=previous.id, created_at=previous.created_at, depth=previous.depth
        ),
        treatment_changed=None if comparison is None else comparison.treatment_changed,
        depth_changed=None if comparison is None else comparison.depth_changed,
        differences=_differences(comparison),
        regression=_regression(comparison),
        flips=None if subject.is_holdout else _flips(comparison),
        baseline=None if baseline is None else _baseline(baseline),
        checks=[
            document.Check(
                code=one.code.value,
                questions=one.count,
                looked_at=one.total,
                at_least=one.at_least or msgspec.UNSET,
            )
            for one in checks
        ],
        graded=list(map(graded_document, subject.graded)),
        run_file=None
        if subject.coverage is None
        else _run_file(subject.coverage, is_named=not subject.is_holdout),
    )


def graded_document(score: Score) -> document.GradedScore:
    """One graded value as a part of a document."""
    value = score.value
    return document.GradedScore(
        measure=value.measure,
        mean=value.mean,
        questions=value.questions,
        failed=value.failed,
        protocol=score.protocol,
        depth=score.depth,
        qrels_digest=score.qrels_digest,
        benchmark=score.benchmark,
    )


def _text(text: str) -> str:
    """Text that JSON can carry: a lone surrogate is spelt out."""
    return encodable(text, "utf-8")


def _rate(hits: int, total: int) -> document.Rate:
    return document.Rate(hits=hits, total=total, value=float(rate(hits, total)))


def _counts(counts: HitCounts) -> document.Counts:
    return document.Counts(
        attempted=counts.attempted,
        scored=counts.scored,
        failed=counts.failed,
        unjudged=counts.unjudged,
        questions=counts.questions,
        answerable=counts.answerable,
        no_answer=counts.no_answer,
        top1_hits=counts.top1_hits,
        top3_hits=counts.top3_hits,
        answerable_top1_hits=counts.answerable_top1_hits,
        answerable_top3_hits=counts.answerable_top3_hits,
        abstained=counts.abstained,
        false_abstained=counts.false_abstained,
    )


def _rates(counts: HitCounts) -> document.Rates:
    return document.Rates(
        success_at_1=_rate(counts.answerable_top1_hits, counts.answerable),
        success_at_3=_rate(counts.answerable_top3_hits, counts.answerable),
        abstention=_rate(counts.abstained, counts.no_answer),
        false_abstention=_rate(counts.false_abstained, counts.answerable),
        pooled_top1=_rate(counts.top1_hits, counts.questions),
        pooled_top3=_rate(counts.top3_hits, counts.questions),
    )


def _splits(subject: Subject) -> document.Splits | None:
    if subject.golden_set is None or subject.outcomes is None:
        return None
    return document.Splits(
        form=list(map(_group, subject.forms)), hard_class=list(map(_group, subject.hard_classes))
    )


def _group(split: Split) -> document.Group:
    return document.Group(
        name=_text(split.name), counts=_counts(split.counts), rates=_rates(split.counts)
    )


def _flags(counts: HitCounts, outcomes: tuple[Outcome, ...] | None) -> document.Flags:
    return document.Flags(
        returned_nothing=returned_nothing(counts, outcomes),
        never_abstained=never_abstained(counts, outcomes),
        short_lists=None if outcomes is None else len(short_lists(outcomes)),
    )


def _run_file(coverage: Coverage, *, is_named: bool) -> document.RunFile:
    return document.RunFile(
        absent=len(coverage.absent),
        absent_ids=_first_ids(coverage.absent) if is_named else [],
        absent_no_answer=coverage.absent_no_answer,
        foreign=len(coverage.foreign),
        foreign_ids=_first_ids(coverage.foreign) if is_named else [],
    )


def _first_ids(ids: Sequence[QueryId]) -> list[str]:
    return [_text(to_text(one)) for one in ids[:FIRST_IDS]]


def _failed(outcomes: tuple[Outcome, ...] | None) -> list[document.FailedQuestion] | None:
    if outcomes is None:
        return None
    return [
        document.FailedQuestion(position=outcome.position, error_class=outcome.error_class)
        for outcome in outcomes
        if outcome.error_class is not None
    ]


def _latency(outcomes: tuple[Outcome, ...] | None) -> document.Latency | None:
    measured = latencies(outcomes)
    if not measured:
        return None
    return document.Latency(
        questions=len(measured),
        median_ms=nearest_rank(measured, 50),
        p90_ms=nearest_rank(measured, 90),
    )


def _fingerprints(identity: StoredIdentity | None) -> document.FingerprintDocument | None:
    if identity is None:
        return None
    held = identity.fingerprints
    return document.FingerprintDocument(
        labels=held.labels,
        benchmark=held.benchmark,
        variant=held.variant,
        scoring_version=held.scoring_version,
    )


def _verdict(verdict: Verdict) -> document.VerdictDocument:
    return document.VerdictDocument(
        state=verdict.state.value,
        reasons=[
            document.ReasonDocument(
                code=reason.code.value,
                dimension=reason.dimension.value,
                current=reason.current,
                previous=reason.previous,
            )
            for reason in verdict.reasons
        ],
    )


def _differences(comparison: PreviousComparison | None) -> list[document.Difference] | None:
    if comparison is None or not comparison.verdict.is_comparable:
        return None
    return list(map(_difference, comparison.differences))


def _difference(difference: RateDifference) -> document.Difference:
    return document.Difference(
        measure=difference.measure,
        previous=_rate(difference.previous_hits, difference.total),
        current=_rate(difference.current_hits, difference.total),
        delta=float(difference.delta),
        low=float(difference.low),
        high=float(difference.high),
        incomplete=difference.is_incomplete,
    )


def _regression(comparison: PreviousComparison | None) -> document.Regression | None:
    if comparison is None or comparison.regression is None:
        return None
    return document.Regression(
        top1_regressed=comparison.regression.top1_regressed,
        top3_regressed=comparison.regression.top3_regressed,
    )


def _baseline(comparison: Comparison) -> document.BaselineDocument:
    decided, against = comparison.primary_difference, comparison.current
    interval = None if decided is None else decided.interval
    bounded = interval if isinstance(interval, Interval) else None
    return document.BaselineDocument(
        evaluation_id=against.evaluation_id,
        set_at=against.created_at,
        verdict=_verdict(comparison.verdict),
        measure=comparison.primary,
        conclusion=None if comparison.conclusion is None else comparison.conclusion.value,
        delta=None if decided is None else float(decided.delta),
        low=None if bounded is None else bounded.low,
        high=None if bounded is None else bounded.high,
    )


def _flips(comparison: PreviousComparison | None) -> list[document.FlipDocument] | None:
    if comparison is None or not comparison.verdict.is_comparable or comparison.flips is None:
        return None
    return [
        document.FlipDocument(position=flip.position, won=flip.won) for flip in comparison.flips
    ]
