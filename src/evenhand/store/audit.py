"""The audit: entries that are added and never changed."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.store.pages import is_behind, newest_first
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

    def list_latest(
        self,
        *,
        object_kind: str | None = None,
        object_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[AuditEntry, ...]:
        """Newest first, at most ``limit``; of all objects, of a kind, or of one.

        Args:
            object_kind: of which kind; None for any.
            object_id: of which one; None for any.
            limit: at least 1.
            after: time and id of an entry; then only those behind it in the list.
        """
        if not (is_storable(object_kind or "") and is_storable(object_id or "")):
            return ()
        query = (
            sa.select(audit_entry)
            .order_by(*newest_first(audit_entry.c.at, audit_entry.c.id))
            .limit(limit)
        )
        if object_kind is not None:
            query = query.where(audit_entry.c.object_kind == object_kind)
        if object_id is not None:
            query = query.where(audit_entry.c.object_id == object_id)
        if after is not None:
            query = query.where(is_behind(audit_entry.c.at, audit_entry.c.id, after))
        return tuple(map(row_to_entry, self._connection.execute(query).mappings()))


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
