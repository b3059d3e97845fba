"""How does one stored evaluation read as a row of a list?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from evenhand.console.addresses import benchmark_address, evaluation_address, set_address
from evenhand.console.present.times import Moment, moment
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports import numbers
from evenhand.reports.rates import headline_rates
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import RateView
from evenhand.reports.wording import UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRow:
    """One evaluation in a list.

    Attributes:
        id: whole, to copy.
        short_id: its beginning, to read.
        address: of its page.
        stored: when it was stored.
        retriever: shown.
        golden_set: identifier of its set, shown.
        set_address: of the set's page.
        success_at_1, abstention: with what each covers.
        failed, unjudged: questions.
        basis: who saw the rankings come into being.
        benchmark: fingerprint, shortened; ``unknown`` where it is.
        benchmark_address: of the results that may be compared with it; empty where it is unknown.
    """

    id: str
    short_id: str
    address: str
    stored: Moment
    retriever: str
    golden_set: str
    set_address: str
    success_at_1: RateView
    abstention: RateView
    failed: int
    unjudged: int
    basis: str
    benchmark: str
    benchmark_address: str


def evaluation_row(record: EvaluationRecord, *, now: datetime) -> EvaluationRow:
    """One evaluation as a row."""
    success_at_1, _, abstention, _ = headline_rates(record.counts)
    identity = record.identity
    benchmark = None if identity is None else identity.fingerprints.benchmark
    return EvaluationRow(
        id=record.id,
        short_id=numbers.short_id(record.id),
        address=evaluation_address(record.id),
        stored=moment(record.created_at, now=now),
        retriever=shown_id(record.retriever),
        golden_set=shown_id(record.set_identifier),
        set_address=set_address(record.set_identifier),
        success_at_1=success_at_1,
        abstention=abstention,
        failed=record.counts.failed,
        unjudged=record.counts.unjudged,
        basis=record.basis.value,
        benchmark=UNKNOWN if benchmark is None else numbers.short(benchmark),
        benchmark_address="" if benchmark is None else benchmark_address(benchmark),
    )


def evaluation_rows(
    records: Iterable[EvaluationRecord], *, now: datetime
) -> tuple[EvaluationRow, ...]:
    """Evaluations as rows, in the order given."""
    return tuple(evaluation_row(record, now=now) for record in records)
