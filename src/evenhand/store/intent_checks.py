"""Do selected model comparisons hold together with what proves them and with the audit? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.comparison.intent import Intent, IntentState
from evenhand.core.errors import Invalid
from evenhand.store.intent_rows import row_to_intent, row_to_summary
from evenhand.store.tables import (
    audit_entry,
    comparison_intent,
    comparison_leg,
    comparison_request,
    comparison_summary,
    gateway_request,
)
from evenhand.store.times import time_to_text

_OBJECT_KIND: Final = "comparison"
#: What the audit tells of a comparison without a change of its state.
_REFUSED_TOKEN: Final = "refuse_token"  # noqa: S105 -- a verb
_UNREADABLE: Final = "it does not read back as what was written"


def intent_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with comparisons."""
    told = _told(connection)
    query = sa.select(comparison_intent).order_by(comparison_intent.c.id)
    for row in connection.execute(query).mappings().all():
        subject = f"comparison {row['id']}"
        try:
            found = row_to_intent(row)
        except (Invalid, ValueError, TypeError):
            yield "comparison_unreadable", subject, _UNREADABLE
            continue
        for code, message in _contradictions(connection, found):
            yield code, subject, message
        if told.get(found.id) != found.version:
            message = "the audit does not tell of each change of its state"
            yield "audit_missing", subject, message


def _told(connection: Connection) -> Mapping[str, int]:
    """How many changes of its state the audit tells of, for each comparison."""
    entry = audit_entry.c
    rows = connection.execute(
        sa.select(entry.object_id, sa.func.count())
        .where(entry.object_kind == _OBJECT_KIND, entry.action != _REFUSED_TOKEN)
        .group_by(entry.object_id)
    )
    return {str(object_id): int(number) for object_id, number in rows}


def _contradictions(connection: Connection, found: Intent) -> Iterator[tuple[str, str]]:
    summaries = (
        connection.execute(
            sa.select(comparison_summary).where(comparison_summary.c.intent_id == found.id)
        )
        .mappings()
        .all()
    )
    is_completed = found.state is IntentState.COMPLETED
    if len(summaries) != is_completed:
        message = "exactly a completed one has a summary, and it has none or is not completed"
        yield "comparison_summary", message
    for row in summaries:
        try:
            row_to_summary(row)
        except (Invalid, ValueError, TypeError, msgspec.DecodeError):
            yield "comparison_summary", "its summary does not read back as what was written"
    if not is_completed and _count(connection, comparison_leg, found.id):
        yield "comparison_sides", "it is not completed, and has evaluations"
    yield from _request_problems(connection, found, is_completed=is_completed)


def _request_problems(
    connection: Connection, found: Intent, *, is_completed: bool
) -> Iterator[tuple[str, str]]:
    if not is_completed:
        if _count(connection, comparison_request, found.id):
            yield "comparison_requests", "it is not completed, and gateway requests prove it"
        return
    used, made = comparison_request.c, gateway_request.c
    pins = found.pins
    is_of_side = sa.or_(
        sa.and_(used.leg == "current", made.deployment_id == pins.current.deployment_id),
        sa.and_(used.leg == "candidate", made.deployment_id == pins.candidate.deployment_id),
    )
    proves = sa.and_(
        made.state == "completed",
        made.client_id == pins.client_id,
        is_of_side,
        made.created_at >= time_to_text(found.claimed_at or found.created_at),
        made.completed_at <= time_to_text(found.finished_at or found.created_at),
    )
    proving = connection.scalar(
        sa.select(sa.func.count())
        .select_from(comparison_request)
        .join(gateway_request, made.public_id == used.public_id)
        .where(used.intent_id == found.id, proves)
    )
    wrong = _count(connection, comparison_request, found.id) - int(proving or 0)
    if wrong:
        yield "comparison_requests", f"{wrong} gateway requests do not prove their cases"


def _count(connection: Connection, table: sa.Table, intent_id: str) -> int:
    query = sa.select(sa.func.count()).select_from(table).where(table.c.intent_id == intent_id)
    return int(connection.execute(query).scalar_one())
