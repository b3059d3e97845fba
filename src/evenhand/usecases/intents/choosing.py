"""What can an operator choose when a comparison is prepared, as the registry says it now?

Offered is what may be pinned; whether it still may be is decided when the comparison is prepared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from evenhand.core.comparison.intent import Intent
from evenhand.core.comparison.pins import CAPABILITY
from evenhand.core.registry.binding import Binding
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.route import Route, candidate_fault, production_of
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import SuiteRevision
from evenhand.usecases.intents.preparing import last_interrupted
from evenhand.usecases.ports import UnitOfWork

#: How many of each kind are offered at most, the newest first.
MOST_OFFERED: Final = 100
#: How many revisions of one suite.
MOST_REVISIONS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointed:
    """A route and where it points to."""

    route: Route
    deployment: Deployment


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRevision:
    """A frozen suite revision with the suite that it is of."""

    suite: Suite
    revision: SuiteRevision


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What can be chosen for a binding.

    Attributes:
        project, binding: whose comparison it would be.
        production: what the binding's stable route points to; None without one, and then nothing
            can be prepared.
        candidates: experiment routes of the binding to deployments that may be tried.
        clients: who may carry it out.
        revisions: frozen cases of the project's active suites, the newest of each first.
        has_active: whether the binding has a comparison that has not ended.
        interrupted: the comparison whose program is to be looked at first (C-117); None without.
    """

    project: Project
    binding: Binding
    production: Pointed | None
    candidates: tuple[Pointed, ...]
    clients: tuple[ServiceClient, ...]
    revisions: tuple[OfferedRevision, ...]
    has_active: bool
    interrupted: Intent | None


def list_bindings(uow: UnitOfWork) -> tuple[Binding, ...]:
    """The bindings on which a comparison may be prepared, newest first (C-08)."""
    found = uow.bindings.list_latest(limit=MOST_OFFERED)
    return tuple(one for one in found if one.is_comparable_for(CAPABILITY))


def find_choices(uow: UnitOfWork, binding_id: str) -> Choices:
    """What can be chosen for a binding.

    Args:
        uow: an open transaction; one that only reads will do.
        binding_id: of which binding.

    Raises:
        RegisteredNotFound: there is no such binding.
    """
    binding = uow.bindings.get(binding_id)
    routes = uow.routes.list_active(binding.project_id)
    deployments = uow.deployments.find_all({one.deployment_id for one in routes})
    stable = production_of(binding.id, routes)
    production = None
    if stable is not None:
        production = Pointed(route=stable, deployment=deployments[stable.deployment_id])
    return Choices(
        project=uow.projects.get(binding.project_id),
        binding=binding,
        production=production,
        candidates=tuple(
            Pointed(route=one, deployment=deployments[one.deployment_id])
            for one in routes
            if candidate_fault(
                deployments[one.deployment_id], one, binding_id=binding.id, routes=routes
            )
            is None
        ),
        clients=tuple(
            one
            for one in uow.service_clients.list_latest(binding_id=binding.id, limit=MOST_OFFERED)
            if one.active and CAPABILITY in one.capabilities
        ),
        revisions=tuple(_revisions(uow, binding.project_id)),
        has_active=uow.intents.has_active(binding.id),
        interrupted=last_interrupted(uow, binding.id),
    )


def _revisions(uow: UnitOfWork, project_id: str) -> Iterator[OfferedRevision]:
    for suite in uow.suites.list_latest(project_id=project_id, limit=MOST_OFFERED):
        if suite.active:
            for revision in uow.suites.list_revisions(suite.id, limit=MOST_REVISIONS):
                yield OfferedRevision(suite=suite, revision=revision)
