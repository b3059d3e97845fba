"""Service clients over HTTP: register, list, look, say what one may do."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import service_clients
from evenhand.wire import service_clients as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfBindingQuery


def list_service_clients(
    request: Request, query: Annotated[OfBindingQuery, Query()]
) -> Page[wire.ServiceClient]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.service_clients.list_latest(
            project_id=query.project_id,
            binding_id=query.binding_id,
            limit=query.limit + 1,
            after=after,
        )
    )
    return page_of(found, query.limit, wire.service_client_to_wire)


def create_service_client(request: Request, body: wire.NewServiceClient) -> wire.ServiceClient:
    """A new client of a binding."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: service_clients.create(
            uow,
            binding_id=body.binding_id,
            name=body.name,
            capabilities=body.core_capabilities,
            inputs_per_minute=body.inputs_per_minute,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.service_client_to_wire(made)


def get_service_client(request: Request, service_client_id: str) -> wire.ServiceClient:
    """One service client by its id."""
    found = parts_of(request).database.read(lambda uow: uow.service_clients.get(service_client_id))
    return wire.service_client_to_wire(found)


def change_service_client(
    request: Request, service_client_id: str, body: wire.ServiceClientChange
) -> wire.ServiceClient:
    """The service client with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: service_clients.change(
            uow,
            service_client_id,
            expected_version=body.expected_version,
            capabilities=body.core_capabilities,
            inputs_per_minute=body.stated("inputs_per_minute"),
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.service_client_to_wire(made)


ENTRIES = registered_entries(
    "service client",
    list_all=list_service_clients,
    create=create_service_client,
    get=get_service_client,
    change=change_service_client,
)
