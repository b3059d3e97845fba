"""Register a name for a deployment; point a stable one elsewhere; take it out of use."""

from __future__ import annotations

from evenhand.core.access.roles import Actor
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.core.registry.route import Route, RouteKind
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper, referred


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    binding_id: str,
    name: str,
    kind: RouteKind,
    deployment_id: str,
    actor: Actor,
    ids: Ids,
) -> Route:
    """A new route of a binding.

    Args:
        uow: an open transaction.
        binding_id: where it belongs.
        name: what the gateway takes as ``model``; no other route of the project may have it.
        kind: a stable one puts its deployment into production.
        deployment_id: of the binding's project.
        actor: who asks.
        ids: of the rows.

    Raises:
        ReferenceRefused: the binding or the deployment is unknown, of another project or not
            active, or the project is not active.
        InvalidName: the name breaks the rule.
        NameTaken: another route of the project has it.
        StableRouteExists: the binding has an active stable route.
    """
    binding = referred(uow.bindings.find(binding_id), Noun.BINDING)
    referred(uow.projects.find(binding.project_id), Noun.PROJECT)
    deployment = _deployment(uow, deployment_id, binding.project_id)
    keeper = Keeper(uow, Noun.ROUTE, actor=actor, ids=ids)
    made = Route(
        **keeper.stamp(),
        name=name,
        project_id=binding.project_id,
        binding_id=binding.id,
        kind=kind,
        deployment_id=deployment,
    )
    return keeper.add(uow.routes, made, related_id=deployment)


def change(  # noqa: PLR0913 -- what may change, by keyword
    uow: UnitOfWork,
    route_id: str,
    *,
    expected_version: int,
    deployment_id: str | Unset = UNSET,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Route:
    """Point a stable route at another deployment, which changes production; take one out of use.

    Raises:
        RegisteredNotFound: there is no such route.
        VersionConflict: it has another version.
        InvalidValue: another deployment for an experiment.
        ReferenceRefused: the deployment is unknown, of another project or not active; a route
            that is in use from now on needs one that is.
        StableRouteExists: it would be the binding's second active stable route.
    """
    former = uow.routes.get(route_id)
    wanted = former.deployment_id if isinstance(deployment_id, Unset) else deployment_id
    keeper = Keeper(uow, Noun.ROUTE, actor=actor, ids=ids)
    # The version first: to a caller that saw another route the rest says nothing.
    made = former.changed(expected_version=expected_version, active=active)
    former.require_can_point_to(wanted)
    if wanted != former.deployment_id or (made.active and not former.active):
        _deployment(uow, wanted, former.project_id)
    return keeper.change(
        uow.routes,
        former,
        expected_version=expected_version,
        related_id=wanted,
        deployment_id=wanted,
        active=active,
    )


def _deployment(uow: UnitOfWork, deployment_id: str, project_id: str) -> str:
    found = uow.deployments.find(deployment_id)
    return referred(found, Noun.DEPLOYMENT, project_id=project_id).id
