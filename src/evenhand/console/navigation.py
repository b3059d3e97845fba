"""Which places does the console have, and which of them does somebody see?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from evenhand.core.access.roles import Action
from evenhand.usecases.ports import UnitOfWork

#: Headings of the menu, in its order.
MEASURE: Final = "Measure"
MODELS: Final = "Models"
TRAIL: Final = "Trail"
GROUPS: Final = (MEASURE, MODELS, TRAIL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One entry of the menu.

    Attributes:
        key: by which a page says where it is.
        name: for people.
        path: where it lies.
        group: heading under which it stands, of `GROUPS`.
        shortcut: the letter that leads there after ``g``.
        is_kept: whether the store holds anything of it; on a laptop it is left out where not.
            None for what is always there.
        action: what somebody must be allowed to do to see it.
    """

    key: str
    name: str
    path: str
    group: str
    shortcut: str
    is_kept: Callable[[UnitOfWork], bool] | None = None
    action: Action = Action.READ


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuGroup:
    """A heading of the menu with what stands under it."""

    name: str
    places: tuple[Place, ...]


def kept_places(uow: UnitOfWork, places: Iterable[Place]) -> tuple[Place, ...]:
    """The places of which the store holds anything, and those that are always there."""
    return tuple(place for place in places if place.is_kept is None or place.is_kept(uow))


def grouped(places: Iterable[Place]) -> tuple[MenuGroup, ...]:
    """The places under their headings; a heading without one is left out."""
    listed = tuple(places)
    groups = (
        MenuGroup(name=name, places=tuple(one for one in listed if one.group == name))
        for name in GROUPS
    )
    return tuple(group for group in groups if group.places)
