"""Requests to the gateway: a list by client, deployment, end and time, and one without any text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import GATEWAY_REQUESTS
from evenhand.console.instants import read_instant
from evenhand.console.listing import Listing, Paged, page_of, read_listing
from evenhand.console.names import choices_of, names_of
from evenhand.console.navigation import MODELS, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.gateway_requests import (
    Names,
    RequestRow,
    request_row,
    request_view,
)
from evenhand.console.rendering import render
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.gateway import GatewayRequestNotFound
from evenhand.core.gateway.listing import Wanted
from evenhand.core.gateway.request import GatewayRequest, RequestState
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "gateway-requests"
_FILTERS: Final = ("client", "deployment", "state", "since", "until")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsView:
    """A page of the list.

    Attributes:
        listing: what was asked for.
        page: the rows.
        clients, deployments: id and name of what can be chosen.
        states: what can be chosen.
    """

    listing: Listing
    page: Paged[RequestRow]
    clients: tuple[tuple[str, str], ...]
    deployments: tuple[tuple[str, str], ...]
    states: tuple[str, ...]


def list_requests(request: Request) -> Response:
    """Newest first, those that are asked for."""
    parts = parts_of(request)
    listing = read_listing(request, filters=_FILTERS)
    wanted = _wanted(listing)

    def read(uow: UnitOfWork) -> RequestsView:
        found = uow.gateway_requests.list_latest(
            wanted,
            limit=listing.size + 1,
            after=_edge(uow, listing.after, "after"),
            before=_edge(uow, listing.before, "before"),
        )
        names, now = _names(uow, found), parts.clock.now()
        rows = [request_row(one, names, now=now) for one in found]
        return RequestsView(
            listing=listing,
            page=page_of(listing, rows, id_of=lambda row: row.public_id),
            clients=choices_of(uow.service_clients),
            deployments=choices_of(uow.deployments),
            states=tuple(state.value for state in RequestState),
        )

    view = parts.database.read(read)
    return render(request, "gateway/list.html", view, here=KEY)


def show_request(request: Request) -> Response:
    """One request with everything that is kept of it."""
    public_id = request.path_params["public_id"]

    def read(uow: UnitOfWork) -> tuple[GatewayRequest, Names]:
        found = uow.gateway_requests.find_by_public_id(public_id)
        if found is None:
            raise GatewayRequestNotFound
        return found, _names(uow, [found])

    found, names = parts_of(request).database.read(read)
    return render(request, "gateway/show.html", request_view(found, names), here=KEY)


def _wanted(listing: Listing) -> Wanted:
    state = listing.filter("state")
    if state is not None and state not in {one.value for one in RequestState}:
        known = ", ".join(one.value for one in RequestState)
        raise InvalidValue("state", f"must be one of {known}")
    return Wanted(
        client_id=listing.filter("client"),
        deployment_id=listing.filter("deployment"),
        state=None if state is None else RequestState(state),
        since=read_instant(listing.filter("since"), "since"),
        until=read_instant(listing.filter("until"), "until"),
    )


def _edge(uow: UnitOfWork, public_id: str | None, name: str) -> tuple[datetime, str] | None:
    if public_id is None:
        return None
    found = uow.gateway_requests.find_by_public_id(public_id)
    if found is None:
        raise InvalidValue(name, "names a request that is not kept any more")
    return found.created_at, found.id


def _names(uow: UnitOfWork, found: tuple[GatewayRequest, ...] | list[GatewayRequest]) -> Names:
    served = [one.served for one in found if one.served is not None]
    return Names(
        clients=names_of(uow.service_clients, (one.caller.client_id for one in found)),
        deployments=names_of(uow.deployments, (one.deployment_id for one in served)),
        projects=names_of(uow.projects, (one.project_id for one in served)),
    )


def _is_kept(uow: UnitOfWork) -> bool:
    return bool(uow.gateway_requests.list_latest(Wanted(), limit=1))


ROUTES: Final = (
    Route(GATEWAY_REQUESTS, list_requests),
    Route(f"{GATEWAY_REQUESTS}/{{public_id}}", show_request),
)
PLACES: Final = (
    Place(
        key=KEY,
        name="Gateway requests",
        path=GATEWAY_REQUESTS,
        group=MODELS,
        shortcut="g",
        is_kept=_is_kept,
    ),
)
