"""How are objects of the registry shown? As a JSON value and as lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import datetime
from enum import Enum

from evenhand.core.registry.registered import Changeable, Registered
from evenhand.reports.safe_text import shown_text

_HEAD = ("id", "name", "created_at", "active", "version")
#: Of an object, the attribute that tells most of it beside its name.
_KIND = ("capability", "stage", "kind", "model", "embedding_identity")


def registered_document(one: Registered) -> dict[str, object]:
    """Every attribute as a JSON value; what there is none of as null."""
    return {field.name: _plain(getattr(one, field.name)) for field in fields(one)}


def registered_lines(found: Iterable[Registered]) -> list[str]:
    """Plain lines, two for each: what it is called and is; since when, and its id."""
    return [line for one in found for line in (_what(one), _since(one))]


def registered_facts(one: Registered) -> list[str]:
    """Plain lines: those of :func:`registered_lines`, then one for each attribute that is told."""
    document = registered_document(one)
    told = [name for name in document if name not in _HEAD]
    version = [f"  version: {one.version}"] if isinstance(one, Changeable) else []
    return [*registered_lines((one,)), *version, *(_fact(name, document[name]) for name in told)]


def _what(one: Registered) -> str:
    kinds = [str(_plain(getattr(one, name))) for name in _KIND if hasattr(one, name)]
    off = [] if one.state == "active" else ["out of use"]
    # Names have at most 63 characters, so the rest stands below where it would not fit.
    return "  ".join((one.name, *(off if len(one.name) > 40 else (*kinds[:2], *off))))


def _since(one: Registered) -> str:
    return f"  since {one.created_at:%Y-%m-%d %H:%M} UTC  {one.id}"


def _fact(name: str, value: object) -> str:
    if isinstance(value, list):
        shown = ", ".join(map(str, value))
    else:
        shown = "none" if value is None or value == "" else shown_text(str(value), limit=None)
    return f"  {name}: {shown}"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(map(str, value))
    return value
