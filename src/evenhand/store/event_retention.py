"""Which events does time take, and which a request to be forgotten?"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.store.retention import retention
from evenhand.store.tables import event, event_delivery, event_outbox, event_rejection
from evenhand.store.times import time_to_text


class SqlEventRetention:
    """Takes events out of one open transaction; implements `ports.EventRetention`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        #: Whether rows were taken away, so that their bytes have to be wiped.
        self.has_deleted = False

    def delete_older(self, before: datetime, *, row_id: str, at: datetime, actor: str) -> int:
        """Delete events, and refusals, that came before an instant; give how many events.

        The time of coming counts: the sender's own could lie in any century.
        """
        limit = time_to_text(before)
        with retention(
            self._connection, id=row_id, at=at, actor=actor, rule="purge:event"
        ) as tally:
            deleted = self._delete(event.c.received_at < limit)
            tally.rows = deleted
            self._connection.execute(
                event_rejection.delete().where(event_rejection.c.received_at < limit)
            )
        self.has_deleted = True
        return deleted

    def delete_account(
        self,
        account_id: str,
        *,
        project_id: str | None,
        row_id: str,
        at: datetime,
        actor: str,
    ) -> int:
        """Delete every event of an account, in a project or in all; give how many."""
        chosen = event.c.account_id == account_id
        if project_id is not None:
            chosen = sa.and_(chosen, event.c.project_id == project_id)
        with retention(
            self._connection, id=row_id, at=at, actor=actor, rule="delete:event-account"
        ) as tally:
            tally.rows = deleted = self._delete(chosen)
        self.has_deleted = True
        return deleted

    def _delete(self, chosen: sa.ColumnElement[bool]) -> int:
        emitted = sa.select(event_outbox.c.id).where(
            sa.exists().where(
                event.c.project_id == event_outbox.c.project_id,
                event.c.event_id == event_outbox.c.event_id,
                chosen,
            )
        )
        self._connection.execute(
            event_delivery.delete().where(event_delivery.c.outbox_id.in_(emitted))
        )
        self._connection.execute(event_outbox.delete().where(event_outbox.c.id.in_(emitted)))
        return self._connection.execute(event.delete().where(chosen)).rowcount
