"""What are registered objects called? Names by id, for what a page shows by id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from evenhand.core.registry.registered import Registered
from evenhand.usecases.ports import RegisteredRepository

Kept = TypeVar("Kept", bound=Registered)

#: Choices that a filter offers; of more than these a list is found by its address.
CHOICES: Final = 100


def names_of(kept: RegisteredRepository[Kept], ids: Iterable[str | None]) -> dict[str, str]:
    """Name by id of those of these objects that there are."""
    found = kept.find_all({one for one in ids if one is not None})
    return {row_id: one.name for row_id, one in found.items()}


def choices_of(kept: RegisteredRepository[Kept]) -> tuple[tuple[str, str], ...]:
    """Id and name of the newest objects, by name."""
    found = ((one.id, one.name) for one in kept.list_latest(limit=CHOICES))
    return tuple(sorted(found, key=lambda one: (one[1], one[0])))
