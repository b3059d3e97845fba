"""One line per stored evaluation."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id

_SHORT_ID = 13


def listing_document(record: EvaluationRecord) -> dict[str, object]:
    """The line's facts as a JSON value; rates as whole numbers, unknown as null."""
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
    """Plain lines, newest first as given: when, what, Success@1 and abstention with their n."""
    return [
        "  ".join(
            (
                record.id[:_SHORT_ID],
                f"{record.created_at:%Y-%m-%d %H:%M} UTC",
                shown_id(record.set_identifier),
                shown_id(record.retriever),
                "Success@1 "
                + numbers.rate_text(record.counts.answerable_top1_hits, record.counts.answerable),
                "abstention "
                + numbers.rate_text(record.counts.abstained, record.counts.no_answer),
                f"failed {record.counts.failed}",
            )
        )
        for record in records
    ]
