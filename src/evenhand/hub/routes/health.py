"""Does the process live, can it serve, and what has it done? For machines that watch it."""

from __future__ import annotations

from typing import Any, Literal

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from evenhand.core.gateway.circuit import CircuitState
from evenhand.hub.parts import parts_of
from evenhand.hub.table import API, Entry


class Health(BaseModel):
    """That all is well; otherwise a problem is the answer."""

    status: Literal["ok"] = "ok"


class Readiness(Health):
    """That it can serve, and how many deployments of the gateway rest because they kept failing.

    Attributes:
        resting_deployments: as this process sees them; the hub serves all the same.
    """

    resting_deployments: int


async def healthz() -> Health:
    """The process answers; nothing else is looked at."""
    return Health()


def readyz(request: Request) -> Readiness:
    """The database answers and has this release's schema."""
    parts = parts_of(request)
    parts.is_current()
    circuits = parts.upstreams.circuits().values()
    resting = sum(one.state is not CircuitState.CLOSED for one in circuits)
    return Readiness(resting_deployments=resting)


async def metrics(request: Request) -> Response:
    """Numbers in the text format of Prometheus."""
    numbers = generate_latest(request.app.state.metrics.registry)
    return Response(numbers, headers={"Content-Type": CONTENT_TYPE_LATEST})


async def openapi(request: Request) -> JSONResponse:
    """This description of the API."""
    return JSONResponse(request.app.openapi())


_TEXT: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
}
_DOCUMENT: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
}

ENTRIES = (
    Entry(method="GET", path="/healthz", endpoint=healthz, action=None, summary="Is it alive?"),
    Entry(
        method="GET",
        path="/readyz",
        endpoint=readyz,
        action=None,
        summary="Can it serve?",
        problems=(503,),
    ),
    Entry(
        method="GET",
        path="/metrics",
        endpoint=metrics,
        action=None,
        summary="What has it done?",
        options=_TEXT,
    ),
    Entry(
        method="GET",
        path=f"{API}/openapi.json",
        endpoint=openapi,
        action=None,
        summary="This description",
        options=_DOCUMENT,
    ),
)
