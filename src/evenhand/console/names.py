"""What are registered objects called? Names of what pages show by id, looked up together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, TypeVar

from evenhand.core.comparison.intent import Intent
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import Route
from evenhand.usecases.ports import RegisteredRepository, UnitOfWork

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


def names_of_intents(uow: UnitOfWork, intents: Iterable[Intent], *bindings: str) -> dict[str, str]:
    """Names of projects, bindings, clients and deployments that comparisons name, by id.

    Args:
        uow: an open transaction.
        intents: some comparisons.
        bindings: further bindings, by id.
    """
    pins = [one.pins for one in intents]
    return {
        **names_of(uow.projects, {one.project_id for one in pins}),
        **names_of(uow.bindings, {one.binding_id for one in pins} | set(bindings)),
        **names_of(uow.service_clients, {one.client_id for one in pins}),
        **names_of(
            uow.deployments,
            {leg.deployment_id for one in pins for leg in (one.current, one.candidate)},
        ),
    }


def names_of_routes(uow: UnitOfWork, routes: Collection[Route]) -> dict[str, str]:
    """Names of projects, bindings and deployments of routes, by id.

    Args:
        uow: an open transaction.
        routes: some routes.
    """
    return {
        **names_of(uow.projects, {one.project_id for one in routes}),
        **names_of(uow.bindings, {one.binding_id for one in routes}),
        **names_of(uow.deployments, {one.deployment_id for one in routes}),
    }
