"""Suites over HTTP: made and changed by operators, read by people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import suites
from evenhand.wire import suites as wire
from evenhand.wire.paging import Page
from evenhand.wire.registered import OfProjectQuery


def list_suites(request: Request, query: Annotated[OfProjectQuery, Query()]) -> Page[wire.Suite]:
    """Newest first; those of a project, or all."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.suites.list_latest(
            project_id=query.project_id, limit=query.limit + 1, after=after
        )
    )
    return page_of(found, query.limit, wire.suite_to_wire)


def get_suite(request: Request, suite_id: str) -> wire.Suite:
    """One suite by its id."""
    found = parts_of(request).database.read(lambda uow: uow.suites.get(suite_id))
    return wire.suite_to_wire(found)


def create_suite(request: Request, body: wire.NewSuite) -> wire.Suite:
    """A new suite of a project."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: suites.create(
            uow, project_id=body.project_id, name=body.name, actor=actor, ids=parts.ids
        )
    )
    return wire.suite_to_wire(made)


def change_suite(request: Request, suite_id: str, body: wire.SuiteChange) -> wire.Suite:
    """Take a suite out of use, or back into it."""
    parts, actor = parts_of(request), principal_of(request).actor
    changed = parts.database.run(
        lambda uow: suites.change(
            uow,
            suite_id,
            active=body.stated("active"),
            expected_version=body.expected_version,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.suite_to_wire(changed)


ENTRIES = registered_entries(
    "suite",
    list_all=list_suites,
    create=create_suite,
    get=get_suite,
    change=change_suite,
)
