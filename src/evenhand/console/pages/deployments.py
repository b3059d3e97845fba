"""Deployments: which models serve which project, and which route points to each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.console.addresses import DEPLOYMENTS, deployment_address
from evenhand.console.forms import Form
from evenhand.console.guard import Page, actor_of, form_of, form_token_of, may
from evenhand.console.listing import Paged
from evenhand.console.names import names_of, names_of_routes
from evenhand.console.navigation import MODELS, Place
from evenhand.console.offsets import read_window
from evenhand.console.parts import parts_of
from evenhand.console.present.forms import FactView, UseView, use_view
from evenhand.console.present.registry import (
    DeploymentRow,
    RouteRow,
    cutoff_text,
    deployment_facts,
    deployment_rows,
    route_rows,
)
from evenhand.console.present.times import Moment, moment
from evenhand.console.rendering import render
from evenhand.core.access.roles import Action
from evenhand.core.errors.console import InvalidForm
from evenhand.core.registry.registered import UNSET, Unset
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import deployments

KEY: Final = "deployments"
#: How many routes of a project are looked at for where they point.
_ROUTES: Final = 200
_SEE_OTHER: Final = 303


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """Some deployments, newest first."""

    paged: Paged[DeploymentRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailView:
    """One deployment.

    Attributes:
        id, name: of the deployment.
        use: whether it is in use.
        is_active: the same, as a claim.
        made: when it was registered.
        version: to be given with a change.
        facts: what it is and stays.
        cutoff: what may change.
        cutoff_value: the same as a field shows it; empty for none.
        routes: which point to it.
        is_production: whether an active stable one does.
        can_change: whether whoever looks may change it.
        form_token: of the session.
    """

    id: str
    name: str
    use: UseView
    is_active: bool
    made: Moment
    version: int
    facts: tuple[FactView, ...]
    cutoff: str
    cutoff_value: str
    routes: tuple[RouteRow, ...]
    is_production: bool
    can_change: bool
    form_token: str


def list_deployments(request: Request) -> Response:
    """Newest first; those of a project, or all."""
    window, now = read_window(request, filters=("project",)), parts_of(request).clock.now()

    def work(uow: UnitOfWork) -> tuple[DeploymentRow, ...]:
        found = uow.deployments.list_latest(
            project_id=window.filter("project"), limit=window.wanted, offset=window.offset
        )
        names = names_of(uow.projects, (one.project_id for one in found))
        return deployment_rows(
            found,
            routes=[route for owner in names for route in uow.routes.list_active(owner)],
            names=names,
            now=now,
        )

    view = ListView(paged=window.page(parts_of(request).database.read(work)))
    return render(request, "deployments/list.html", view, here=KEY)


def show_deployment(request: Request) -> Response:
    """One deployment, and which routes point to it."""
    parts, now = parts_of(request), parts_of(request).clock.now()
    can_change, token = may(request, Action.WRITE), form_token_of(request)

    def work(uow: UnitOfWork) -> DetailView:
        one = uow.deployments.get(request.path_params["deployment_id"])
        of_project = uow.routes.list_latest(project_id=one.project_id, limit=_ROUTES)
        pointing = [route for route in of_project if route.deployment_id == one.id]
        return DetailView(
            id=one.id,
            name=one.name,
            use=use_view(one),
            is_active=one.active,
            made=moment(one.created_at, now=now),
            version=one.version,
            facts=deployment_facts(
                one,
                artifact=uow.artifacts.get(one.artifact_id),
                runtime=uow.runtimes.get(one.runtime_id),
                project=uow.projects.get(one.project_id).name,
            ),
            cutoff=cutoff_text(one),
            cutoff_value="" if one.score_cutoff is None else repr(one.score_cutoff),
            routes=route_rows(pointing, names=names_of_routes(uow, pointing), now=now),
            is_production=any(route.is_production for route in pointing),
            can_change=can_change,
            form_token=token,
        )

    return render(request, "deployments/show.html", parts.database.read(work), here=KEY)


def set_use(request: Request) -> Response:
    """Take a deployment out of use, or back."""
    return _change(request, active=form_of(request).flag("active"))


def set_cutoff(request: Request) -> Response:
    """Set the score below which a result is no answer; nothing in the field is none."""
    return _change(request, score_cutoff=_cutoff(form_of(request)))


def _change(
    request: Request,
    *,
    active: bool | Unset = UNSET,
    score_cutoff: float | Unset | None = UNSET,
) -> Response:
    parts, deployment_id = parts_of(request), request.path_params["deployment_id"]
    version, actor = form_of(request).version(), actor_of(request)
    parts.database.run(
        lambda uow: deployments.change(
            uow,
            deployment_id,
            expected_version=version,
            active=active,
            score_cutoff=score_cutoff,
            actor=actor,
            ids=parts.ids,
        )
    )
    return RedirectResponse(deployment_address(deployment_id), status_code=_SEE_OTHER)


def _cutoff(form: Form) -> float | None:
    """The cutoff of a form, None for none.

    Raises:
        InvalidForm: it is no number.
    """
    given = form.text("score_cutoff")
    if not given:
        return None
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InvalidForm("score_cutoff", "must be a number, or nothing for no cutoff")
    return value


def _has_any(uow: UnitOfWork) -> bool:
    return bool(uow.deployments.list_latest(limit=1))


_ONE: Final = f"{DEPLOYMENTS}/{{deployment_id}}"

ROUTES: Final = (
    Page(DEPLOYMENTS, list_deployments),
    Page(_ONE, show_deployment),
    Page(f"{_ONE}/use", set_use, method="POST", action=Action.WRITE),
    Page(f"{_ONE}/cutoff", set_cutoff, method="POST", action=Action.WRITE),
)
PLACES: Final = (
    Place(
        key=KEY,
        name="Deployments",
        path=DEPLOYMENTS,
        group=MODELS,
        shortcut="d",
        is_kept=_has_any,
    ),
)
