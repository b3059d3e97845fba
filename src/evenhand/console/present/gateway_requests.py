"""How do requests to the gateway read, in a list and one by one? Numbers and ids, never a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.console.addresses import gateway_request_address
from evenhand.console.present.times import Moment, moment
from evenhand.core.gateway.request import Attempt, GatewayRequest, RequestState
from evenhand.reports import numbers
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import Fact
from evenhand.reports.wording import UNKNOWN

#: What there is none of is no number, and nothing that somebody forgot to look up.
NONE: Final = "none"
_PEOPLE: Final = "a person"
_SHORT_ID: Final = 12
_MEANINGS: Final = {
    RequestState.COMPLETED: "It was answered with vectors.",
    RequestState.REFUSED: "It asked for something that is not given; no deployment was called.",
    RequestState.FAILED: "A deployment, or the hub itself, gave no vectors.",
    RequestState.ABORTED: "The client left before the end.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What registered objects are called, by id; what is missing is shown by its id.

    Attributes:
        clients: of service clients.
        deployments: of deployments.
        projects: of projects.
    """

    clients: Mapping[str, str]
    deployments: Mapping[str, str]
    projects: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRow:
    """One request in a list.

    Attributes:
        public_id, short_id: what its client was told; whole to copy, and its beginning.
        address: of its page.
        began: when.
        state: how it ended.
        client: who asked.
        route, deployment: through what; ``none`` where it was refused before that was known.
        inputs: how many, and of which kind.
        took: from beginning to end.
        code: why it did not complete; empty where it did.
    """

    public_id: str
    short_id: str
    address: str
    began: Moment
    state: RequestState
    client: str
    route: str
    deployment: str
    inputs: str
    took: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One call of an upstream: which part and try, how many inputs, how long, how it ended."""

    part: int
    number: int
    count: int
    took: str
    status: str
    failure: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """One request.

    Attributes:
        public_id: what its client was told.
        state: how it ended, and what that means.
        is_evidence: whether it can prove that one query was embedded by its deployment.
        outcome, asked, served: facts.
        calls: of upstreams, in the order in which they were made.
    """

    public_id: str
    state: RequestState
    meaning: str
    is_evidence: bool
    outcome: tuple[Fact, ...]
    asked: tuple[Fact, ...]
    served: tuple[Fact, ...]
    calls: tuple[CallRow, ...]


def request_row(one: GatewayRequest, names: Names, *, now: datetime) -> RequestRow:
    """One request as a row."""
    return RequestRow(
        public_id=one.public_id,
        short_id=one.public_id[:_SHORT_ID],
        address=gateway_request_address(one.public_id),
        began=moment(one.created_at, now=now),
        state=one.outcome.state,
        client=_client(one, names),
        route=NONE if one.served is None else shown_id(one.served.route_name),
        deployment=_deployment(one, names),
        inputs=_inputs(one),
        took=numbers.duration_text(one.completed_at - one.created_at),
        code=one.outcome.code or "",
    )


def request_view(one: GatewayRequest, names: Names) -> RequestView:
    """One request with everything that is kept of it."""
    return RequestView(
        public_id=one.public_id,
        state=one.outcome.state,
        meaning=_MEANINGS[one.outcome.state],
        is_evidence=one.is_evidence,
        outcome=_outcome(one),
        asked=_asked(one),
        served=_served(one, names),
        calls=tuple(map(_call, one.attempts)),
    )


def _client(one: GatewayRequest, names: Names) -> str:
    client = one.caller.client_id
    return _PEOPLE if client is None else shown_id(names.clients.get(client, client))


def _deployment(one: GatewayRequest, names: Names) -> str:
    if one.served is None:
        return NONE
    found = one.served.deployment_id
    return shown_id(names.deployments.get(found, found))


def _inputs(one: GatewayRequest) -> str:
    if one.asked is None:
        return NONE
    return f"{one.asked.count} {one.asked.purpose.value}"


def _outcome(one: GatewayRequest) -> tuple[Fact, ...]:
    outcome = one.outcome
    left = "the client had left"
    return (
        Fact(name="Began", value=numbers.instant_text(one.created_at)),
        Fact(name="Ended", value=numbers.instant_text(one.completed_at)),
        Fact(name="Took", value=numbers.duration_text(one.completed_at - one.created_at)),
        Fact(name="HTTP status", value=left if outcome.status is None else str(outcome.status)),
        Fact(name="Error code", value=outcome.code or NONE),
        Fact(
            name="Prompt tokens",
            value=UNKNOWN if outcome.prompt_tokens is None else str(outcome.prompt_tokens),
            note="as the upstream counted them",
        ),
        Fact(name="Vectors all zero", value=str(outcome.zero_vectors)),
        Fact(name="From a cache", value=_truth(outcome.from_cache)),
        Fact(name="From another deployment", value=_truth(outcome.from_fallback)),
    )


def _asked(one: GatewayRequest) -> tuple[Fact, ...]:
    asked = one.asked
    if asked is None:
        return ()
    size = NONE if asked.size is None else numbers.count(asked.size, "byte")
    return (
        Fact(name="Inputs", value=str(asked.count)),
        Fact(name="Kind", value=asked.kind.value.replace("_", " ")),
        Fact(name="Purpose", value=asked.purpose.value),
        Fact(name="Size", value=size, note="of the texts together; token ids have none"),
        Fact(
            name="Query digest",
            value=asked.query_digest or NONE,
            note="of the only text of a query; the text itself is not stored",
        ),
    )


def _served(one: GatewayRequest, names: Names) -> tuple[Fact, ...]:
    caller, served = one.caller, one.served
    facts = [
        Fact(name="Asked by", value=_client(one, names)),
        Fact(name="Credential", value=caller.credential_id),
        Fact(name="Capability", value=one.capability.value),
    ]
    if served is not None:
        facts += [
            Fact(
                name="Project",
                value=shown_id(names.projects.get(served.project_id, served.project_id)),
            ),
            Fact(name="Route", value=shown_id(served.route_name)),
            Fact(name="Deployment", value=_deployment(one, names)),
            Fact(name="Deployment id", value=served.deployment_id),
            Fact(name="Binding id", value=served.binding_id),
        ]
    return tuple(facts)


def _call(one: Attempt) -> CallRow:
    return CallRow(
        part=one.part + 1,
        number=one.number + 1,
        count=one.count,
        took=f"{one.milliseconds:.1f} ms",
        status=NONE if one.upstream_status is None else str(one.upstream_status),
        failure=NONE if one.failure is None else one.failure.value.replace("_", " "),
    )


def _truth(said: bool) -> str:  # noqa: FBT001 -- shown, not decided by
    return "yes" if said else "no"
