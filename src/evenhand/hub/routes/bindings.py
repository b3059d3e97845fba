"""Bindings over HTTP: register, list, look, change the stage, take out of use and back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import bindings
from evenhand.wire import bindings as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfProjectQuery


def list_bindings(
    request: Request, query: Annotated[OfProjectQuery, Query()]
) -> Page[wire.Binding]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.bindings.list_latest(
            project_id=query.project_id, limit=query.limit + 1, after=after
        )
    )
    return page_of(found, query.limit, wire.binding_to_wire)


def create_binding(request: Request, body: wire.NewBinding) -> wire.Binding:
    """A new binding of a project."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: bindings.create(
            uow,
            project_id=body.project_id,
            name=body.name,
            capability=body.core_capability,
            stage=body.core_stage,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.binding_to_wire(made)


def get_binding(request: Request, binding_id: str) -> wire.Binding:
    """One binding by its id."""
    found = parts_of(request).database.read(lambda uow: uow.bindings.get(binding_id))
    return wire.binding_to_wire(found)


def change_binding(request: Request, binding_id: str, body: wire.BindingChange) -> wire.Binding:
    """The binding with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: bindings.change(
            uow,
            binding_id,
            expected_version=body.expected_version,
            stage=body.core_stage,
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.binding_to_wire(made)


ENTRIES = registered_entries(
    "binding",
    list_all=list_bindings,
    create=create_binding,
    get=get_binding,
    change=change_binding,
)
