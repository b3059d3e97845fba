"""What does the API tell of any object of the registry, and how is a change of one stated?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from evenhand.core.registry import registered as core
from evenhand.wire.paging import PageQuery
from evenhand.wire.shapes import Answer, Strict

#: A name, as every object of the registry has one.
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
#: A label, as `core.identity.labels` has it; the rest of its rule is checked there.
Label = Annotated[str, Field(min_length=1, max_length=190)]
CapabilityName = Literal["rag.embedding@1", "rag.evaluation@1", "rag.review@1", "rag.event@1"]

_LAST_VERSION: Final = 2**53


class NewRegistered(Strict):
    """What every new object needs."""

    name: Name


class Change(Strict):
    """What to change. A member that is absent stays as it is."""

    expected_version: int = Field(
        ge=1, le=_LAST_VERSION, description="The version that the caller saw."
    )

    def stated(self, name: str) -> Any:
        """What is said of a member; `core.registry.registered.UNSET` where it is absent."""
        return getattr(self, name) if name in self.model_fields_set else core.UNSET


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


#: Of a member of a change: its default is never taken.
OPTIONAL: Final[Any] = {"json_schema_extra": _without_default}
#: Of a change: whether the object is in use from now on.
Active = Annotated[bool, Field(description="Whether it is in use from now on.", **OPTIONAL)]


class Registered(Answer):
    """An object of the registry."""

    id: str
    name: str
    created_at: datetime


class Changeable(Registered):
    """An object of which something may change."""

    active: bool
    version: int = Field(description="To be given as expected_version.")


class OfProjectQuery(PageQuery):
    """Which objects a list is of."""

    project_id: str | None = Field(default=None, description="Only those of this project.")


class OfBindingQuery(OfProjectQuery):
    """Which objects a list is of."""

    binding_id: str | None = Field(default=None, description="Only those of this binding.")


def registered_members(one: core.Registered) -> dict[str, Any]:
    """The members that every object has."""
    members = {"id": one.id, "name": one.name, "created_at": one.created_at}
    if isinstance(one, core.Changeable):
        members |= {"active": one.active, "version": one.version}
    return members
