"""Routes over HTTP: register, list, look, point a stable one elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.registry import routes
from evenhand.wire import routes as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfBindingQuery

_PATH = f"{API}/routes"


def list_routes(request: Request, query: Annotated[OfBindingQuery, Query()]) -> Page[wire.Route]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.routes.list_latest(
            project_id=query.project_id,
            binding_id=query.binding_id,
            limit=query.limit + 1,
            after=after,
        )
    )
    return page_of(found, query.limit, wire.route_to_wire)


def create_route(request: Request, body: wire.NewRoute) -> wire.Route:
    """A new route of a binding."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: routes.create(
            uow,
            binding_id=body.binding_id,
            name=body.name,
            kind=body.core_kind,
            deployment_id=body.deployment_id,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.route_to_wire(made)


def get_route(request: Request, route_id: str) -> wire.Route:
    """One route by its id."""
    found = parts_of(request).database.read(lambda uow: uow.routes.get(route_id))
    return wire.route_to_wire(found)


def change_route(request: Request, route_id: str, body: wire.RouteChange) -> wire.Route:
    """The route with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: routes.change(
            uow,
            route_id,
            expected_version=body.expected_version,
            deployment_id=body.stated("deployment_id"),
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.route_to_wire(made)


ENTRIES = (
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_routes,
        action=Action.READ,
        summary="List routes",
        problems=(422,),
    ),
    Entry(
        method="POST",
        path=_PATH,
        endpoint=create_route,
        action=Action.WRITE,
        summary="Register a route",
        body=Body.OBJECT,
        status=CREATED,
        problems=(409,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/{{route_id}}",
        endpoint=get_route,
        action=Action.READ,
        summary="One route",
        problems=(404,),
    ),
    Entry(
        method="PATCH",
        path=f"{_PATH}/{{route_id}}",
        endpoint=change_route,
        action=Action.WRITE,
        summary="Change a route",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
)
