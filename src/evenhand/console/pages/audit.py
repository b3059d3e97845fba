"""The audit: who did what to what, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from evenhand.console.addresses import AUDIT
from evenhand.console.guard import Page
from evenhand.console.listing import Listing, Paged, page_of, read_listing
from evenhand.console.navigation import TRAIL, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.audit import AuditRow, audit_row
from evenhand.console.rendering import render
from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Action
from evenhand.core.errors import InvalidValue
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """A page of the audit: what was asked for, and the rows."""

    listing: Listing
    page: Paged[AuditRow]


def list_audit(request: Request) -> Response:
    """Newest first; of all objects, of a kind, of one, or by one credential."""
    parts = parts_of(request)
    listing = read_listing(request, filters=("kind", "object", "actor"))

    def read(uow: UnitOfWork) -> tuple[AuditEntry, ...]:
        return uow.audit.list_latest(
            object_kind=listing.filter("kind"),
            object_id=listing.filter("object"),
            actor_id=listing.filter("actor"),
            limit=listing.size + 1,
            after=_edge(uow, listing.after, "after"),
            before=_edge(uow, listing.before, "before"),
        )

    found = parts.database.read(read)
    now = parts.clock.now()
    rows = [audit_row(one, now=now) for one in found]
    page = page_of(listing, rows, id_of=lambda row: row.id)
    return render(request, "audit/list.html", AuditView(listing=listing, page=page), here=KEY)


def _edge(uow: UnitOfWork, entry_id: str | None, name: str) -> tuple[datetime, str] | None:
    if entry_id is None:
        return None
    found = uow.audit.find(entry_id)
    if found is None:
        raise InvalidValue(name, "names an entry that there is not")
    return found.at, found.id


def _is_kept(uow: UnitOfWork) -> bool:
    return bool(uow.audit.list_latest(limit=1))


ROUTES: Final = (Page(AUDIT, list_audit, action=Action.ADMINISTER),)
PLACES: Final = (
    Place(
        key=KEY,
        name="Audit",
        path=AUDIT,
        group=TRAIL,
        shortcut="a",
        is_kept=_is_kept,
        action=Action.ADMINISTER,
    ),
)
