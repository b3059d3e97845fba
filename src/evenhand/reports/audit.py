"""How is the audit shown? As a JSON value and as lines."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.core.access.audit import AuditEntry
from evenhand.reports.safe_text import shown_id


def audit_document(one: AuditEntry) -> dict[str, object]:
    """An entry as a JSON value; what there is none of as null."""
    return {
        "id": one.id,
        "at": one.at.isoformat(),
        "actor": {"kind": one.actor.kind.value, "id": one.actor.id},
        "action": one.action,
        "object": {"kind": one.object_kind, "id": one.object_id},
        "from_state": one.from_state,
        "to_state": one.to_state,
        "code": one.code,
        "version": one.version,
        "related_id": one.related_id,
    }


def audit_lines(found: Iterable[AuditEntry]) -> list[str]:
    """Plain lines for each: when and by whom; what was done to what; what else took part."""
    return [line for one in found for line in (_who(one), _what(one), *_with(one))]


def _who(one: AuditEntry) -> str:
    by = one.actor.kind.value.replace("_", " ")
    named = by if one.actor.id is None else f"{by} {shown_id(one.actor.id)}"
    return f"{one.at:%Y-%m-%d %H:%M:%S} UTC  {named}"


def _what(one: AuditEntry) -> str:
    code = "" if one.code is None else f" ({one.code})"
    return f"  {one.action} {one.object_kind} {shown_id(one.object_id)}{code}"


def _with(one: AuditEntry) -> list[str]:
    version = [] if one.version is None else [f"version {one.version}"]
    related = [] if one.related_id is None else [f"with {shown_id(one.related_id)}"]
    told = ", ".join(version + related)
    return [f"    {told}"] if told else []
