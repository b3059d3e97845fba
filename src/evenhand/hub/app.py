"""How are routes, gate and log put together into one application?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, get_type_hints

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.core.errors import EvenhandError
from evenhand.hub.callers import Callers
from evenhand.hub.gate import Gate
from evenhand.hub.keeper import Keeper
from evenhand.hub.observe import Metrics, Observed
from evenhand.hub.parts import HubParts
from evenhand.hub.problems import DESCRIBED, INVALID_REQUEST, MEDIA_TYPE, Refusal
from evenhand.hub.refusals import refusal_response
from evenhand.hub.routes import (
    agent_jobs,
    artifacts,
    audit,
    baselines,
    bindings,
    claims,
    comparisons,
    credentials,
    deployments,
    evaluations,
    event_intake,
    events,
    gateway,
    health,
    intents,
    practices,
    projects,
    publications,
    review_attempts,
    review_feedback,
    reviews,
    routes,
    runtimes,
    service_clients,
    suite_revisions,
    suites,
)
from evenhand.hub.schemas import comparison_schemas
from evenhand.hub.table import Entry, Form, Table
from evenhand.hub.threads import WriterThreads, let_readers_in
from evenhand.wire import openai_errors
from evenhand.wire.problems import FieldProblem, Problem

#: Every route of the hub.
TABLE: Final = Table(
    (
        *health.ENTRIES,
        *credentials.ENTRIES,
        *audit.ENTRIES,
        *projects.ENTRIES,
        *bindings.ENTRIES,
        *service_clients.ENTRIES,
        *artifacts.ENTRIES,
        *runtimes.ENTRIES,
        *deployments.ENTRIES,
        *routes.ENTRIES,
        *evaluations.ENTRIES,
        *gateway.ENTRIES,
        *event_intake.ENTRIES,
        *events.ENTRIES,
        *suites.ENTRIES,
        *suite_revisions.ENTRIES,
        *publications.ENTRIES,
        *comparisons.ENTRIES,
        *claims.ENTRIES,
        *intents.ENTRIES,
        *baselines.ENTRIES,
        *practices.ENTRIES,
        *agent_jobs.ENTRIES,
        *review_attempts.ENTRIES,
        *review_feedback.ENTRIES,
        *reviews.ENTRIES,
    )
)
_SCHEME: Final = "bearer"
_PROBLEM: Final = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
_EXTRA: Final = "extra_forbidden"
#: What the framework describes of its own; a problem stands in its place.
_FOREIGN: Final = ("HTTPValidationError", "ValidationError")


def build_hub(parts: HubParts) -> FastAPI:
    """The application over these parts.

    Args:
        parts: what bootstrap wired; whoever made them closes them.
    """
    metrics, callers = Metrics(), Callers(parts.database)
    app = _Hub(
        title="Evenhand hub",
        version=parts.release,
        summary="Results, comparisons, baselines, suites, credentials, and what serves whom.",
        redirect_slashes=False,
        # The pages of the framework load scripts from elsewhere; the description is a route.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan,
        exception_handlers={
            Exception: _problem,
            EvenhandError: _problem,
            Refusal: _problem,
            RequestValidationError: _invalid_request,
            HTTPException: _http_problem,
        },
    )
    app.put_before(
        lambda behind: Observed(
            Gate(behind, table=TABLE, parts=parts, callers=callers), parts=parts, metrics=metrics
        )
    )
    app.state.parts = parts
    app.state.metrics = metrics
    app.state.callers = callers
    app.state.writer_threads = WriterThreads()
    app.state.keeper = Keeper(parts.database, ids=parts.ids, clock=parts.clock)
    for entry in TABLE.entries:
        _add(app, entry)
    return app


class _Hub(FastAPI):
    """The framework's application, with what stands before it and what it does not describe."""

    _entrance: ASGIApp

    def put_before(self, make: Callable[[ASGIApp], ASGIApp]) -> None:
        """Let every request come to what this makes of the framework's own application.

        Not as a middleware: the framework's stand before those of its users, and a request to the
        gateway would pay for them.
        """
        self._entrance = make(super().__call__)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["app"] = self
        await self._entrance(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """The description of the API: OpenAPI 3.1."""
        if self.openapi_schema is None:
            described = super().openapi()
            components = described.setdefault("components", {})
            components["securitySchemes"] = {_SCHEME: {"type": "http", "scheme": "bearer"}}
            problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas = components.setdefault("schemas", {})
            for name in _FOREIGN:
                schemas.pop(name, None)
            schemas |= problem.pop("$defs", {}) | {"Problem": problem} | comparison_schemas()
            for entry in TABLE.entries:
                if entry.described is not None:
                    place = described["paths"].setdefault(entry.path, {})
                    place[entry.method.lower()] = _described_by_hand(entry)
                    continue
                told = described["paths"][entry.path][entry.method.lower()]["responses"]
                # The framework tells of a refusal for every route with a name in its path.
                if INVALID_REQUEST not in entry.possible_problems:
                    told.pop(str(INVALID_REQUEST), None)
        assert self.openapi_schema is not None  # noqa: S101 -- made just above
        return self.openapi_schema


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    let_readers_in()
    yield
    parts: HubParts = app.state.parts
    await parts.upstreams.close()
    if parts.telemetry is not None:
        # It sends what is left, and waits for the collector.
        await run_in_threadpool(parts.telemetry.close)


def _described_by_hand(entry: Entry) -> dict[str, Any]:
    """A plain route's operation: what stands with it, and what holds for every route."""
    stated = dict(entry.described or {})
    is_openai = entry.form is Form.OPENAI
    form = {openai_errors.MEDIA_TYPE: {"schema": openai_errors.SCHEMA}} if is_openai else _PROBLEM
    refused = {
        str(status): {"description": DESCRIBED[status], "content": form}
        for status in entry.possible_problems
    }
    return {
        "summary": entry.summary,
        "operationId": f"{entry.endpoint.__name__}_{'gateway' if is_openai else 'plain'}",
        "security": [{_SCHEME: []}],
        **stated,
        "responses": {**stated["responses"], **refused},
    }


def _add(app: FastAPI, entry: Entry) -> None:
    if entry.described is not None:
        # The gate calls it itself; here it stands among the routes that there are.
        plain = Route(entry.path, entry.endpoint, methods=[entry.method])
        # It would answer HEAD, too, which the table does not know.
        plain.methods = {entry.method}
        app.router.routes.append(plain)
        return
    options = dict(entry.options)
    responses: dict[int | str, dict[str, Any]] = {
        status: {
            "description": DESCRIBED[status],
            "content": _PROBLEM,
        }
        for status in entry.possible_problems
    }
    if entry.also:
        shape = get_type_hints(entry.endpoint)["return"]
        responses |= {
            status: {"description": DESCRIBED[status], "model": shape} for status in entry.also
        }
    app.add_api_route(
        entry.path,
        app.state.writer_threads.wrap(entry.endpoint) if entry.writes else entry.endpoint,
        methods=[entry.method],
        summary=entry.summary,
        status_code=entry.status,
        responses=responses | options.pop("responses", {}),
        openapi_extra=None if entry.is_open else {"security": [{_SCHEME: []}]},
        **options,
    )


async def _problem(request: Request, error: Exception) -> Response:
    return refusal_response(error, request.scope)


async def _invalid_request(request: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    refused = Refusal("invalid_request", fields=list(map(_field, found)))
    return refusal_response(refused, request.scope)


async def _http_problem(request: Request, error: Exception) -> Response:
    """What the framework itself refuses; the gate was there before, so it is nothing known."""
    del error
    return refusal_response(Refusal("route_not_found"), request.scope)


def _field(found: Mapping[str, Any]) -> FieldProblem:
    """Where and which rule. A name that is not known was submitted, so its place is told only."""
    place: Sequence[object] = found["loc"]
    code = str(found["type"])
    known = place[:-1] if code == _EXTRA else place
    return FieldProblem(field=".".join(map(str, known)), code=code)
