"""Routes: which name answers with which deployment, and what is in production."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from evenhand.console.addresses import MODEL_ROUTES, route_address
from evenhand.console.guard import Page, actor_of, form_of, form_token_of, may
from evenhand.console.listing import Paged
from evenhand.console.names import names_of_routes
from evenhand.console.navigation import MODELS, Place
from evenhand.console.offsets import read_window
from evenhand.console.parts import parts_of
from evenhand.console.present.forms import Option
from evenhand.console.present.registry import RouteRow, choices, route_rows
from evenhand.console.rendering import render
from evenhand.core.access.roles import Action
from evenhand.core.registry.registered import UNSET, Unset
from evenhand.core.registry.route import RouteKind
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import routes

KEY: Final = "routes"
#: How many deployments are offered to point at, the newest first.
_OFFERED: Final = 200
_SEE_OTHER: Final = 303


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """Some routes, newest first.

    Attributes:
        paged: the routes.
        binding: name of the binding whose routes they are; empty for all.
    """

    paged: Paged[RouteRow]
    binding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailView:
    """One route.

    Attributes:
        id: of the route.
        row: what a list tells of it.
        is_active: whether it is in use.
        version: to be given with a change.
        choices: what it may be pointed at; none for an experiment, which stays with its own.
        can_change: whether whoever looks may change it.
        form_token: of the session.
    """

    id: str
    row: RouteRow
    is_active: bool
    version: int
    choices: tuple[Option, ...]
    can_change: bool
    form_token: str


def list_routes(request: Request) -> Response:
    """Newest first; those of a project or a binding, or all."""
    window = read_window(request, filters=("project", "binding"))
    parts = parts_of(request)

    def work(uow: UnitOfWork) -> ListView:
        binding_id = window.filter("binding")
        binding = None if binding_id is None else uow.bindings.get(binding_id)
        found = uow.routes.list_latest(
            # Routes are found by their project, which a binding has.
            project_id=window.filter("project") if binding is None else binding.project_id,
            binding_id=binding_id,
            limit=window.wanted,
            offset=window.offset,
        )
        names = names_of_routes(uow, found)
        rows = route_rows(found, names=names, now=parts.clock.now())
        return ListView(paged=window.page(rows), binding="" if binding is None else binding.name)

    return render(request, "routes/list.html", parts.database.read(work), here=KEY)


def show_route(request: Request) -> Response:
    """One route and where it points."""
    parts = parts_of(request)
    can_change, token = may(request, Action.WRITE), form_token_of(request)

    def work(uow: UnitOfWork) -> DetailView:
        one = uow.routes.get(request.path_params["route_id"])
        [row] = route_rows([one], names=names_of_routes(uow, [one]), now=parts.clock.now())
        offered: tuple[Option, ...] = ()
        if one.kind is RouteKind.STABLE:
            found = uow.deployments.list_latest(project_id=one.project_id, limit=_OFFERED)
            offered = choices(found, one.deployment_id)
        return DetailView(
            id=one.id,
            row=row,
            is_active=one.active,
            version=one.version,
            choices=offered,
            can_change=can_change,
            form_token=token,
        )

    return render(request, "routes/show.html", parts.database.read(work), here=KEY)


def set_use(request: Request) -> Response:
    """Take a route out of use, or back."""
    return _change(request, active=form_of(request).flag("active"))


def point(request: Request) -> Response:
    """Point a stable route at another deployment, which changes what is in production."""
    return _change(request, deployment_id=form_of(request).required("deployment"))


def _change(
    request: Request, *, active: bool | Unset = UNSET, deployment_id: str | Unset = UNSET
) -> Response:
    parts, route_id = parts_of(request), request.path_params["route_id"]
    version, actor = form_of(request).version(), actor_of(request)
    parts.database.run(
        lambda uow: routes.change(
            uow,
            route_id,
            expected_version=version,
            active=active,
            deployment_id=deployment_id,
            actor=actor,
            ids=parts.ids,
        )
    )
    return RedirectResponse(route_address(route_id), status_code=_SEE_OTHER)


def _has_any(uow: UnitOfWork) -> bool:
    return bool(uow.routes.list_latest(limit=1))


_ONE: Final = f"{MODEL_ROUTES}/{{route_id}}"

ROUTES: Final = (
    Page(MODEL_ROUTES, list_routes),
    Page(_ONE, show_route),
    Page(f"{_ONE}/use", set_use, method="POST", action=Action.WRITE),
    Page(f"{_ONE}/point", point, method="POST", action=Action.WRITE),
)
PLACES: Final = (
    Place(
        key=KEY,
        name="Routes",
        path=MODEL_ROUTES,
        group=MODELS,
        shortcut="u",
        is_kept=_has_any,
    ),
)
