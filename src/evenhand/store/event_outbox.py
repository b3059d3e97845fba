"""Emitted events and their way to sinks: nothing is lost, and what is sent again is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.contracts.delivery import Batch
from evenhand.contracts.events import Event
from evenhand.store.bulk import insert_many, insert_some
from evenhand.store.event_rows import row_to_event
from evenhand.store.tables import event, event_delivery, event_delivery_batch, event_outbox
from evenhand.store.times import time_to_text


class SqlEventOutbox:
    """The outbox of one open transaction; implements `ports.EventOutboxRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(
        self,
        event_ids: Sequence[str],
        *,
        new_id: Callable[[], str],
        project_id: str,
        key_version: str,
        at: datetime,
    ) -> None:
        """Note that stored events of a project go on to sinks, in their order.

        Raises:
            ConstraintRefused: one is noted already, or it is not stored.
        """
        noted = time_to_text(at)
        rows = [(new_id(), project_id, event_id, key_version, noted) for event_id in event_ids]
        insert_some(self._connection, event_outbox, rows)

    def find_open_batch(self, sink: str) -> Batch | None:
        """The oldest batch of which nobody knows whether the sink has it, with its events."""
        batch = event_delivery_batch.c
        found = self._connection.scalar(
            sa.select(batch.id)
            .where(batch.sink == sink, batch.delivered_at.is_(None))
            .order_by(batch.id)
            .limit(1)
        )
        return None if found is None else Batch(id=found, sink=sink, events=self._events(found))

    def open_batch(self, sink: str, *, row_id: str, at: datetime, limit: int) -> int:
        """Put events that no batch of the sink carries into a new one.

        Returns:
            How many there are; with none there is no batch.
        """
        waiting = self._connection.scalars(
            sa.select(event_outbox.c.id)
            .where(
                ~sa.exists().where(
                    event_delivery.c.sink == sink,
                    event_delivery.c.outbox_id == event_outbox.c.id,
                )
            )
            .order_by(event_outbox.c.id)
            .limit(limit)
        ).all()
        if waiting:
            self._connection.execute(
                event_delivery_batch.insert().values(
                    id=row_id, sink=sink, created_at=time_to_text(at)
                )
            )
            insert_many(self._connection, event_delivery, [(sink, one, row_id) for one in waiting])
        return len(waiting)

    def close_batch(self, batch_id: str, *, at: datetime) -> None:
        """Note that the sink has a batch; the first time counts."""
        batch = event_delivery_batch.c
        self._connection.execute(
            event_delivery_batch.update()
            .where(batch.id == batch_id, batch.delivered_at.is_(None))
            .values(delivered_at=time_to_text(at))
        )

    def count_waiting(self, sink: str) -> int:
        """How many emitted events are not known to be in the sink."""
        delivered = (
            sa.select(event_delivery.c.outbox_id)
            .join(event_delivery_batch, event_delivery_batch.c.id == event_delivery.c.batch_id)
            .where(event_delivery.c.sink == sink, event_delivery_batch.c.delivered_at.is_not(None))
        )
        total = self._connection.scalar(sa.select(sa.func.count()).select_from(event_outbox))
        there = self._connection.scalar(
            sa.select(sa.func.count()).select_from(delivered.subquery())
        )
        return int(total or 0) - int(there or 0)

    def _events(self, batch_id: str) -> tuple[Event, ...]:
        query = (
            sa.select(event)
            .join(
                event_outbox,
                sa.and_(
                    event_outbox.c.project_id == event.c.project_id,
                    event_outbox.c.event_id == event.c.event_id,
                ),
            )
            .join(event_delivery, event_delivery.c.outbox_id == event_outbox.c.id)
            .where(event_delivery.c.batch_id == batch_id)
            .order_by(event_outbox.c.id)
        )
        return tuple(map(row_to_event, self._connection.execute(query).mappings()))
