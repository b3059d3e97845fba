"""What does the API tell of the audit? Who did what to what; never a token, a query or a ranking."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from evenhand.core.access import audit as core
from evenhand.wire.paging import PageQuery
from evenhand.wire.shapes import Answer


class AuditQuery(PageQuery):
    """Which entries a list is of."""

    object_kind: str | None = Field(default=None, description="Such as credential or route.")
    object_id: str | None = Field(default=None, description="The row id of one object.")


class Named(Answer):
    """Who or what, by kind and id."""

    kind: str
    id: str | None = Field(description="Null for the command line and for the hub itself.")


class AuditEntry(Answer):
    """One change."""

    id: str
    at: datetime
    actor: Named
    action: str
    object: Named
    from_state: str | None
    to_state: str | None
    code: str | None = Field(description="One word more, such as what was changed.")
    version: int | None = Field(description="That the object has from then on, where it has one.")
    related_id: str | None = Field(description="What else took part.")


def entry_to_wire(one: core.AuditEntry) -> AuditEntry:
    """All of it."""
    return AuditEntry(
        id=one.id,
        at=one.at,
        actor=Named(kind=one.actor.kind.value, id=one.actor.id),
        action=one.action,
        object=Named(kind=one.object_kind, id=one.object_id),
        from_state=one.from_state,
        to_state=one.to_state,
        code=one.code,
        version=one.version,
        related_id=one.related_id,
    )
