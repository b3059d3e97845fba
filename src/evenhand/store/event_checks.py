"""Do events hold together with the contract, their grain and what they name? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.contracts.decoding import event_document
from evenhand.contracts.events import validate_event
from evenhand.contracts.ingestion import grain_bytes
from evenhand.core.errors import Invalid
from evenhand.store.event_rows import row_to_event, row_to_rejection
from evenhand.store.streams import streamed
from evenhand.store.tables import (
    event,
    event_delivery,
    event_delivery_batch,
    event_outbox,
    event_rejection,
    project,
    service_client,
)


def event_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with events and their way to sinks."""
    with streamed(connection, _events()) as rows:
        for row in rows.mappings():
            subject = f"event {row['event_id']}"
            try:
                found = validate_event(event_document(row_to_event(row)))
            except (Invalid, ValueError, TypeError):
                message = "it does not read back as an event of the contract"
                yield "event_unreadable", subject, message
                continue
            if row["grain_digest"] != grain_bytes(row["project_id"], found):
                yield "event_grain", subject, "its grain is not that of its fields"
            if row["is_orphan"]:
                yield "event_orphan", subject, "its project or its client is not there"
    for refused in connection.execute(sa.select(event_rejection)).mappings():
        try:
            row_to_rejection(refused)
        except (ValueError, TypeError):
            subject = f"event rejection {refused['id']}"
            yield "event_unreadable", subject, "it does not read back as what was written"
    for batch_id in connection.scalars(_foreign_deliveries()):
        subject = f"event delivery batch {batch_id}"
        yield "event_delivery", subject, "it carries an event to another sink than its own"


def _events() -> sa.Select[tuple[object, ...]]:
    """Every event, and whether what it names is missing; it has no foreign keys."""
    is_orphan = sa.or_(
        project.c.id.is_(None),
        sa.and_(event.c.client_id.is_not(None), service_client.c.id.is_(None)),
    )
    return (
        sa.select(event, is_orphan.label("is_orphan"))
        .outerjoin(project, project.c.id == event.c.project_id)
        .outerjoin(service_client, service_client.c.id == event.c.client_id)
        .order_by(event.c.project_id, event.c.event_id)
    )


def _foreign_deliveries() -> sa.Select[tuple[str]]:
    """Batches with a delivery of another sink, or of no emitted event."""
    return (
        sa.select(event_delivery.c.batch_id)
        .join(event_delivery_batch, event_delivery_batch.c.id == event_delivery.c.batch_id)
        .outerjoin(event_outbox, event_outbox.c.id == event_delivery.c.outbox_id)
        .where(
            sa.or_(
                event_delivery.c.sink != event_delivery_batch.c.sink, event_outbox.c.id.is_(None)
            )
        )
        .distinct()
    )
