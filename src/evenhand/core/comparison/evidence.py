"""Does a gateway request prove that a case's query was embedded by the deployment of its side?

One request proves one case of one side, once and for all comparisons. Asked are only rows that the
hub itself wrote: whose request it was, which deployment answered, that a single query with this
digest went in, and that it lies within the claim. What a consumer made of the vector is not proved
by any of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from evenhand.core.comparison.pins import CAPABILITY, LegName, Pins
from evenhand.core.comparison.report import ResultReport, requests_place
from evenhand.core.errors.comparison import CaseFault
from evenhand.core.gateway.request import GatewayRequest, RequestState
from evenhand.core.retrieval.suite_revision import SuiteCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Between which instants a request must lie, both included; aware UTC, of one clock.

    Attributes:
        begins: when the claim began.
        ends: now, or the claim's deadline where that is over.
    """

    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnesses:
    """What the hub knows of the requests that a report names.

    Attributes:
        found: by public id; one that is unknown is missing.
        consumed: public ids that proved a case of some comparison before.
    """

    found: Mapping[str, GatewayRequest]
    consumed: Set[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumedRequest:
    """That a request proved a case, for good.

    Attributes:
        leg: of which side.
        position: of which case.
        public_id: which request.
    """

    leg: LegName
    position: int
    public_id: str


def request_faults(
    report: ResultReport,
    cases: Sequence[SuiteCase],
    witnesses: Witnesses,
    *,
    pins: Pins,
    window: Window,
) -> Iterator[CaseFault]:
    """Each request that does not prove its case, by the case's position.

    A case that failed may name none; one that it names is asked all the same.

    Args:
        report: what was sent; that it holds each case is asked before.
        cases: of the suite revision, by position.
        witnesses: what is known of its requests.
        pins: of the comparison.
        window: in which a request must lie.

    Source: statements C-71 to C-79, G-53.
    """
    named = consumed_requests(report, cases)
    times = Counter(one.public_id for one in named)
    for one in named:
        code = _fault(
            witnesses.found.get(one.public_id),
            cases[one.position],
            deployment_id=pins.leg(one.leg).deployment_id,
            route_id=pins.leg(one.leg).route_id,
            client_id=pins.client_id,
            window=window,
        )
        if code is None and (times[one.public_id] > 1 or one.public_id in witnesses.consumed):
            code = "request_reused"
        if code is not None:
            yield CaseFault(place=requests_place(one.leg, one.position), code=code)


def consumed_requests(
    report: ResultReport, cases: Sequence[SuiteCase]
) -> tuple[ConsumedRequest, ...]:
    """The requests that a report names for cases of the suite, by side and position."""
    return tuple(
        ConsumedRequest(leg=name, position=case.position, public_id=public_id)
        for name in LegName
        for case in cases
        if (public_id := report.leg(name).requests.get(case.case_id)) is not None
    )


def _fault(
    request: GatewayRequest | None,
    case: SuiteCase,
    *,
    deployment_id: str,
    route_id: str,
    client_id: str,
    window: Window,
) -> str | None:
    # Another client's request is as unknown as one that never was.
    if request is None or request.caller.client_id != client_id:
        return "request_unknown"
    if not _is_completed(request):
        return "request_not_completed"
    served = request.served
    if served is None or (served.deployment_id, served.route_id) != (deployment_id, route_id):
        return "request_of_other_deployment"
    if request.asked is None or request.asked.query_digest != case.query_digest:
        return "query_digest_mismatch"
    if request.created_at < window.begins or request.completed_at > window.ends:
        return "request_outside_claim"
    return None


def _is_completed(request: GatewayRequest) -> bool:
    """Whether its own deployment gave the vectors of an embedding request."""
    outcome = request.outcome
    is_own = not (outcome.from_cache or outcome.from_fallback)
    is_done = outcome.state is RequestState.COMPLETED and request.capability is CAPABILITY
    return is_done and is_own
