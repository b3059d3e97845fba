"""What is kept of one request to the gateway? A row that says it happened, and nothing of its text.

The row is written once, when the outcome is known and before the client hears of it. Its public
id is what the client is given and what proves the request; the row's own id is told to nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Capability
from evenhand.core.errors import Invalid
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import InputKind, Inputs, Purpose
from evenhand.core.identity.canonical import is_sha256

PUBLIC_ID_PREFIX: Final = "req_"
#: Hex digits behind the prefix: 128 bits that nobody can guess.
PUBLIC_ID_DIGITS: Final = 32


class RequestState(StrEnum):
    """How a request ended; every row is final."""

    #: With vectors.
    COMPLETED = "completed"
    #: It asked for something that is not given; no deployment was called.
    REFUSED = "refused"
    #: A deployment, or the hub itself, gave no vectors.
    FAILED = "failed"
    #: The client left before the end.
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asked.

    Attributes:
        credential_id: of the token.
        client_id, project_id: of a service client; None for people.
    """

    credential_id: str
    client_id: str | None = None
    project_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Through what it was answered.

    Attributes:
        route_id, route_name: which the client named.
        deployment_id: where it pointed to at that moment.
        project_id, binding_id: of the route.
    """

    route_id: str
    route_name: str
    deployment_id: str
    project_id: str
    binding_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for, in numbers.

    Attributes:
        kind: shape of the input.
        count: of inputs, at least 1.
        size: of the texts in bytes of UTF-8; None for token ids.
        purpose: what they are for.
        query_digest: of the only text of a query; None for all else.
    """

    kind: InputKind
    count: int
    size: int | None
    purpose: Purpose
    query_digest: str | None

    def __post_init__(self) -> None:
        if self.query_digest is not None and not is_sha256(self.query_digest):
            raise Invalid("query digest: must be 64 lowercase hex digits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One call of an upstream.

    Attributes:
        part: which part of a request that was split, from 0.
        number: of the attempt at this part, from 0.
        count: of inputs that it carried.
        milliseconds: that it took, at least 0.
        upstream_status: of HTTP; None where none came or the embedder is in process.
        failure: why it gave no vectors; None where it gave some.
    """

    part: int
    number: int
    count: int
    milliseconds: float
    upstream_status: int | None = None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a request ended.

    Attributes:
        state: of the request.
        status: of HTTP that the client is given; None where it left.
        code: stable name of what went wrong; None where nothing did.
        prompt_tokens: as the upstream counted them; None is unknown.
        zero_vectors: how many of the vectors are zero throughout.
        from_cache, from_fallback: whether another one than the deployment gave the vectors.

    Raises:
        Invalid: a failure without a code, or a success with one.
    """

    state: RequestState
    status: int | None
    code: str | None = None
    prompt_tokens: int | None = None
    zero_vectors: int = 0
    from_cache: bool = False
    from_fallback: bool = False

    def __post_init__(self) -> None:
        if (self.state is RequestState.COMPLETED) is not (self.code is None):
            raise Invalid("outcome: a completed request, and only it, has no code")
        if (self.state is RequestState.ABORTED) is not (self.status is None):
            raise Invalid("outcome: an aborted request, and only it, was given no status")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayRequest:
    """One request to the gateway, as it is kept.

    Attributes:
        id: UUIDv7 text of the row.
        public_id: `req_` and 32 hex digits.
        capability: that it was made under.
        caller: who asked.
        served: through what; None where it was refused before that was known.
        asked: for what; None where it was refused before that was known.
        outcome: how it ended.
        attempts: calls of upstreams, in their order.
        created_at: when it began: the end, less the time that passed since.
        completed_at: the database's time at which the row was written.

    Raises:
        Invalid: a public id of another shape, or an end before the beginning.
    """

    id: str
    public_id: str
    capability: Capability = Capability.EMBEDDING
    caller: Caller
    served: Served | None
    asked: Asked | None
    outcome: Outcome
    attempts: tuple[Attempt, ...] = ()
    created_at: datetime
    completed_at: datetime

    def __post_init__(self) -> None:
        if not is_public_id(self.public_id):
            raise Invalid("public id: must be req_ and 32 lowercase hex digits")
        if self.created_at > self.completed_at:
            raise Invalid("request: must not end before it began")

    @property
    def is_evidence(self) -> bool:
        """Whether it can prove that one query was embedded by its deployment.

        Source: statements C-76, C-77, G-53; settled 23.
        """
        return (
            self.outcome.state is RequestState.COMPLETED
            and self.served is not None
            and self.asked is not None
            and self.asked.query_digest is not None
            and not self.outcome.from_cache
            and not self.outcome.from_fallback
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A request before its time of the database is known: all but id and times.

    Attributes:
        public_id, caller, served, asked, outcome, attempts: as `GatewayRequest`.
    """

    public_id: str
    caller: Caller
    served: Served | None
    asked: Asked | None
    outcome: Outcome
    attempts: tuple[Attempt, ...] = ()


def complete(facts: Facts, *, row_id: str, now: datetime, elapsed: float) -> GatewayRequest:
    """The row of a request.

    Args:
        facts: what is known of it.
        row_id: UUIDv7 text.
        now: the database's time.
        elapsed: seconds since the request came in, of a clock that never goes back. The clock of
            the host that answered counts for nothing else, so its being wrong moves nothing.

    Source: settled 11.
    """
    return GatewayRequest(
        id=row_id,
        public_id=facts.public_id,
        caller=facts.caller,
        served=facts.served,
        asked=facts.asked,
        outcome=facts.outcome,
        attempts=facts.attempts,
        created_at=now - timedelta(seconds=max(0.0, elapsed)),
        completed_at=now,
    )


def asked_of(inputs: Inputs) -> Asked:
    """What is kept of the inputs: numbers, and the digest of a single query."""
    return Asked(
        kind=inputs.kind,
        count=inputs.count,
        size=inputs.text_bytes,
        purpose=inputs.purpose,
        query_digest=inputs.query_digest,
    )


def public_id(random: bytes) -> str:
    """A public id.

    Args:
        random: at least 16 bytes that nobody can guess; nothing of the row goes in.

    Raises:
        Invalid: too few of them.

    Source: settled 4; statement C-72.
    """
    digits = random.hex()[:PUBLIC_ID_DIGITS]
    if len(digits) != PUBLIC_ID_DIGITS:
        raise Invalid("public id: needs 16 random bytes")
    return PUBLIC_ID_PREFIX + digits


def is_public_id(value: str) -> bool:
    """Whether a text is a public id by its shape; a row's id is not."""
    digits = value.removeprefix(PUBLIC_ID_PREFIX)
    return (
        value.startswith(PUBLIC_ID_PREFIX)
        and len(digits) == PUBLIC_ID_DIGITS
        and set(digits) <= _HEX
    )


def failed_part(attempts: Sequence[Attempt]) -> int | None:
    """Which part of a request failed, from 0; None where the last attempt at each gave vectors."""
    last = {attempt.part: attempt for attempt in attempts}
    failed = [part for part, attempt in last.items() if attempt.failure is not None]
    return min(failed, default=None)


_HEX: Final = frozenset("0123456789abcdef")
