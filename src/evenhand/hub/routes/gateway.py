"""The gateway: embeddings by the name of a route, in OpenAI's shapes; for service clients.

Plain async routes: nothing of the framework and no pydantic is on this path. An answer leaves
after its row is durable. Whoever is not known, or may not call, leaves no row: only a caller with
authority writes to the database.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.core.errors import EvenhandError, Invalid, NotFound
from evenhand.core.errors.gateway import InvalidInput, RateLimited, UpstreamFailed
from evenhand.core.gateway.call import Target
from evenhand.core.gateway.inputs import Inputs, read_inputs
from evenhand.core.gateway.request import (
    Attempt,
    Caller,
    Facts,
    Outcome,
    RequestState,
    asked_of,
)
from evenhand.hub.callers import callers_of, known_of
from evenhand.hub.keeper import keeper_of
from evenhand.hub.leaving import unless_it_leaves
from evenhand.hub.parts import arrival_of, body_of, parts_of, principal_of
from evenhand.hub.problems import Refusal
from evenhand.hub.refusals import openai_response
from evenhand.hub.table import Body, Entry
from evenhand.hub.vectors import VectorsResponse
from evenhand.usecases.gateway.admission import admit
from evenhand.usecases.gateway.forwarding import Forwarding, Given, Wanted
from evenhand.usecases.gateway.targets import list_models
from evenhand.usecases.ports import Ending
from evenhand.wire import embeddings as wire
from evenhand.wire import models as wire_models

_JSON = "application/json"
_INTERNAL = "internal_error"
_LEFT = "client_left"
_TRACEPARENT = "traceparent"


@dataclass(slots=True, kw_only=True)
class _Work:
    """One request while it is worked on; what is known is kept although it ends badly.

    Attributes:
        target: whom it goes to, once that is known.
        inputs: what it wants embedded, once that was read.
        dimension: that it asks for; None where it asks for none.
        attempts: calls of upstreams so far.
    """

    target: Target | None = None
    inputs: Inputs | None = None
    dimension: int | None = None
    attempts: list[Attempt] = field(default_factory=list)


async def embeddings(request: Request) -> Response:
    """Vectors for the inputs of a request."""
    work = _Work()
    found = await unless_it_leaves(request, _embed(request, body_of(request), work))
    response = _response(found)
    facts = _facts(request, work, found, response.status_code)
    try:
        await keeper_of(request).keep(facts, began=arrival_of(request).began)
    except EvenhandError as error:
        _tell(request, work, _without_row(facts, error))
        raise
    _tell(request, work, facts)
    if isinstance(found, BaseException) and not _is_foreseen(found):
        # The log tells of its class and place.
        raise found
    return response


async def models(request: Request) -> Response:
    """The names that the caller may give as a model."""
    parts, principal = parts_of(request), principal_of(request)
    found = await run_in_threadpool(parts.database.read, lambda uow: list_models(uow, principal))
    return Response(wire_models.encode_models(found), media_type=_JSON)


async def _embed(request: Request, body: bytes, work: _Work) -> Given:
    """The vectors.

    Raises:
        Refusal, EvenhandError: there are none.
    """
    parts = parts_of(request)
    try:
        asked = wire.decode_request(body)
    except wire.NotARequest as error:
        raise _refusal(error) from None
    work.dimension = asked.dimensions
    work.inputs = read_inputs(asked.input, purpose=asked.purpose)
    target = work.target = await callers_of(request).target(known_of(request), asked.model)
    forwarding = Forwarding(
        parts.upstreams,
        parts.clock,
        target=target,
        wanted=Wanted(body=body, asked=asked, inputs=work.inputs),
        batch=target.max_inputs or parts.upstream_batch,
        attempts=work.attempts,
    )
    # Whatever is refused for good costs nothing of what the client may ask.
    await _admit(request, target, work.inputs)
    found = await forwarding.run()
    if isinstance(found, Given):
        return found
    failure = found.failure
    raise UpstreamFailed(
        target.deployment_name,
        failure.meaning,
        code=failure.value,
        retry_after=found.retry_after,
    )


async def _admit(request: Request, target: Target, inputs: Inputs) -> None:
    """Only a client that has a limit pays for it with a transaction."""
    client_id, limit = principal_of(request).client_id, target.inputs_per_minute
    if client_id is None or limit is None:
        return
    count = inputs.count
    await parts_of(request).database.run_async(
        lambda uow: admit(uow, client_id=client_id, count=count, per_minute=limit)
    )


def _response(found: Given | BaseException) -> Response:
    if isinstance(found, Given):
        return VectorsResponse(found)
    if isinstance(found, Exception):
        return openai_response(found)
    # Nobody hears it.
    return openai_response(Refusal(_LEFT))


def _facts(request: Request, work: _Work, found: Given | BaseException, status: int) -> Facts:
    principal = principal_of(request)
    return Facts(
        public_id=arrival_of(request).public_id,
        caller=Caller(
            credential_id=principal.credential_id,
            client_id=principal.client_id,
            project_id=principal.project_id,
        ),
        served=None if work.target is None else work.target.served,
        asked=None if work.inputs is None else asked_of(work.inputs),
        outcome=_outcome(found, status),
        attempts=tuple(work.attempts),
    )


def _outcome(found: Given | BaseException, status: int) -> Outcome:
    if isinstance(found, Given):
        return Outcome(
            state=RequestState.COMPLETED,
            status=status,
            prompt_tokens=found.usage.prompt_tokens,
            zero_vectors=found.zero_vectors,
        )
    if not isinstance(found, Exception):
        return Outcome(state=RequestState.ABORTED, status=None, code=_LEFT)
    code = found.code if isinstance(found, Refusal | EvenhandError) else _INTERNAL
    is_refused = isinstance(found, Refusal | Invalid | NotFound | RateLimited)
    state = RequestState.REFUSED if is_refused else RequestState.FAILED
    return Outcome(state=state, status=status, code=code)


def _without_row(facts: Facts, error: EvenhandError) -> Facts:
    """What the client hears instead: the database did not take the row."""
    status = openai_response(error).status_code
    return replace(facts, outcome=_outcome(error, status))


def _tell(request: Request, work: _Work, facts: Facts) -> None:
    parts = parts_of(request)
    if parts.telemetry is None:
        return
    parts.telemetry.tell(
        Ending(
            facts=facts,
            target=work.target,
            dimension=work.dimension,
            seconds=parts.clock.monotonic() - arrival_of(request).began,
            traceparent=request.headers.get(_TRACEPARENT),
        )
    )


def _is_foreseen(error: BaseException) -> bool:
    return isinstance(error, Refusal | EvenhandError | asyncio.CancelledError)


def _refusal(error: wire.NotARequest) -> Exception:
    if error.param is None:
        return Refusal("invalid_json", detail=str(error))
    return InvalidInput(error.rule, field=error.param)


_OBJECT = {"type": "object"}
_ANSWERED = {"description": "Vectors, one for each input, in their order."}
_LISTED = {"description": "Names that may be given as a model."}
_BODY = {
    "type": "object",
    "required": ["model", "input"],
    "additionalProperties": False,
    "properties": {
        "model": {"type": "string", "description": "Name of a route."},
        "input": {
            "oneOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
                {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 0}},
                {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "integer", "minimum": 0},
                    },
                },
            ]
        },
        "input_type": {"enum": ["query", "document", None]},
        "encoding_format": {"enum": ["float", "base64", None]},
        "dimensions": {"type": ["integer", "null"], "minimum": 1},
        "user": {"type": ["string", "null"]},
    },
}

ENTRIES = (
    Entry(
        method="POST",
        path="/v1/embeddings",
        endpoint=embeddings,
        action=Action.CALL_GATEWAY,
        summary="Embeddings",
        body=Body.BYTES,
        problems=(404, 429, 502),
        described={
            "requestBody": {"required": True, "content": {_JSON: {"schema": _BODY}}},
            "responses": {"200": _ANSWERED | {"content": {_JSON: {"schema": _OBJECT}}}},
        },
    ),
    Entry(
        method="GET",
        path="/v1/models",
        endpoint=models,
        action=Action.CALL_GATEWAY,
        summary="Models that may be named",
        described={"responses": {"200": _LISTED | {"content": {_JSON: {"schema": _OBJECT}}}}},
    ),
)
