"""The audit over HTTP; for operators."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of
from evenhand.hub.reading import page_at, place_of
from evenhand.hub.table import API, Entry
from evenhand.wire import audit as wire
from evenhand.wire.paging import Page


def list_audit(
    request: Request, query: Annotated[wire.AuditQuery, Query()]
) -> Page[wire.AuditEntry]:
    """Newest first; of all objects, of a kind, or of one."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.audit.list_latest(
            object_kind=query.object_kind,
            object_id=query.object_id,
            limit=query.limit + 1,
            after=after,
        )
    )
    return page_at(found, query.limit, wire.entry_to_wire, place=lambda one: (one.at, one.id))


ENTRIES = (
    Entry(
        method="GET",
        path=f"{API}/audit",
        endpoint=list_audit,
        action=Action.ADMINISTER,
        summary="List what was changed",
        problems=(422,),
    ),
)
