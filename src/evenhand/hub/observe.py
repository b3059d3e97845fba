"""What does the hub say of itself? A line of the log and some numbers for each request.

Neither holds a body, a token, a query or an id out of an address: the route's pattern stands for
the address, the id of the credential for the caller.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evenhand.core.access.roles import Principal
from evenhand.hub.parts import ARRIVAL, ENTRY, PRINCIPAL, Arrival, HubParts
from evenhand.hub.refusals import refusal_response

_METHODS: Final = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_OTHER: Final = "other"
_FAILED: Final = 500
#: Where a request keeps the id that it was given, once it is asked for.
_REQUEST_ID: Final = "evenhand.request_id"


class Metrics:
    """The numbers of one hub process; each process tells of itself only."""

    def __init__(self) -> None:
        """Every number is zero."""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "evenhand_http_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "evenhand_http_request_seconds",
            "Seconds until an answer was complete.",
            ("method", "route"),
            registry=self.registry,
        )
        self.open = Gauge(
            "evenhand_http_requests_open", "Requests in work.", registry=self.registry
        )
        # To look a child up takes longer than to count with it. There are as many as routes have
        # answers; nothing of a request is a label.
        self._counted = cache(self.requests.labels)
        self._timed = cache(self.seconds.labels)

    def tell(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._counted(method, route, str(status)).inc()
        self._timed(method, route).observe(seconds)


class _Line(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What the log tells of a request."""

    event: str
    level: str
    request_id: str
    method: str
    route: str
    status: int
    milliseconds: float
    timestamp: datetime
    role: str | None = None
    credential_id: str | None = None


class Log:
    """A log of one JSON object a line.

    Args:
        stream: where it goes.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode

    def tell(self, line: _Line) -> None:
        """Write the line of a request; there is one for each, so it takes the short way."""
        self._stream.write(f"{self._encode(line).decode()}\n")
        self._stream.flush()

    @cached_property
    def lines(self) -> Any:
        """What writes a line: ``info(event, **members)``, ``warning`` and ``error``."""
        # It loads pages of terminal colours, a tenth of a hub's start; the first line comes after
        # the first answer.
        import structlog

        return structlog.wrap_logger(
            structlog.WriteLogger(self._stream),
            processors=[
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.JSONRenderer(),
            ],
            wrapper_class=structlog.BoundLogger,
        )


def told_of(scope: Scope) -> tuple[str | None, Principal | None]:
    """What is told of a request to the API: its route's pattern and who asks; None for neither."""
    entry = scope.get(ENTRY)
    return None if entry is None else entry.path, scope.get(PRINCIPAL)


class Observed:
    """The outermost middleware: tells of every request and lets no error out.

    Args:
        app: what comes behind it.
        parts: of the hub.
        metrics: what is counted.
        told: what is told of a request: a pattern that stands for its address, and who asks.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        parts: HubParts,
        metrics: Metrics,
        told: Callable[[Scope], tuple[str | None, Principal | None]] = told_of,
    ) -> None:
        self._app = app
        self._parts = parts
        self._metrics = metrics
        self._told = told
        self._log = Log(parts.log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, count it, and write its line."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = self._parts.clock.monotonic()
        status: int | None = None

        async def _noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                told_id = self._told_id(scope).encode()
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", told_id)]
            await send(message)

        self._metrics.open.inc()
        try:
            await self._app(scope, receive, _noting)
        except Exception as error:  # noqa: BLE001 -- the last place; its message could hold anything
            self._log.lines.error("failed", request_id=self._told_id(scope), **where(error))
            if status is None:
                await refusal_response(error, scope)(scope, receive, _noting)
        finally:
            self._metrics.open.dec()
            took = self._parts.clock.monotonic() - began
            self._tell(scope, status or _FAILED, took)

    def _tell(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else _OTHER
        pattern, principal = self._told(scope)
        route = pattern or _OTHER
        self._metrics.tell(method, route, status, seconds)
        self._log.tell(
            _Line(
                event="request",
                level="info",
                request_id=self._told_id(scope),
                method=method,
                route=route,
                status=status,
                milliseconds=round(seconds * 1000, 3),
                timestamp=self._parts.clock.now(),
                role=None if principal is None else principal.role.value,
                credential_id=None if principal is None else principal.credential_id,
            )
        )

    def _told_id(self, scope: Scope) -> str:
        """The id that the client is told: at the gateway it is the one that proves the request."""
        arrival: Arrival | None = scope.get(ARRIVAL)
        if arrival is not None:
            return arrival.public_id
        request_id: str | None = scope.get(_REQUEST_ID)
        if request_id is None:
            request_id = scope[_REQUEST_ID] = self._parts.ids.new()
        return request_id


def where(error: BaseException) -> dict[str, str]:
    """Class and place of an error; neither its message nor a line of source."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown"
    return {"error": type(error).__name__, "place": place}
