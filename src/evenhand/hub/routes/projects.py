"""Projects over HTTP: register, list, look, take out of use and back."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.usecases.registry import projects
from evenhand.wire import projects as wire
from evenhand.wire.paging import Page, PageQuery


def list_projects(request: Request, query: Annotated[PageQuery, Query()]) -> Page[wire.Project]:
    """Newest first."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.projects.list_latest(limit=query.limit + 1, after=after)
    )
    return page_of(found, query.limit, wire.project_to_wire)


def create_project(request: Request, body: wire.NewProject) -> wire.Project:
    """A new project."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: projects.create(
            uow,
            name=body.name,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.project_to_wire(made)


def get_project(request: Request, project_id: str) -> wire.Project:
    """One project by its id."""
    found = parts_of(request).database.read(lambda uow: uow.projects.get(project_id))
    return wire.project_to_wire(found)


def change_project(request: Request, project_id: str, body: wire.ProjectChange) -> wire.Project:
    """The project with what was said; what was not stays as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: projects.change(
            uow,
            project_id,
            expected_version=body.expected_version,
            active=body.stated("active"),
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.project_to_wire(made)


ENTRIES = registered_entries(
    "project",
    list_all=list_projects,
    create=create_project,
    get=get_project,
    change=change_project,
)
