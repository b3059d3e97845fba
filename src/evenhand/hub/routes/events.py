"""Stored events over HTTP: one by its id, the contract, trusted answers, and deletion."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.contracts.contract import field_registry, shipped_contract
from evenhand.contracts.decoding import event_document
from evenhand.contracts.schema import json_schema
from evenhand.contracts.trusted import Window, answer_document, load_question, question_names
from evenhand.core.access.roles import Action
from evenhand.core.errors import InvalidValue
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import event_keeping
from evenhand.usecases import events as verbs
from evenhand.usecases.ports import UnitOfWork
from evenhand.wire import events as wire

_JSON = "application/json"
_OBJECT: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": {_JSON: {"schema": {"type": "object"}}}}},
}


def get_event(
    request: Request, event_id: str, query: Annotated[wire.EventQuery, Query()]
) -> wire.KeptEvent:
    """One event; to a service client, one that it sent."""
    principal = principal_of(request)
    found = parts_of(request).database.read(
        lambda uow: verbs.get_visible(uow, event_id, project=query.project_id, principal=principal)
    )
    return wire.KeptEvent(
        project_id=found.project_id,
        received_at=found.received_at,
        client_id=found.client_id,
        event=event_document(found.event),
    )


def get_contract() -> Response:
    """The contract that events are checked against, its schema, and its questions."""
    contract = shipped_contract()
    questions = [load_question(name) for name in question_names()]
    document = {
        "name": contract.name,
        "version": contract.version,
        "owner": contract.owner,
        "grain": contract.grain,
        "grain_key": contract.grain_key,
        "emitted_when": contract.emitted_when,
        "fields": field_registry(contract),
        "schema": json_schema(contract),
        "questions": [
            {"name": one.name, "asks": one.stated.asks, "sql_sha256": one.stated.sql_sha256}
            for one in questions
        ],
    }
    return Response(msgspec.json.encode(document), media_type=_JSON)


def get_answer(
    request: Request, question: str, query: Annotated[wire.WindowQuery, Query()]
) -> Response:
    """What a reviewed question gives over a window: groups and no total; series for a chart."""
    for name in ("start", "end"):
        if getattr(query, name).tzinfo is None:
            raise InvalidValue(name, "must be a time in UTC")
    window = Window(start=query.start.astimezone(UTC), end=query.end.astimezone(UTC))
    found = parts_of(request).database.read(lambda uow: verbs.answer(uow, question, window))
    return Response(msgspec.json.encode(answer_document(found)), media_type=_JSON)


def delete_account(request: Request, body: wire.Deletion) -> wire.Deleted:
    """Delete every event of an account."""
    parts, principal = parts_of(request), principal_of(request)

    def work(uow: UnitOfWork) -> int:
        project = None if body.project_id is None else verbs.find_project(uow, body.project_id).id
        return event_keeping.delete_account(
            uow, body.account_id, project_id=project, actor=principal.actor, ids=parts.ids
        )

    return wire.Deleted(deleted=parts.database.run(work))


ENTRIES = (
    Entry(
        method="GET",
        path=f"{API}/event-contract",
        endpoint=get_contract,
        action=Action.READ_OWN,
        summary="The contract of events",
        options=_OBJECT,
    ),
    Entry(
        method="GET",
        path=f"{API}/events/{{event_id}}",
        endpoint=get_event,
        action=Action.READ_OWN,
        summary="One event",
        problems=(404, 422),
    ),
    Entry(
        method="GET",
        path=f"{API}/event-questions/{{question}}",
        endpoint=get_answer,
        action=Action.READ,
        summary="A trusted answer over a window",
        problems=(404, 422),
        options=_OBJECT,
    ),
    Entry(
        method="POST",
        path=f"{API}/event-deletions",
        endpoint=delete_account,
        action=Action.ADMINISTER,
        summary="Delete every event of an account",
        body=Body.OBJECT,
        problems=(404,),
    ),
)
