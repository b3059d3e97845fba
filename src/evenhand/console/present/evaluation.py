"""What does the page of one evaluation show?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import (
    benchmark_address,
    compare_address,
    evaluation_address,
    questions_address,
    set_address,
)
from evenhand.console.charts.history import HistoryChart
from evenhand.console.charts.latency import LatencyChart, build_latency_chart
from evenhand.console.charts.splits import DrawnSplit, draw_splits
from evenhand.console.present.series import series_chart, usual_measure
from evenhand.console.present.times import Moment, moment
from evenhand.console.present.verdicts import Typed, VerdictCard, verdict_card, verdict_of
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.graded import StoredScore
from evenhand.reports import numbers
from evenhand.reports.evaluation_view import build_evaluation_view, latencies, latency_view
from evenhand.reports.notices import count_notices
from evenhand.reports.rates import split_tables
from evenhand.reports.safe_text import shown_id, shown_text
from evenhand.reports.subject import Subject, stored_subject
from evenhand.reports.view import EvaluationView, LatencyView, Notice, SplitTable
from evenhand.usecases.comparisons import BASELINE
from evenhand.usecases.ports.browsing import BaselineEntry

_PREVIOUS: Final = "The previous result"
_BASELINE: Final = "The pinned baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands beside an evaluation.

    Attributes:
        scores: graded values.
        previous: the result before it, of its series; None where there is none.
        baseline: the active one of its set and retriever; None where none was set.
        history: stored results of its set and retriever up to it, newest first.
    """

    scores: tuple[StoredScore, ...]
    previous: EvaluationRecord | None
    baseline: BaselineEntry | None
    history: tuple[EvaluationRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationParts:
    """What is made of every outcome of an evaluation.

    Attributes:
        splits: breakdowns with where their shares are drawn; empty where the set is not at hand.
        not_split: why there are none; empty where there are.
        latency: percentiles and what they depend on; None where nothing was measured.
        latency_chart: the same drawn; None likewise.
    """

    splits: tuple[tuple[SplitTable, tuple[DrawnSplit, ...]], ...]
    not_split: str
    latency: LatencyView | None
    latency_chart: LatencyChart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPage:
    """One evaluation.

    Attributes:
        id: whole.
        stored: when it was stored.
        report: what every report shows of it, made without outcomes.
        notices: what stands out.
        verdicts: against the previous result, and against the baseline where one is set.
        history: the line of its series; None where it is the first.
        set_address, benchmark_address: what it belongs to; the latter empty where unknown.
        choose_address: where something else to compare it with is proposed.
        questions_address: of its questions; empty where none may be shown.
        not_shown: why no question is; empty where they are.
        parts: makes what rests on every outcome.
    """

    id: str
    stored: Moment
    report: EvaluationView
    notices: tuple[Notice, ...]
    verdicts: tuple[VerdictCard, ...]
    history: HistoryChart | None
    set_address: str
    benchmark_address: str
    choose_address: str
    questions_address: str
    not_shown: str
    parts: Callable[[], EvaluationParts]


def build_evaluation(
    record: EvaluationRecord,
    around: Around,
    *,
    golden_set: str | None,
    now: datetime,
    parts: Callable[[], EvaluationParts],
) -> EvaluationPage:
    """The page of one evaluation.

    Args:
        record: the row.
        around: what stands beside it.
        golden_set: what somebody types for its set; None where that is not known.
        now: aware UTC.
        parts: makes what rests on every outcome.
    """
    typed = Typed(golden_set=golden_set, retriever=record.retriever)
    benchmark = None if record.identity is None else record.identity.fingerprints.benchmark
    not_shown = _not_shown(record)
    return EvaluationPage(
        id=record.id,
        stored=moment(record.created_at, now=now),
        report=build_evaluation_view(stored_subject(record, graded=around.scores)),
        notices=count_notices(record.counts, is_holdout=record.is_holdout),
        verdicts=_verdicts(record, around, typed),
        history=series_chart(
            around.history,
            measure=usual_measure(around.history),
            href=lambda one: evaluation_address(one.id),
        ),
        set_address=set_address(record.set_identifier),
        benchmark_address="" if benchmark is None else benchmark_address(benchmark),
        choose_address=compare_address(None, record.id),
        questions_address="" if not_shown else questions_address(record.id),
        not_shown=not_shown,
        parts=parts,
    )


def build_parts(subject: Subject) -> EvaluationParts:
    """What rests on every outcome of an evaluation.

    Args:
        subject: with its outcomes, and its golden set where that is at hand.
    """
    tables = split_tables(subject)
    measured = latencies(subject.outcomes)
    return EvaluationParts(
        splits=tuple((table, draw_splits(table)) for table in tables),
        not_split="" if tables else _not_split(subject),
        latency=latency_view(subject),
        latency_chart=build_latency_chart(
            sorted(Counter(measured).items()), failed=subject.counts.failed
        ),
    )


def _verdicts(record: EvaluationRecord, around: Around, typed: Typed) -> tuple[VerdictCard, ...]:
    previous, baseline = around.previous, around.baseline
    cards = [
        verdict_card(
            verdict_of(record, previous),
            typed,
            title="Against the previous result",
            earlier=_PREVIOUS,
            other="" if previous is None else _named(previous),
            other_address="" if previous is None else evaluation_address(previous.id),
            compare="" if previous is None else compare_address(previous.id, record.id),
        )
    ]
    if baseline is not None and baseline.evaluation_id != record.id:
        cards.append(
            verdict_card(
                verdict_of(record, baseline),
                typed,
                title="Against the pinned baseline",
                earlier=_BASELINE,
                other=_pinned(baseline),
                compare=compare_address(BASELINE, record.id),
            )
        )
    return tuple(cards)


def _named(record: EvaluationRecord) -> str:
    return f"{shown_id(record.id)}, stored {numbers.instant_text(record.created_at)}"


def _pinned(baseline: BaselineEntry) -> str:
    note = f": {shown_text(baseline.note)}" if baseline.note else ""
    return f"set {numbers.instant_text(baseline.set_at)} by {shown_id(baseline.actor)}{note}"


def _not_shown(record: EvaluationRecord) -> str:
    if record.is_holdout:
        return "It is of a part that is held out: counts are shown, and no question of it."
    if not record.privacy.keeps_outcomes:
        return "At this privacy level nothing is stored question by question."
    return ""


def _not_split(subject: Subject) -> str:
    if subject.outcomes is None:
        return "At this privacy level nothing is stored question by question."
    if subject.is_holdout:
        return "It is of a part that is held out: counts are shown, and no part of it."
    return subject.not_joined or (
        "Which question has which form is not known here: the golden set is not imported."
    )
