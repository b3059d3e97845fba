"""How are routes, gate and log put together into one application?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from evenhand.core.errors import EvenhandError
from evenhand.hub.callers import Callers
from evenhand.hub.described import described_api
from evenhand.hub.framework import route_of
from evenhand.hub.gate import Gate
from evenhand.hub.keeper import Keeper
from evenhand.hub.observe import Metrics, Observed
from evenhand.hub.parts import ENTRY, HubParts
from evenhand.hub.places import told_place
from evenhand.hub.problems import Refusal
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
    review_grounding,
    reviews,
    routes,
    runtimes,
    service_clients,
    suite_revisions,
    suites,
)
from evenhand.hub.table import Table
from evenhand.hub.threads import WriterThreads, let_readers_in
from evenhand.wire.problems import FieldProblem

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
        *review_grounding.ENTRIES,
        *reviews.ENTRIES,
    )
)
#: As the framework looks for them; every hub of the process has the same.
_ROUTES: Final = tuple(map(route_of, TABLE.entries))
_TITLE: Final = "Evenhand hub"
_SUMMARY: Final = "Results, comparisons, baselines, suites, credentials, and what serves whom."
_EXTRA: Final = "extra_forbidden"


def build_hub(parts: HubParts) -> FastAPI:
    """The application over these parts.

    Args:
        parts: what bootstrap wired; whoever made them closes them.
    """
    metrics, callers = Metrics(), Callers(parts.database)
    app = _Hub(
        title=_TITLE,
        version=parts.release,
        summary=_SUMMARY,
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
    app.router.routes.extend(_ROUTES)
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
        return _document(self.version)


@cache
def _document(release: str) -> dict[str, Any]:
    return described_api(TABLE, _ROUTES, title=_TITLE, summary=_SUMMARY, release=release)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    let_readers_in()
    yield
    parts: HubParts = app.state.parts
    await parts.upstreams.close()
    if parts.telemetry is not None:
        # It sends what is left, and waits for the collector.
        await run_in_threadpool(parts.telemetry.close)


async def _problem(request: Request, error: Exception) -> Response:
    return refusal_response(error, request.scope)


async def _invalid_request(request: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    entry = request.scope.get(ENTRY)
    document = request.app.openapi() if found else {}
    fields = [_field(one, document, entry) for one in found]
    refused = Refusal("invalid_request", fields=fields)
    return refusal_response(refused, request.scope)


async def _http_problem(request: Request, error: Exception) -> Response:
    """What the framework itself refuses; the gate was there before, so it is nothing known."""
    del error
    return refusal_response(Refusal("route_not_found"), request.scope)


def _field(found: Mapping[str, Any], document: Mapping[str, Any], entry: Any) -> FieldProblem:
    """Where and which rule. A name that is not known was submitted, so its place is told only."""
    place: Sequence[object] = found["loc"]
    code = str(found["type"])
    known = place[:-1] if code == _EXTRA else place
    return FieldProblem(field=told_place(known, document, entry), code=code)
