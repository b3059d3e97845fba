"""How does the audit read? Who did what to what, and what else took part."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evenhand.console.present.times import Moment, moment
from evenhand.core.access.audit import AuditEntry
from evenhand.reports.safe_text import shown_id


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One entry.

    Attributes:
        id: of the entry.
        at: when.
        actor: role, or ``command line`` and ``hub``.
        actor_id: the credential; empty where there is none.
        action: what was done, with its one word behind it.
        kind, object_id: to what.
        states: from which state to which; empty where it has none.
        version: that it has from then on; empty without.
        related: what else took part; empty without.
    """

    id: str
    at: Moment
    actor: str
    actor_id: str
    action: str
    kind: str
    object_id: str
    states: str
    version: str
    related: str


def audit_row(one: AuditEntry, *, now: datetime) -> AuditRow:
    """One entry as a row."""
    code = "" if one.code is None else f" ({one.code.replace('_', ' ')})"
    return AuditRow(
        id=one.id,
        at=moment(one.at, now=now),
        actor=one.actor.kind.value.replace("_", " "),
        actor_id=shown_id(one.actor.id or ""),
        action=f"{one.action.replace('_', ' ')}{code}",
        kind=one.object_kind,
        object_id=shown_id(one.object_id),
        states=_states(one),
        version="" if one.version is None else str(one.version),
        related=shown_id(one.related_id or ""),
    )


def _states(one: AuditEntry) -> str:
    states = [word.replace("_", " ") for word in (one.from_state, one.to_state) if word]
    return " to ".join(states)
