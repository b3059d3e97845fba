"""What does the API tell of routes?"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evenhand.core.registry import route as core
from evenhand.wire.registered import (
    OPTIONAL,
    Active,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)

KindName = Literal["stable", "experiment"]


class NewRoute(NewRegistered):
    """What to make. Its name is what the gateway takes as model."""

    binding_id: str
    kind: KindName
    deployment_id: str

    @property
    def core_kind(self) -> core.RouteKind:
        """The kind as the core has it."""
        return core.RouteKind(self.kind)


class RouteChange(Change):
    """What to change."""

    deployment_id: Annotated[
        str, Field(description="Of a stable route: what is in production.", **OPTIONAL)
    ] = ""
    active: Active = True


class Route(Changeable):
    """A name for a deployment."""

    project_id: str
    binding_id: str
    kind: KindName
    deployment_id: str


def route_to_wire(one: core.Route) -> Route:
    """All of it."""
    return Route(
        **registered_members(one),
        project_id=one.project_id,
        binding_id=one.binding_id,
        kind=one.kind.value,
        deployment_id=one.deployment_id,
    )
