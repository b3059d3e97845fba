"""The audit: entries that are added and never changed."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.store.pages import in_order, page_before, page_behind
from evenhand.store.tables import audit_entry
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text


class SqlAudit:
    """The audit in one open transaction; implements `ports.AuditRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, entry: AuditEntry) -> None:
        """Keep one entry.

        Raises:
            ConstraintRefused: the id is taken.
            InvalidText: a text that a database cannot hold.
        """
        actor_id, related_id = entry.actor.id, entry.related_id
        self._connection.execute(
            audit_entry.insert(),
            {
                "id": entry.id,
                "at": time_to_text(entry.at),
                "actor_kind": entry.actor.kind.value,
                "actor_id": None if actor_id is None else require_storable(actor_id, "actor_id"),
                "action": entry.action,
                "object_kind": entry.object_kind,
                "object_id": require_storable(entry.object_id, "object_id"),
                "from_state": entry.from_state,
                "to_state": entry.to_state,
                "code": entry.code,
                "version": entry.version,
                "related_id": (
                    None if related_id is None else require_storable(related_id, "related_id")
                ),
            },
        )

    def find(self, entry_id: str) -> AuditEntry | None:
        """The entry with this id."""
        if not is_storable(entry_id):
            return None
        query = sa.select(audit_entry).where(audit_entry.c.id == entry_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_entry(row)

    def list_latest(
        self,
        *,
        object_kind: str | None = None,
        object_id: str | None = None,
        actor_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Newest first, at most ``limit``; of all objects, of a kind, of one, or by somebody.

        Args:
            object_kind: of which kind; None for any.
            object_id: of which one; None for any.
            actor_id: by which credential; None for any.
            limit: at least 1.
            after: time and id of an entry; then only those behind it in the list.
            before: the same; then the last ones that stand before it.
        """
        row = audit_entry.c
        equal = (
            (row.object_kind, object_kind),
            (row.object_id, object_id),
            (row.actor_id, actor_id),
        )
        if not all(is_storable(value or "") for _, value in equal):
            return ()
        query = sa.select(audit_entry).limit(limit)
        query = query.where(*(column == value for column, value in equal if value is not None))
        if before is not None:
            query = page_before(query, row.at, row.id, before)
        else:
            query = page_behind(query, row.at, row.id, after)
        found = map(row_to_entry, self._connection.execute(query).mappings())
        return in_order(found, backwards=before is not None)


def row_to_entry(row: RowMapping) -> AuditEntry:
    """The entry of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return AuditEntry(
        id=row["id"],
        at=text_to_time(row["at"]),
        actor=Actor(kind=ActorKind(row["actor_kind"]), id=row["actor_id"]),
        action=row["action"],
        object_kind=row["object_kind"],
        object_id=row["object_id"],
        from_state=row["from_state"],
        to_state=row["to_state"],
        code=row["code"],
        version=row["version"],
        related_id=row["related_id"],
    )
