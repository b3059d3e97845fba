"""Runtimes over HTTP: register, list, look, name another variable for the secret."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import runtimes
from evenhand.wire import runtimes as wire
from evenhand.wire.paging import Page, PageQuery


def list_runtimes(request: Request, query: Annotated[PageQuery, Query()]) -> Page[wire.Runtime]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.runtimes.list_latest(limit=query.limit + 1, after=after)
    )
    return page_of(found, query.limit, wire.runtime_to_wire)


def create_runtime(request: Request, body: wire.NewRuntime) -> wire.Runtime:
    """A new runtime."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: runtimes.create(
            uow,
            name=body.name,
            kind=body.core_kind,
            identity=body.identity,
            base_url=body.base_url,
            secret_env=body.secret_env,
            embedder=body.embedder,
            max_inputs=body.max_inputs,
            allow=parts.upstream_allow,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.runtime_to_wire(made)


def get_runtime(request: Request, runtime_id: str) -> wire.Runtime:
    """One runtime by its id."""
    found = parts_of(request).database.read(lambda uow: uow.runtimes.get(runtime_id))
    return wire.runtime_to_wire(found)


def change_runtime(request: Request, runtime_id: str, body: wire.RuntimeChange) -> wire.Runtime:
    """The runtime with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: runtimes.change(
            uow,
            runtime_id,
            expected_version=body.expected_version,
            secret_env=body.stated("secret_env"),
            max_inputs=body.stated("max_inputs"),
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.runtime_to_wire(made)


ENTRIES = registered_entries(
    "runtime",
    list_all=list_runtimes,
    create=create_runtime,
    get=get_runtime,
    change=change_runtime,
)
