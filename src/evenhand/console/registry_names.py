"""What is called how? The names of what pages point to, looked up together and not one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from evenhand.console.names import names_of
from evenhand.core.comparison.intent import Intent
from evenhand.core.registry.route import Route
from evenhand.usecases.ports import UnitOfWork


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
