"""Practices over HTTP, and what they ask: written down by operators, read by people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.registered import registered_entries
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry import practices
from evenhand.wire import practices as wire
from evenhand.wire.paging import Page, PageQuery
from evenhand.wire.registered import OfProjectQuery

_REVISIONS = f"{API}/practices/{{practice_id}}/revisions"


def list_practices(
    request: Request, query: Annotated[OfProjectQuery, Query()]
) -> Page[wire.Practice]:
    """Newest first; those of a project, or all."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.practices.list_latest(
            project_id=query.project_id, limit=query.limit + 1, after=after
        )
    )
    return page_of(found, query.limit, wire.practice_to_wire)


def get_practice(request: Request, practice_id: str) -> wire.Practice:
    """One practice by its id."""
    found = parts_of(request).database.read(lambda uow: uow.practices.get(practice_id))
    return wire.practice_to_wire(found)


def create_practice(request: Request, body: wire.NewPractice) -> wire.Practice:
    """A new practice of a project."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: practices.create(
            uow, project_id=body.project_id, name=body.name, actor=actor, ids=parts.ids
        )
    )
    return wire.practice_to_wire(made)


def change_practice(
    request: Request, practice_id: str, body: wire.PracticeChange
) -> wire.Practice:
    """Take a practice out of use, or back into it."""
    parts, actor = parts_of(request), principal_of(request).actor
    changed = parts.database.run(
        lambda uow: practices.change(
            uow,
            practice_id,
            active=body.stated("active"),
            expected_version=body.expected_version,
            actor=actor,
            ids=parts.ids,
        )
    )
    return wire.practice_to_wire(changed)


def write_revision(
    request: Request, response: Response, practice_id: str, body: wire.NewPracticeRevision
) -> wire.PracticeRevision:
    """A revision that says this; the one that does where there is one."""
    parts, actor = parts_of(request), principal_of(request).actor
    written = parts.database.run(
        lambda uow: practices.write(uow, practice_id, body.to_core(), actor=actor, ids=parts.ids)
    )
    if not written.is_new:
        response.status_code = OK
    return wire.revision_to_wire(written.revision)


def list_practice_revisions(
    request: Request, practice_id: str, query: Annotated[PageQuery, Query()]
) -> Page[wire.PracticeRevision]:
    """The revisions of a practice, newest first."""
    after = place_of(query)

    def read(uow: UnitOfWork) -> Page[wire.PracticeRevision]:
        uow.practices.get(practice_id)
        found = uow.practices.list_revisions(practice_id, limit=query.limit + 1, after=after)
        return page_of(found, query.limit, wire.revision_to_wire)

    return parts_of(request).database.read(read)


def get_practice_revision(
    request: Request, practice_id: str, revision_id: str
) -> wire.PracticeRevision:
    """One revision of a practice."""

    def read(uow: UnitOfWork) -> wire.PracticeRevision:
        uow.practices.get(practice_id)
        found = practices.get_revision(uow, revision_id, practice_id=practice_id)
        return wire.revision_to_wire(found)

    return parts_of(request).database.read(read)


ENTRIES = (
    *registered_entries(
        "practice",
        list_all=list_practices,
        create=create_practice,
        get=get_practice,
        change=change_practice,
    ),
    Entry(
        method="POST",
        path=_REVISIONS,
        endpoint=write_revision,
        action=Action.WRITE,
        summary="Write down what a practice asks",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=_REVISIONS,
        endpoint=list_practice_revisions,
        action=Action.READ,
        summary="List the revisions of a practice",
        problems=(404, 422),
    ),
    Entry(
        method="GET",
        path=f"{_REVISIONS}/{{revision_id}}",
        endpoint=get_practice_revision,
        action=Action.READ,
        summary="One revision of a practice",
        problems=(404,),
    ),
)
