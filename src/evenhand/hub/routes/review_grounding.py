"""Labels of people, agreements with them, and waivers over HTTP: operators record, people read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry.practices import get_revision
from evenhand.usecases.reviews import grounding
from evenhand.usecases.reviews.telling import find_project
from evenhand.wire import grounding as wire
from evenhand.wire.paging import Page

_PATH = f"{API}/reviews"


def add_labels(request: Request, body: wire.NewLabels) -> wire.Labelled:
    """Record what people say of cases; what is stored already is left as it is."""
    parts, actor = parts_of(request), principal_of(request).actor
    said = [one.to_core() for one in body.labels]
    done = parts.database.run(
        lambda uow: grounding.add_labels(uow, body.of(), said, actor=actor, ids=parts.ids)
    )
    return wire.Labelled(stored=done.stored, known=done.known)


def record_agreement(
    request: Request, response: Response, body: wire.NewAgreement
) -> wire.Agreement:
    """How one stratum agrees with what people say now; the one that is there where it is counted."""
    parts, principal = parts_of(request), principal_of(request)

    def work(uow: UnitOfWork) -> grounding.Recorded:
        project = find_project(uow, body.project_id, principal, active=False)
        return grounding.record(
            uow, project.id, (body.stratum,), actor=principal.actor, ids=parts.ids
        )

    done = parts.database.run(work)
    if not done.is_new:
        response.status_code = OK
    return wire.agreement_to_wire(done.agreement)


def list_agreements(
    request: Request, query: Annotated[wire.GroundsQuery, Query()]
) -> Page[wire.Agreement]:
    """The agreements of a revision, newest first."""
    after = place_of(query)

    def read(uow: UnitOfWork) -> Page[wire.Agreement]:
        revision = get_revision(uow, query.practice_revision_id)
        found = uow.grounding.list_agreements(revision.id, limit=query.limit + 1, after=after)
        return page_of(found, query.limit, wire.agreement_to_wire)

    return parts_of(request).database.read(read)


def waive(request: Request, body: wire.NewWaiver) -> wire.Waiver:
    """Let a revision be told as grounded without enough labels; each number then shows it."""
    parts, actor = parts_of(request), principal_of(request).actor
    made = parts.database.run(
        lambda uow: grounding.waive(
            uow, body.practice_revision_id, body.reason, actor=actor, ids=parts.ids
        )
    )
    return wire.waiver_to_wire(made)


def list_waivers(
    request: Request, query: Annotated[wire.GroundsQuery, Query()]
) -> Page[wire.Waiver]:
    """The waivers of a revision, newest first."""
    after = place_of(query)

    def read(uow: UnitOfWork) -> Page[wire.Waiver]:
        revision = get_revision(uow, query.practice_revision_id)
        found = uow.grounding.list_waivers(revision.id, limit=query.limit + 1, after=after)
        return page_of(found, query.limit, wire.waiver_to_wire)

    return parts_of(request).database.read(read)


ENTRIES = (
    Entry(
        method="POST",
        path=f"{_PATH}/labels",
        endpoint=add_labels,
        action=Action.WRITE,
        summary="Record what people say of reviewed cases",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=f"{_PATH}/agreements",
        endpoint=record_agreement,
        action=Action.WRITE,
        summary="Record how a stratum agrees with people",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/agreements",
        endpoint=list_agreements,
        action=Action.READ,
        summary="List the agreements of a revision",
        problems=(404, 422),
    ),
    Entry(
        method="POST",
        path=f"{_PATH}/waivers",
        endpoint=waive,
        action=Action.WRITE,
        summary="Let a revision be told as grounded without enough labels",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/waivers",
        endpoint=list_waivers,
        action=Action.READ,
        summary="List the waivers of a revision",
        problems=(404, 422),
    ),
)
