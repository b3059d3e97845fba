"""Two lines per stored evaluation."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id

_INDENT = numbers.SHORT_ID + 2


def listing_document(record: EvaluationRecord) -> dict[str, object]:
    """The facts of both lines as a JSON value; rates as whole numbers, unknown as null."""
    identity = record.identity
    counts = record.counts
    return {
        "id": record.id,
        "created_at": record.created_at.isoformat(),
        "set": record.set_identifier,
        "retriever": record.retriever,
        "basis": record.basis.value,
        "privacy": record.privacy.value,
        "answerable": counts.answerable,
        "success_at_1_hits": counts.answerable_top1_hits,
        "no_answer": counts.no_answer,
        "abstained": counts.abstained,
        "failed": counts.failed,
        "unjudged": counts.unjudged,
        "benchmark": None if identity is None else identity.fingerprints.benchmark,
        "variant": None if identity is None else identity.fingerprints.variant,
    }


def listing_lines(records: Iterable[EvaluationRecord]) -> list[str]:
    """Plain lines, newest first as given: when and what; Success@1 and abstention with their n."""
    return [line for record in records for line in (_what(record), _rates(record))]


def _what(record: EvaluationRecord) -> str:
    return "  ".join(
        (
            numbers.short_id(record.id),
            f"{record.created_at:%Y-%m-%d %H:%M} UTC",
            shown_id(record.set_identifier),
            shown_id(record.retriever),
        )
    )


def _rates(record: EvaluationRecord) -> str:
    counts = record.counts
    success = numbers.rate_text(counts.answerable_top1_hits, counts.answerable)
    abstention = numbers.rate_text(counts.abstained, counts.no_answer)
    # Only where there are any: the line has to fit.
    unjudged = (f"unjudged {counts.unjudged}",) if counts.unjudged else ()
    parts = (f"Success@1 {success}", f"abstention {abstention}", f"failed {counts.failed}")
    return " " * _INDENT + " · ".join((*parts, *unjudged))
