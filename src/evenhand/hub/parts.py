"""What is the hub made of? The wired parts that bootstrap hands it, and how a route finds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TextIO

from starlette.requests import HTTPConnection

from evenhand.core.access.roles import Principal
from evenhand.core.privacy import PrivacyPolicy
from evenhand.core.registry.upstream import UpstreamAllow
from evenhand.usecases.ports import (
    Clock,
    GatewayTelemetry,
    Ids,
    ResultEmitter,
    Secrets,
    SharedRunner,
    Upstreams,
)

#: Where a request keeps who asks; set before any route is called.
PRINCIPAL: Final = "evenhand.principal"
#: Where a request keeps what was read of who asks; of `hub.callers`.
KNOWN: Final = "evenhand.known"
#: Where a request to a plain route keeps its body.
BODY: Final = "evenhand.body"
#: Where a request to the gateway keeps when and as what it arrived.
ARRIVAL: Final = "evenhand.arrival"
#: Where a request keeps the row of the route table that it fell to.
ENTRY: Final = "evenhand.entry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request to the gateway, before anything of it was looked at.

    Attributes:
        public_id: what its client is told, and what may prove it later.
        began: when it came, by the clock for durations.
    """

    public_id: str
    began: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HubParts:
    """The wired parts of one hub process.

    Attributes:
        database: runs use cases.
        clock: for durations.
        ids: where row and request ids come from.
        secrets: where tokens come from.
        release: version of Evenhand.
        body_limit: how many bytes a body may have, at least 1.
        policy: what may be kept of what comes in.
        max_failed_share: a result of which a larger share failed is no baseline; in [0, 1].
        log: where lines of the log go; text.
        upstream_allow: what may be called although it is not public.
        is_current: asks the database whether its schema is this release's; raises otherwise.
        upstreams: what answers for deployments; closed with the application.
        upstream_batch: how many inputs an upstream is sent together, at least 1.
        emitter: emits results with the steps that make them final.
        telemetry: who hears of requests to the gateway; None for nobody. Closed with the
            application.
    """

    database: SharedRunner
    clock: Clock
    ids: Ids
    secrets: Secrets
    release: str
    body_limit: int
    policy: PrivacyPolicy
    max_failed_share: Fraction
    log: TextIO
    upstream_allow: UpstreamAllow
    is_current: Callable[[], None]
    upstreams: Upstreams
    upstream_batch: int
    emitter: ResultEmitter
    telemetry: GatewayTelemetry | None = None


def parts_of(request: HTTPConnection) -> HubParts:
    """The parts of the hub that a request came to."""
    parts: HubParts = request.app.state.parts
    return parts


def arrival_of(request: HTTPConnection) -> Arrival:
    """When and as what a request to the gateway arrived."""
    arrival: Arrival = request.scope[ARRIVAL]
    return arrival


def body_of(request: HTTPConnection) -> bytes:
    """The body of a request to a plain route that takes one."""
    body: bytes = request.scope[BODY]
    return body


def principal_of(request: HTTPConnection) -> Principal:
    """Who asks; there is somebody on every route that is not open."""
    principal: Principal = request.scope[PRINCIPAL]
    return principal
