"""What is kept of a completed comparison beside its intent, in one open transaction.

Its two sides, its summary, and which gateway request proves which case. All of it is written once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.comparison.concluded import Concluded, Conclusion, Evidence
from evenhand.core.comparison.evidence import ConsumedRequest
from evenhand.core.comparison.intent import Intent
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.report import requests_place
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.comparison import CaseFault, ReportRejected
from evenhand.store.errors import translate
from evenhand.store.intent_rows import row_to_summary, summary_to_row
from evenhand.store.tables import comparison_leg, comparison_request, comparison_summary
from evenhand.store.text import is_storable

_REQUEST_TAKEN: Final = "pk_comparison_request"


def conclude(connection: Connection, intent: Intent, conclusion: Conclusion) -> None:
    """Keep what came of a comparison, beside its evaluations.

    Raises:
        ReportRejected: a request proves a case of a comparison that was published at this very
            moment.
        ConstraintRefused: an evaluation or a request is not there.
    """
    connection.execute(
        comparison_leg.insert(),
        [
            {
                "evaluation_id": evaluation_id,
                "intent_id": intent.id,
                "leg": leg.value,
                "consumer_revision_sha256": conclusion.consumer_revision_sha256,
            }
            for leg, evaluation_id in conclusion.evaluation_ids.items()
        ],
    )
    _consume(connection, intent, conclusion)
    connection.execute(comparison_summary.insert(), summary_to_row(intent.id, conclusion.summary))


def list_concluded(connection: Connection, intent_ids: Sequence[str]) -> Mapping[str, Concluded]:
    """What came of those comparisons that were completed, by id.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    if not intent_ids:
        return {}
    leg, summary = comparison_leg.c, comparison_summary
    legs: dict[str, dict[LegName, str]] = defaultdict(dict)
    for row in connection.execute(
        sa.select(comparison_leg).where(leg.intent_id.in_(intent_ids))
    ).mappings():
        legs[row["intent_id"]][LegName(row["leg"])] = row["evaluation_id"]
    rows = connection.execute(
        sa.select(summary).where(summary.c.intent_id.in_(intent_ids))
    ).mappings()
    return {
        row["intent_id"]: Concluded(
            summary=row_to_summary(row), evaluation_ids=legs[row["intent_id"]]
        )
        for row in rows
    }


def find_evidence(connection: Connection, intent_id: str) -> Evidence:
    """What a completed comparison rests on, by side and position; nothing where it was not."""
    if not is_storable(intent_id):
        return Evidence(consumer_revision_sha256=None, requests=())
    leg, request = comparison_leg.c, comparison_request.c
    rows = connection.execute(
        sa.select(request.leg, request.position, request.public_id)
        .where(request.intent_id == intent_id)
        .order_by(request.leg, request.position)
    )
    return Evidence(
        # Both sides were reported together.
        consumer_revision_sha256=connection.scalar(
            sa.select(leg.consumer_revision_sha256).where(leg.intent_id == intent_id).limit(1)
        ),
        requests=tuple(
            ConsumedRequest(leg=LegName(row.leg), position=row.position, public_id=row.public_id)
            for row in rows
        ),
    )


def _consume(connection: Connection, intent: Intent, conclusion: Conclusion) -> None:
    rows = [
        {
            "public_id": one.public_id,
            "intent_id": intent.id,
            "case_count": intent.pins.case_count,
            "leg": one.leg.value,
            "position": one.position,
        }
        # In one order, so that of two who use the same ones neither waits for the other.
        for one in sorted(conclusion.requests, key=lambda one: one.public_id)
    ]
    if not rows:
        return
    try:
        connection.execute(comparison_request.insert(), rows)
    except IntegrityError as error:
        failure = _refusal(error)
    else:
        return
    # Outside the clause: an error of ours must not carry the driver's as its context.
    raise failure


def _refusal(error: IntegrityError) -> EvenhandError:
    refused = translate(error)
    if getattr(refused, "constraint", None) == _REQUEST_TAKEN:
        place = requests_place(LegName.CURRENT)
        return ReportRejected([CaseFault(place=place, code="request_reused")])
    return refused
