"""May this contract stand in the place of that one? Names and types are stable once in use.

Queries and stored rows depend on names, types and requirements. What only adds passes; whatever
else differs needs another version, which is another relation (E-15, E-41, G-69).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.contracts.contract import Contract, Field, FieldType


class ChangeKind(StrEnum):
    """What differs."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    RETYPED = "retyped"
    WIDENED = "widened"
    REQUIREMENT = "requirement"
    PRIVACY = "privacy"
    VALUES = "values"
    RANGE = "range"
    MEANING = "meaning"
    GRAIN = "grain"
    NAME = "name"
    VERSION = "version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference between two contracts.

    Attributes:
        kind: what differs.
        field: the field; None for what concerns the whole.
        is_allowed: whether it may be made without another version.
        says: one sentence.
    """

    kind: ChangeKind
    field: str | None
    is_allowed: bool
    says: str


def compare_contracts(old: Contract, new: Contract) -> tuple[Change, ...]:
    """Every difference, those of the whole first, then by field.

    Args:
        old: what queries depend on.
        new: what shall stand in its place. Of another name, or of a higher version, everything
            may differ.
    """
    if new.name != old.name:
        return (_change(ChangeKind.NAME, None, f"{new.name} is another event", is_allowed=True),)
    if new.version > old.version:
        says = f"version {new.version} is another relation beside version {old.version}"
        return (
            _change(ChangeKind.VERSION, None, says, is_allowed=True),
            *_all(old, new, free=True),
        )
    return _all(old, new, free=False)


def is_allowed(changes: tuple[Change, ...]) -> bool:
    """Whether none of them needs another version."""
    return all(change.is_allowed for change in changes)


def _all(old: Contract, new: Contract, *, free: bool) -> tuple[Change, ...]:
    found = [*_whole(old, new), *_fields(old, new)]
    if not free:
        return tuple(found)
    return tuple(_change(one.kind, one.field, one.says, is_allowed=True) for one in found)


def _whole(old: Contract, new: Contract) -> list[Change]:
    found = []
    if new.version < old.version:
        found.append(_change(ChangeKind.VERSION, None, "the version is lower than before"))
    if (old.grain, old.grain_key) != (new.grain, new.grain_key):
        says = "one row would stand for something else"
        found.append(_change(ChangeKind.GRAIN, None, says))
    return found


def _fields(old: Contract, new: Contract) -> list[Change]:
    removed = [field for field in old.fields if new.find(field.name) is None]
    added = [field for field in new.fields if old.find(field.name) is None]
    found: list[Change] = []
    for field in removed:
        # A field that goes while another of the same meaning comes is one that was renamed.
        heir = next((one for one in added if _is_same_but_name(field, one)), None)
        if heir is None:
            found.append(_change(ChangeKind.REMOVED, field.name, "it is not there any more"))
        else:
            added.remove(heir)
            says = f"it is called {heir.name} now"
            found.append(_change(ChangeKind.RENAMED, field.name, says))
    found += map(_addition, added)
    for field in old.fields:
        heir = new.find(field.name)
        if heir is not None:
            found += _differences(field, heir)
    return found


def _is_same_but_name(old: Field, new: Field) -> bool:
    return old.type is new.type and (
        old.meaning == new.meaning or old.name in new.name or new.name in old.name
    )


def _addition(field: Field) -> Change:
    if field.required:
        says = "it is required, so that what was sent before would be refused"
        return _change(ChangeKind.ADDED, field.name, says)
    if not field.decision:
        says = "an optional field says which decision it serves"
        return _change(ChangeKind.ADDED, field.name, says)
    return _change(ChangeKind.ADDED, field.name, "it is optional", is_allowed=True)


def _differences(old: Field, new: Field) -> list[Change]:
    found = []
    if old.type is not new.type:
        is_wider = (old.type, new.type) == (FieldType.INTEGER, FieldType.NUMBER)
        says = f"it was {old.type} and would be {new.type}"
        kind = ChangeKind.WIDENED if is_wider else ChangeKind.RETYPED
        found.append(_change(kind, old.name, says, is_allowed=is_wider))
    if old.required is not new.required:
        says = "it would be required" if new.required else "it would be optional"
        found.append(_change(ChangeKind.REQUIREMENT, old.name, says))
    if old.privacy is not new.privacy:
        says = f"it was {old.privacy} and would be {new.privacy}"
        found.append(_change(ChangeKind.PRIVACY, old.name, says))
    if old.values != new.values:
        # Whoever reads them must still find every one that is stored.
        keeps_all = bool(old.values) and set(old.values) <= set(new.values)
        says = "it can be other values" if keeps_all else "values that are stored would be none"
        found.append(_change(ChangeKind.VALUES, old.name, says, is_allowed=keeps_all))
    if (old.minimum, old.maximum) != (new.minimum, new.maximum):
        found.append(_change(ChangeKind.RANGE, old.name, "its range would be another"))
    if old.meaning != new.meaning:
        found.append(_change(ChangeKind.MEANING, old.name, "it would mean something else"))
    return found


def _change(kind: ChangeKind, field: str | None, says: str, *, is_allowed: bool = False) -> Change:
    return Change(kind=kind, field=field, is_allowed=is_allowed, says=says)
