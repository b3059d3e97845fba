"""Whom do use cases call over a network? Servers that embed, and hubs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.circuit import Circuit
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.gateway.request import Facts


class CallAbandoned(asyncio.CancelledError):
    """Whoever waited for a call is gone, after the call had begun."""


class Upstreams(Protocol):
    """What answers for deployments; the one port that is async.

    Both calls raise `CallAbandoned` where they are cancelled after they began, and CancelledError
    itself where they still waited for their turn.
    """

    async def post(self, target: Target, content: bytes, *, limit: int) -> Reply:
        """What a deployment's server answers to a body, in at most so many bytes."""

    async def embed(self, target: Target, texts: Sequence[str], purpose: Purpose) -> Reply:
        """What a deployment's embedder in this process gives for some texts."""

    def circuits(self) -> Mapping[str, Circuit]:
        """The circuit of each deployment that was called, by its id."""

    async def close(self) -> None:
        """Give up what is held open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """A request to the gateway that has ended, as far as it may be told to others.

    Attributes:
        facts: what is kept of it.
        target: whom it went to; None where it was refused before that was known.
        dimension: that was asked for; None where none was.
        seconds: that it took.
        traceparent: the caller's header of this name, as it came; None without one.
    """

    facts: Facts
    target: Target | None
    dimension: int | None
    seconds: float
    traceparent: str | None


class GatewayTelemetry(Protocol):
    """Who hears of requests to the gateway, beside the database."""

    def tell(self, ending: Ending) -> None:
        """One request that has ended; nothing waits for it, and it never raises."""

    def close(self) -> None:
        """Send what is left; nothing is told afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubAnswer:
    """What a hub says of a result that was sent to it.

    Attributes:
        evaluation_id: of the hub.
        is_new: whether this call stored it; else it was there.
        state: of its verdict against the one that was sent before it.
        reasons: codes of the verdict's reasons; empty where the two are comparable.
        previous_id: the one before, None where there is none.
    """

    evaluation_id: str
    is_new: bool
    state: str
    reasons: tuple[str, ...]
    previous_id: str | None


class ResultHub(Protocol):
    """A hub that results are sent to."""

    def publish(self, body: bytes) -> HubAnswer:
        """Send one result; raises HubRefused, HubUnavailable."""

    def close(self) -> None:
        """End the connections."""
