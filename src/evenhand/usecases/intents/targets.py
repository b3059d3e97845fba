"""What does a comparison name, as the registry says it now, and is it still what was pinned?"""

from __future__ import annotations

from typing import Final, TypeVar

from evenhand.core.comparison.admission import (
    IntentRequest,
    Served,
    Targets,
    admit,
    request_of,
)
from evenhand.core.comparison.pins import Pins
from evenhand.core.errors import Invalid
from evenhand.core.errors.comparison import TargetChanged
from evenhand.core.errors.registry import ReferenceRefused, RegisteredNotFound
from evenhand.core.registry.binding import Binding
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.registered import Changeable, Noun, Registered
from evenhand.core.retrieval.suite_revision import SuiteRevision
from evenhand.usecases.ports import UnitOfWork

Found = TypeVar("Found", bound=Registered)

_REVISION: Final = "suite_revision"
_CURRENT_FIELD: Final = "current_deployment_id"
_CANDIDATE_FIELD: Final = "candidate_deployment_id"


def find_binding(uow: UnitOfWork, binding_id: str) -> Binding:
    """The binding that a request names, in use or not: its project is where keys are unique.

    Raises:
        ReferenceRefused: there is none.
    """
    found = uow.bindings.find(binding_id)
    if found is None:
        raise ReferenceRefused(Noun.BINDING.value, field="project_binding_id")
    return found


def find_targets(uow: UnitOfWork, request: IntentRequest) -> Targets:
    """What a request names.

    Args:
        uow: an open transaction.
        request: what is wanted.

    Raises:
        ReferenceRefused: something is unknown, of another project (both alike) or not in use.

    Source: statements C-08, C-09, C-16, G-47.
    """
    binding = find_binding(uow, request.binding_id)
    owner = binding.project_id
    project = _used(uow.projects.find(owner), Noun.PROJECT, "project_binding_id")
    _used(binding, Noun.BINDING, "project_binding_id")
    client = _used(
        _of(owner, uow.service_clients.find(request.client_id)),
        Noun.SERVICE_CLIENT,
        "consumer_client_id",
    )
    current = _of(owner, uow.deployments.find(request.current_deployment_id))
    candidate = _of(owner, uow.deployments.find(request.candidate_deployment_id))
    route = _of(owner, uow.routes.find(request.candidate_route_id))
    return Targets(
        project=project,
        binding=binding,
        client=client,
        revision=_revision(uow, request.suite_revision_id, owner),
        current=_served(
            uow, _used(current, Noun.DEPLOYMENT, _CURRENT_FIELD), field=_CURRENT_FIELD
        ),
        # That the candidate and its route are in use is a rule of admission, with codes of its own.
        candidate=_served(
            uow, _known(candidate, Noun.DEPLOYMENT, _CANDIDATE_FIELD), field=_CANDIDATE_FIELD
        ),
        candidate_route=_known(route, Noun.ROUTE, "candidate_route_id"),
        routes=uow.routes.list_active(owner),
    )


def require_unchanged(uow: UnitOfWork, pins: Pins) -> Targets:
    """What was pinned, where it is still as it was.

    Raises:
        TargetChanged: something of it is not, or might not be pinned any more (C-26 to C-28).
    """
    request = request_of(pins)
    try:
        targets = find_targets(uow, request)
        is_same = admit(request, targets).digest == pins.digest
    except (Invalid, RegisteredNotFound):
        is_same = False
    if not is_same:
        raise TargetChanged
    return targets


def _served(uow: UnitOfWork, deployment: Deployment, *, field: str) -> Served:
    """A deployment with what carries it out, where that is in use."""
    runtime = uow.runtimes.get(deployment.runtime_id)
    return Served(
        deployment=deployment,
        artifact=uow.artifacts.get(deployment.artifact_id),
        runtime=_used(runtime, Noun.RUNTIME, field),
    )


def _revision(uow: UnitOfWork, revision_id: str, owner: str) -> SuiteRevision:
    found = uow.suites.find_facts(revision_id)
    if found is None or found.project_id != owner:
        raise ReferenceRefused(_REVISION)
    suite = uow.suites.find(found.suite_id)
    if suite is None or not suite.active:
        raise ReferenceRefused(_REVISION, is_known=True)
    return found


def _of(owner: str, found: Found | None) -> Found | None:
    """What was found, where it is the project's own: to every other one it is unknown."""
    return found if getattr(found, "project_id", None) == owner else None


def _known(found: Found | None, noun: Noun, field: str) -> Found:
    if found is None:
        raise ReferenceRefused(noun.value, field=field)
    return found


def _used(found: Found | None, noun: Noun, field: str) -> Found:
    known = _known(found, noun, field)
    if isinstance(known, Changeable) and not known.active:
        raise ReferenceRefused(noun.value, field=field, is_known=True)
    return known
