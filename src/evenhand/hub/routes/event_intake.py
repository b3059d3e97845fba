"""Events come in over HTTP: one, or a batch with a result for each.

A plain async route: nothing of the framework and no pydantic is on this path. The answer leaves
after what it tells of is durable.
"""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.ingestion import Result, Status
from evenhand.contracts.schema import json_schema
from evenhand.core.access.roles import Action, Principal
from evenhand.hub import event_bodies as wire
from evenhand.hub.parts import HubParts, body_of, parts_of, principal_of
from evenhand.hub.problems import CREATED, MULTI_STATUS, OK, Refusal
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import events as verbs
from evenhand.usecases.ports import Refused, UnitOfWork
from evenhand.wire.problems import FieldProblem
from evenhand.wire.strict_json import NotStrictJson

_JSON = "application/json"
_PROJECT = "project_id"
#: A body of more bytes is read beside the event loop, so that others are answered meanwhile.
_LARGE = 32 * 1024


async def ingest(request: Request) -> Response:
    """What became of one event, or of each of a batch."""
    return await _store(request, await _decode(body_of(request)))


async def _decode(body: bytes) -> wire.Body:
    try:
        if len(body) > _LARGE:
            return await run_in_threadpool(wire.decode_body, body)
        return wire.decode_body(body)
    except NotStrictJson as error:
        raise Refusal("invalid_json", detail=str(error)) from None
    except wire.NotABatch as error:
        field = FieldProblem(field=error.field, code=error.rule)
        raise Refusal("invalid_request", fields=(field,)) from None
    except wire.TooManyEvents:
        detail = f"at most {wire.MOST_EVENTS} events in a batch"
        raise Refusal("body_too_large", detail=detail) from None


async def _store(request: Request, body: wire.Body) -> Response:
    parts, principal = parts_of(request), principal_of(request)
    project = _project(request)
    if not body.is_batch:
        result = await parts.database.run_async(
            lambda uow: _one(uow, body, project, principal, parts)
        )
        status = CREATED if result.status is Status.STORED else OK
        return Response(wire.encode_result(result), status_code=status, media_type=_JSON)
    results = await parts.database.run_async(
        lambda uow: _many(uow, body, project, principal, parts)
    )
    status = OK if all(one.code is None for one in results) else MULTI_STATUS
    return Response(wire.encode_results(results), status_code=status, media_type=_JSON)


def _one(
    uow: UnitOfWork, body: wire.Body, project: str | None, principal: Principal, parts: HubParts
) -> Result | Refused:
    sender = verbs.find_sender(uow, project, principal)
    return verbs.ingest_one(uow, body.read[0], sender=sender, ids=parts.ids)


def _many(
    uow: UnitOfWork, body: wire.Body, project: str | None, principal: Principal, parts: HubParts
) -> list[Result] | Refused:
    sender = verbs.find_sender(uow, project, principal)
    if body.is_whole:
        return verbs.ingest_whole(uow, body.read, sender=sender, ids=parts.ids)
    return verbs.ingest(uow, body.read, sender=sender, ids=parts.ids)


def _project(request: Request) -> str | None:
    given = request.query_params
    if any(name != _PROJECT for name in given) or len(given.getlist(_PROJECT)) > 1:
        field = FieldProblem(field="query", code="extra_forbidden")
        raise Refusal("invalid_request", fields=(field,))
    return given.get(_PROJECT)


def _described() -> dict[str, Any]:
    event = {
        name: part for name, part in json_schema(shipped_contract()).items() if name != "$schema"
    }
    batch = {
        "type": "object",
        "required": ["events"],
        "additionalProperties": False,
        "properties": {
            "events": {"type": "array", "maxItems": wire.MOST_EVENTS, "items": event},
            "all_or_nothing": {"type": "boolean", "default": False},
        },
    }
    one = {
        "type": "object",
        "required": ["event_id", "status"],
        "properties": {
            "event_id": {"type": "string"},
            "status": {"enum": ["stored", "duplicate"]},
        },
    }
    result = {
        "type": "object",
        "required": ["index", "event_id", "status", "code", "field"],
        "properties": {
            "index": {"type": "integer", "minimum": 0},
            "event_id": {"type": ["string", "null"]},
            "status": {"enum": [status.value for status in Status]},
            "code": {"type": ["string", "null"]},
            "field": {"type": ["string", "null"]},
        },
    }
    results = {
        "type": "object",
        "required": ["results"],
        "properties": {"results": {"type": "array", "items": result}},
    }

    def _answer(description: str, *shapes: dict[str, Any]) -> dict[str, Any]:
        shape = shapes[0] if len(shapes) == 1 else {"anyOf": list(shapes)}
        return {"description": description, "content": {_JSON: {"schema": shape}}}

    return {
        "parameters": [
            {
                "name": _PROJECT,
                "in": "query",
                "required": False,
                "description": "Id or name; a service client's own may be left out.",
                "schema": {"type": "string"},
            }
        ],
        "requestBody": {
            "required": True,
            "content": {_JSON: {"schema": {"anyOf": [event, batch]}}},
        },
        "responses": {
            "200": _answer("There before, or each of a batch is there.", one, results),
            "201": _answer("Stored.", one),
            "207": _answer("Not each was stored; each has a result.", results),
        },
    }


ENTRIES = (
    Entry(
        method="POST",
        path=f"{API}/events",
        endpoint=ingest,
        action=Action.INGEST_EVENT,
        summary="Take in one event, or a batch",
        body=Body.BYTES,
        also=(CREATED, MULTI_STATUS),
        problems=(404, 409),
        described=_described(),
    ),
)
