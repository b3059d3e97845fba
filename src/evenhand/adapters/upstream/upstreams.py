"""Which server or embedder answers for a deployment? Each is made at its first call, and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evenhand.adapters.embedders.protocol import Embedder
from evenhand.adapters.upstream.in_process import InProcess
from evenhand.adapters.upstream.lane import Lane
from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.circuit import Circuit
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.registry.upstream import PUBLIC_ONLY, UpstreamAllow, parse_upstream
from evenhand.usecases.ports import Clock

if TYPE_CHECKING:
    from evenhand.adapters.upstream.server import Server

_FIRST_PRINTABLE: Final = "!"
_LAST_PRINTABLE: Final = "~"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamLimits:
    """What one deployment may use.

    Attributes:
        seconds: how long a call may take, above 0.
        at_a_time: how many calls may be out, at least 1.
        waiting: how many may wait for their turn, at least 0.
    """

    seconds: float = 60.0
    at_a_time: int = 64
    waiting: int = 256


class HubUpstreams:
    """What answers for the deployments of one hub process; implements `ports.Upstreams`.

    Args:
        clock: for rests of deployments that fail.
        secret: the value of a variable of the environment; None when unset.
        load_embedder: the embedder of a name.
        allow: what may be called although it is not public.
        limits: of each deployment.
    """

    def __init__(
        self,
        *,
        clock: Clock,
        secret: Callable[[str], str | None],
        load_embedder: Callable[[str], Embedder],
        allow: UpstreamAllow = PUBLIC_ONLY,
        limits: UpstreamLimits | None = None,
    ) -> None:
        self._clock = clock
        self._secret = secret
        self._load_embedder = load_embedder
        self._allow = allow
        self._limits = limits or UpstreamLimits()
        self._lanes: dict[str, Lane] = {}
        self._servers: dict[str, Server] = {}
        self._embedders: dict[str, InProcess] = {}

    async def post(self, target: Target, content: bytes, *, limit: int) -> Reply:
        """What a deployment's server answers to a body of JSON.

        Args:
            target: over HTTP.
            content: the body.
            limit: how many bytes the answer may have.
        """
        # Not before the first call: the HTTP client that it brings is a sixth of a hub's start.
        from evenhand.adapters.upstream.server import Post

        secret = None
        if target.secret_env is not None:
            # Asked for each time, so that a secret that is changed is used from then on.
            secret = self._secret(target.secret_env)
            if not _is_usable(secret):
                return Reply(failure=Failure.SECRET_MISSING, was_called=False)
        server = self._server(target)
        call = Post(content=content, secret=secret, limit=limit)
        return await self._lane(target).run(lambda: server.call(call))

    async def embed(self, target: Target, texts: Sequence[str], purpose: Purpose) -> Reply:
        """What a deployment's embedder in this process gives for some texts."""
        embedder = self._embedder(target)
        return await self._lane(target).run(lambda: embedder.call(texts, purpose))

    def circuits(self) -> Mapping[str, Circuit]:
        """The circuit of each deployment that was called, by its id."""
        # A copy first: another thread asks while this one's loop adds to them.
        return {deployment: lane.circuit for deployment, lane in list(self._lanes.items())}

    async def close(self) -> None:
        """End every connection and every thread."""
        for server in self._servers.values():
            await server.close()
        for embedder in self._embedders.values():
            embedder.close()
        self._servers.clear()
        self._embedders.clear()

    def _lane(self, target: Target) -> Lane:
        key = target.served.deployment_id
        if key not in self._lanes:
            self._lanes[key] = Lane(
                self._clock.monotonic,
                at_a_time=self._limits.at_a_time,
                waiting=self._limits.waiting,
            )
        return self._lanes[key]

    def _server(self, target: Target) -> Server:
        from evenhand.adapters.upstream.server import Server

        # The address of a runtime never changes; another one is another runtime.
        key = target.runtime_id
        if key not in self._servers:
            self._servers[key] = Server(
                parse_upstream(str(target.base_url)),
                allow=self._allow,
                seconds=self._limits.seconds,
            )
        return self._servers[key]

    def _embedder(self, target: Target) -> InProcess:
        name = str(target.embedder)
        if name not in self._embedders:
            self._embedders[name] = InProcess(
                lambda: self._load_embedder(name), seconds=self._limits.seconds
            )
        return self._embedders[name]


def _is_usable(secret: str | None) -> bool:
    """Whether a secret is there and can stand in a header."""
    return bool(secret) and all(
        _FIRST_PRINTABLE <= character <= _LAST_PRINTABLE for character in str(secret)
    )
