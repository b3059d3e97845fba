"""Routes over HTTP: register, list, look, point a stable one elsewhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import routes
from evenhand.wire import routes as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfBindingQuery


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


ENTRIES = registered_entries(
    "route",
    list_all=list_routes,
    create=create_route,
    get=get_route,
    change=change_route,
)
