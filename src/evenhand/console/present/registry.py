"""How do deployments and routes look: in a list, and each by itself?

A deployment is what it is for good; what may change of it stands apart. Where a route points is
shown from both ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import binding_routes_address, deployment_address, route_address
from evenhand.console.present.forms import FactView, Option, UseView, options, use_view
from evenhand.console.present.times import Moment, moment
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.route import Route
from evenhand.core.registry.runtime import Runtime, RuntimeKind
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_id, shown_text

_NONE: Final = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteRow:
    """A route in a list.

    Attributes:
        name, address: of the route.
        kind: stable or experiment.
        is_production: whether what it points to is in production.
        binding, binding_address: where it belongs: project and binding.
        deployment, deployment_address: where it points.
        use: whether it is in use.
        made: when it was registered.
    """

    name: str
    address: str
    kind: str
    is_production: bool
    binding: str
    binding_address: str
    deployment: str
    deployment_address: str
    use: UseView
    made: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRow:
    """A deployment in a list.

    Attributes:
        name, address: of the deployment.
        project: whose.
        identity, dimension, cutoff: of its vectors.
        routes: the active routes that point to it; none where nothing does.
        is_production: whether a stable one does.
        use: whether it is in use.
        made: when it was registered.
    """

    name: str
    address: str
    project: str
    identity: str
    dimension: int
    cutoff: str
    routes: tuple[FactView, ...]
    is_production: bool
    use: UseView
    made: Moment


def route_rows(
    found: Iterable[Route], *, names: Mapping[str, str], now: datetime
) -> tuple[RouteRow, ...]:
    """Routes of a list, in its order.

    Args:
        found: the routes.
        names: of projects, bindings and deployments, by id.
        now: aware UTC.
    """
    return tuple(
        RouteRow(
            name=one.name,
            address=route_address(one.id),
            kind=one.kind.value,
            is_production=one.is_production,
            binding=f"{_name(names, one.project_id)} / {_name(names, one.binding_id)}",
            binding_address=binding_routes_address(one.binding_id),
            deployment=_name(names, one.deployment_id),
            deployment_address=deployment_address(one.deployment_id),
            use=use_view(one),
            made=moment(one.created_at, now=now),
        )
        for one in found
    )


def deployment_rows(
    found: Iterable[Deployment],
    *,
    routes: Sequence[Route],
    names: Mapping[str, str],
    now: datetime,
) -> tuple[DeploymentRow, ...]:
    """Deployments of a list, in its order.

    Args:
        found: the deployments.
        routes: every active route of their projects.
        names: of projects, by id.
        now: aware UTC.
    """
    return tuple(_deployment_row(one, routes, names, now) for one in found)


def deployment_facts(
    one: Deployment, *, artifact: Artifact, runtime: Runtime, project: str
) -> tuple[FactView, ...]:
    """What a deployment is and stays.

    Args:
        one: the deployment.
        artifact: what is run.
        runtime: by what.
        project: name of whose it is.
    """
    kind = "server" if runtime.kind is RuntimeKind.OPENAI_HTTP else "in process"
    return (
        FactView(name="Project", text=project, whole=one.project_id),
        FactView(name="Embedding identity", text=shown_id(one.embedding_identity)),
        FactView(name="Dimension", text=str(one.dimension)),
        FactView(name="Model", text=f"{artifact.name} ({shown_id(artifact.model)})"),
        FactView(name="Artifact", text=numbers.short(artifact.digest), whole=artifact.digest),
        FactView(name="Runtime", text=f"{runtime.name} ({kind}, {shown_id(runtime.identity)})"),
        FactView(name="Model at the runtime", text=shown_text(one.upstream_model or _NONE)),
        FactView(name="Query prefix", text=_prefix(one.query_prefix)),
        FactView(name="Document prefix", text=_prefix(one.document_prefix)),
    )


def cutoff_text(one: Deployment) -> str:
    """The score below which a result is no answer."""
    return _NONE if one.score_cutoff is None else f"{one.score_cutoff:g}"


def choices(found: Iterable[Deployment], chosen: str) -> tuple[Option, ...]:
    """Deployments that a route may be pointed at.

    Args:
        found: of the route's project; those out of use are left out.
        chosen: id of the present one.
    """
    offered = (one for one in found if one.active or one.id == chosen)
    return options(((one.id, choice_text(one)) for one in offered), chosen)


def choice_text(one: Deployment) -> str:
    """A deployment among others to choose from."""
    return f"{one.name} ({one.embedding_identity}, {one.dimension} dimensions)"


def _deployment_row(
    one: Deployment, routes: Sequence[Route], names: Mapping[str, str], now: datetime
) -> DeploymentRow:
    pointing = [route for route in routes if route.deployment_id == one.id]
    return DeploymentRow(
        name=one.name,
        address=deployment_address(one.id),
        project=_name(names, one.project_id),
        identity=shown_id(one.embedding_identity),
        dimension=one.dimension,
        cutoff=cutoff_text(one),
        routes=tuple(
            FactView(name=route.kind.value, text=route.name, address=route_address(route.id))
            for route in pointing
        ),
        is_production=any(route.is_production for route in pointing),
        use=use_view(one),
        made=moment(one.created_at, now=now),
    )


def _prefix(text: str) -> str:
    return f"“{shown_text(text, limit=None)}”" if text else _NONE


def _name(names: Mapping[str, str], row_id: str) -> str:
    return names.get(row_id, wording.UNKNOWN)
