"""How does a comparison become JSON? Load this module on use: it brings msgspec."""

from __future__ import annotations

from dataclasses import asdict

import msgspec

from evenhand.core.comparison.cases import Flip, Placing, judged_questions
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.comparison.coverage import JudgedAt
from evenhand.core.comparison.graded import scale_of
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.set_use import SetUseCounts
from evenhand.core.comparison.side import Side
from evenhand.core.comparison.speed import LatencyDifference, NoLatency
from evenhand.core.identity.canonical import to_text
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.intervals import Interval
from evenhand.core.scoring.measures import GRADED_VERSION
from evenhand.core.scoring.power import Detectable
from evenhand.core.scoring.significance import Method, Refusal, Significance
from evenhand.core.verdict import Reason, ReasonCode
from evenhand.reports import comparison_document as document
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.reports.evaluation_document import Counts, FingerprintDocument, LatencyConditions
from evenhand.reports.safe_text import encodable

#: Tests that look at every case there is.
_EXACT = frozenset({Method.MCNEMAR, Method.RANDOMISATION_EXACT})
#: In the reasons of a comparison's verdict the candidate is the later result.
_CODES = {
    ReasonCode.CURRENT_UNKNOWN: "candidate_unknown",
    ReasonCode.PREVIOUS_UNKNOWN: "current_unknown",
    ReasonCode.CURRENT_GRADES_UNKNOWN: "candidate_grades_unknown",
    ReasonCode.PREVIOUS_GRADES_UNKNOWN: "current_grades_unknown",
}


def comparison_document(
    comparison: Comparison,
    *,
    golden_set: GoldenSet | None = None,
    hints: ComparisonHints | None = None,
    uses: SetUseCounts | None = None,
) -> document.ComparisonDocument:
    """The document of one comparison.

    Args:
        comparison: the value.
        golden_set: the set at hand; ids are given only where its labels are those of both sides.
        hints: what only the caller knows.
        uses: how often the set was decided on.
    """
    advice = build_comparison_view(comparison, hints=hints).advice
    known = comparison.is_comparable and not comparison.lacks_outcomes
    # A part that is held out is told in sums alone.
    is_shown = known and not comparison.is_holdout
    moves, latency = comparison.rank_moves, comparison.latency
    return document.ComparisonDocument(
        format="evenhand.comparison/1",
        verdict=document.VerdictDocument(
            state=comparison.verdict.state,
            reasons=list(map(_reason, comparison.verdict.reasons)),
        ),
        current=_side(comparison.current, comparison),
        candidate=_side(comparison.candidate, comparison),
        primary=comparison.primary,
        depth_changed=comparison.depth_changed,
        checks=[
            document.CheckDocument(
                code=one.code,
                side=one.which,
                questions=one.count,
                looked_at=one.total,
                at_least=one.at_least or msgspec.UNSET,
            )
            for one in comparison.checks
        ],
        set_uses=None if uses is None else uses.total,
        conclusion=comparison.conclusion,
        treatment_changed=comparison.treatment_changed if comparison.is_comparable else None,
        differences=[
            difference_document(one, primary=comparison.primary) for one in comparison.differences
        ]
        if known
        else None,
        flips=_flips(comparison, golden_set) if is_shown else None,
        rank_moves=None if moves is None else document.RankMovesDocument(**asdict(moves)),
        splits=_splits(comparison) if is_shown else None,
        latency=None if latency is None else _latency(latency),
        judged=list(map(_judged, comparison.judged)) if known else None,
        fair_answer=None if advice is None else _text(advice.commands[-1]),
        graded=_graded(comparison),
    )


def comparisons_document(
    documents: list[document.ComparisonDocument],
) -> document.ComparisonsDocument:
    """The document of several candidates against one current side."""
    return document.ComparisonsDocument(format="evenhand.comparisons/1", comparisons=documents)


def _text(text: str) -> str:
    """Text that JSON can carry: a lone surrogate is spelt out."""
    return encodable(text, "utf-8")


def _reason(reason: Reason) -> document.ReasonDocument:
    return document.ReasonDocument(
        code=_CODES.get(reason.code, reason.code.value),
        dimension=document.Dimension(reason.dimension.value),
        current=reason.previous,
        candidate=reason.current,
    )


def _side(side: Side, comparison: Comparison) -> document.SideDocument:
    counts, identity = side.counts, side.identity
    return document.SideDocument(
        evaluation_id=side.evaluation_id,
        created_at=side.created_at,
        is_baseline=side.is_baseline,
        retriever=_text(side.retriever),
        set_identifier=side.set_identifier,
        protocol=side.protocol,
        basis=side.basis,
        depth=side.depth,
        conditions=LatencyConditions(
            machine=_text(side.conditions.machine),
            jobs=side.conditions.jobs,
            warmup=side.conditions.warmup,
            batch=side.conditions.batch,
        ),
        counts=Counts(attempted=counts.attempted, scored=counts.scored, **asdict(counts))
        if comparison.is_comparable
        else None,
        provenance=None if identity is None else identity.provenance.to_dict(),
        fingerprints=None
        if identity is None
        else FingerprintDocument(**asdict(identity.fingerprints)),
    )


def _graded(comparison: Comparison) -> document.GradedDocument | None:
    measure = comparison.graded
    if measure is None:
        return None
    current, candidate = (
        document.ScaleDocument(
            qrels_digest=side.qrels_digest,
            depth=side.depth,
            benchmark=scale_of(side, measure).benchmark(side.identity),
        )
        for side in (comparison.current, comparison.candidate)
    )
    return document.GradedDocument(
        measure=str(measure), protocol=GRADED_VERSION, current=current, candidate=candidate
    )


def difference_document(one: PairedDifference, *, primary: str) -> document.DifferenceDocument:
    """The document of one difference.

    Args:
        one: the difference.
        primary: name of the measure that decides.
    """
    point = one.point
    return document.DifferenceDocument(
        measure=one.measure,
        role="primary" if one.measure == primary else "descriptive",
        higher_is_better=one.higher_is_better,
        questions=one.questions,
        current_failed=one.current_failed,
        candidate_failed=one.candidate_failed,
        current=float(one.current),
        candidate=float(one.candidate),
        delta=float(one.delta),
        low=float(one.low),
        high=float(one.high),
        interval=_interval(one.interval),
        test=_test(one, point.significance),
        wins=point.wins,
        losses=point.losses,
        ties=point.ties,
        conclusion=one.conclusion,
        detectable=[
            document.DetectableDocument(
                discordance=row.discordance if isinstance(row, Detectable) else None,
                difference=row.difference,
            )
            for row in one.detectable
        ],
    )


def _test(
    one: PairedDifference, significance: Significance | Refusal
) -> document.SignificanceDocument:
    if isinstance(significance, Refusal):
        return document.SignificanceDocument(
            p=one.p,
            adjusted_p=one.adjusted_p,
            method=None,
            exact=None,
            assignments=None,
            seed=None,
            family=one.family,
            refused=significance.reason,
        )
    return document.SignificanceDocument(
        p=one.p,
        adjusted_p=one.adjusted_p,
        method=significance.method,
        exact=significance.method in _EXACT,
        assignments=significance.assignments,
        seed=significance.seed,
        family=one.family,
        refused=None,
    )


def _interval(interval: Interval | Refusal) -> document.IntervalDocument:
    if isinstance(interval, Refusal):
        return document.IntervalDocument(
            low=None,
            high=None,
            confidence=None,
            method=None,
            resamples=None,
            seed=None,
            refused=interval.reason,
        )
    return document.IntervalDocument(
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        method=interval.method,
        resamples=interval.resamples,
        seed=interval.seed,
        refused=None,
    )


def _flips(comparison: Comparison, golden_set: GoldenSet | None) -> list[document.FlipDocument]:
    questions: tuple[GoldenQuestion, ...] = ()
    if golden_set is not None and golden_set.labels_fingerprint == comparison.current.labels:
        questions = judged_questions(golden_set)
    return [_flip(flip, questions[flip.index] if questions else None) for flip in comparison.flips]


def _flip(flip: Flip, question: GoldenQuestion | None) -> document.FlipDocument:
    return document.FlipDocument(
        position=flip.position,
        id=None if question is None else _text(to_text(question.id)),
        critical=None if question is None else question.critical,
        won=flip.won,
        is_no_answer=flip.is_no_answer,
        current=_placing(flip.current),
        candidate=_placing(flip.candidate),
    )


def _placing(placing: Placing) -> document.PlacingDocument:
    return document.PlacingDocument(**asdict(placing))


def _splits(comparison: Comparison) -> list[document.SplitDocument]:
    return [
        document.SplitDocument(
            group=split.group,
            name=_text(split.name),
            questions=split.difference.questions,
            current=float(split.difference.current),
            candidate=float(split.difference.candidate),
            delta=float(split.difference.delta),
            wins=split.difference.point.wins,
            losses=split.difference.point.losses,
            ties=split.difference.point.ties,
        )
        for split in comparison.splits
    ]


def _latency(latency: LatencyDifference | NoLatency) -> document.LatencyDocument:
    if isinstance(latency, NoLatency):
        return document.LatencyDocument(
            questions=None, current_ms=None, candidate_ms=None, delta_ms=None, refused=latency
        )
    return document.LatencyDocument(**asdict(latency), refused=None)


def _judged(at: JudgedAt) -> document.JudgedDocument:
    return document.JudgedDocument(
        cutoff=at.cutoff,
        current_judged=at.current.judged,
        current_documents=at.current.documents,
        candidate_judged=at.candidate.judged,
        candidate_documents=at.candidate.documents,
        differs=at.differs,
    )
