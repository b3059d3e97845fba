"""Which deployment answers under which name, and which one is in production?

A route's name is what a caller of the gateway gives as ``model``. The active stable route of a
binding points to its production deployment; an experiment's route points to a candidate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from evenhand.core.errors import InvalidValue
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.registered import Changeable


class RouteKind(StrEnum):
    """What a route is for."""

    STABLE = "stable"
    EXPERIMENT = "experiment"


class CandidateFault(StrEnum):
    """Why a deployment cannot be the candidate of a comparison; the value is a stable code."""

    INACTIVE = "candidate_inactive"
    IN_PRODUCTION = "candidate_in_production"
    ROUTE_INACTIVE = "candidate_route_inactive"
    NO_EXPERIMENT = "candidate_route_not_experiment"
    OTHER_DEPLOYMENT = "candidate_route_of_other_deployment"
    OTHER_BINDING = "candidate_route_of_other_binding"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Changeable):
    """A name for a deployment. No other route of the project has it.

    Attributes:
        project_id, binding_id: where it belongs; neither ever changes.
        kind: stable or experiment; never changes. A binding has at most one active stable route.
        deployment_id: where it points to. A stable route may be pointed at another deployment,
            which is how production changes; an experiment is an experiment with one deployment.
    """

    project_id: str
    binding_id: str
    kind: RouteKind
    deployment_id: str

    @property
    def is_production(self) -> bool:
        """Whether what it points to is in production."""
        return self.active and self.kind is RouteKind.STABLE

    def require_can_point_to(self, deployment_id: str) -> None:
        """Let it through where it may point to this deployment from now on.

        Raises:
            InvalidValue: it is an experiment, and this is not its deployment.
        """
        if self.kind is not RouteKind.STABLE and deployment_id != self.deployment_id:
            raise InvalidValue("deployment_id", "only that of a stable route may change")


def production_of(binding_id: str, routes: Iterable[Route]) -> Route | None:
    """The route to a binding's production deployment as it is now, None where there is none.

    Args:
        binding_id: of the binding.
        routes: those of its project, or more.

    Source: statement C-10.
    """
    found = (one for one in routes if one.is_production and one.binding_id == binding_id)
    return next(found, None)


def candidate_fault(
    candidate: Deployment, route: Route, *, binding_id: str, routes: Iterable[Route]
) -> CandidateFault | None:
    """Why a deployment cannot be a binding's candidate through a route; None where it can.

    Args:
        candidate: of the binding's project.
        route: through which it is to be called, of the same project.
        binding_id: on whose binding it is tried.
        routes: every route of the project: a deployment that is in production anywhere in it is
            no candidate.

    Source: statements C-11, C-12, G-47.
    """
    faults = {
        CandidateFault.INACTIVE: not candidate.active,
        CandidateFault.IN_PRODUCTION: any(
            one.is_production and one.deployment_id == candidate.id for one in routes
        ),
        CandidateFault.OTHER_DEPLOYMENT: route.deployment_id != candidate.id,
        CandidateFault.OTHER_BINDING: route.binding_id != binding_id,
        CandidateFault.NO_EXPERIMENT: route.kind is not RouteKind.EXPERIMENT,
        CandidateFault.ROUTE_INACTIVE: not route.active,
    }
    return next((fault for fault, applies in faults.items() if applies), None)
