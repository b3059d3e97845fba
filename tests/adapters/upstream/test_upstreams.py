"""Each deployment is answered for by its server or embedder, made at its first call and kept."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from evenhand.adapters.embedders.protocol import Embedder
from evenhand.adapters.system import SystemClock
from evenhand.adapters.upstream.upstreams import HubUpstreams, UpstreamLimits
from evenhand.core.errors import InvalidSetting
from evenhand.core.gateway.call import Reply, Target
from evenhand.core.gateway.circuit import THRESHOLD, CircuitState
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.inputs import Purpose
from evenhand.core.registry.upstream import parse_upstream_allow
from tests.adapters.upstream.test_in_process import Lengths
from tests.gateway_builders import SERVED, a_target
from tests.upstream_server import Scripted, free_port, serving

T = TypeVar("T")
VARIABLE = "KEY"
TARGET = a_target(base_url="http://127.0.0.1:1/v1", upstream_model="m")


def no_embedder(name: str) -> Embedder:
    raise InvalidSetting("embedder", f"{name} is not there")


def using(
    work: Callable[[HubUpstreams], Awaitable[T]],
    *,
    environment: dict[str, str] | None = None,
    load_embedder: Callable[[str], Embedder] = no_embedder,
    limits: UpstreamLimits | None = None,
) -> T:
    async def run() -> T:
        upstreams = HubUpstreams(
            clock=SystemClock(),
            secret=(environment or {}).get,
            load_embedder=load_embedder,
            allow=parse_upstream_allow("127.0.0.1"),
            limits=limits,
        )
        try:
            return await work(upstreams)
        finally:
            await upstreams.close()

    return asyncio.run(run())


def posting(target: Target, times: int = 1) -> Callable[[HubUpstreams], Awaitable[list[Reply]]]:
    async def work(upstreams: HubUpstreams) -> list[Reply]:
        return [await upstreams.post(target, b"{}", limit=1000) for _ in range(times)]

    return work


def test_the_secret_of_the_named_variable_is_sent_and_asked_for_each_time() -> None:
    environment = {VARIABLE: "first"}

    with serving(Scripted(body=b"{}")) as upstream:
        target = replace(TARGET, base_url=upstream.url, secret_env=VARIABLE)

        async def work(upstreams: HubUpstreams) -> None:
            await upstreams.post(target, b"{}", limit=1000)
            environment[VARIABLE] = "second"
            await upstreams.post(target, b"{}", limit=1000)

        using(work, environment=environment)
        sent = [got.headers["authorization"] for got in upstream.received]
        assert sent == ["Bearer first", "Bearer second"]
        # One runtime, one set of connections.
        assert upstream.connections == 1


@pytest.mark.parametrize("secret", [None, "", "two words", "line\nfeed", "\u00e9"])
def test_without_a_usable_secret_nobody_is_called(secret: str | None) -> None:
    environment = {} if secret is None else {VARIABLE: secret}
    with serving(Scripted(body=b"{}")) as upstream:
        target = replace(TARGET, base_url=upstream.url, secret_env=VARIABLE)
        (reply,) = using(posting(target), environment=environment)
        assert upstream.received == []

    assert reply == Reply(failure=Failure.SECRET_MISSING, was_called=False)


def test_two_deployments_of_one_runtime_have_a_circuit_each() -> None:
    dead = replace(TARGET, base_url=f"http://127.0.0.1:{free_port()}/v1")
    other = replace(dead, served=replace(SERVED, deployment_id="other"))

    async def work(upstreams: HubUpstreams) -> dict[str, CircuitState]:
        for _ in range(THRESHOLD):
            await upstreams.post(dead, b"{}", limit=1)
        await upstreams.post(other, b"{}", limit=1)
        return {key: found.state for key, found in upstreams.circuits().items()}

    assert using(work) == {"d": CircuitState.OPEN, "other": CircuitState.CLOSED}


def test_an_embedder_is_loaded_by_its_name_once() -> None:
    asked: list[str] = []

    def load(name: str) -> Any:
        asked.append(name)
        return Lengths()

    target = replace(TARGET, base_url=None, upstream_model=None, embedder="lengths")

    async def work(upstreams: HubUpstreams) -> list[Reply]:
        return [await upstreams.embed(target, ["ab"], Purpose.QUERY) for _ in range(2)]

    assert [reply.vectors for reply in using(work, load_embedder=load)] == [[[2.0]], [[2.0]]]
    assert asked == ["lengths"]


def test_an_embedder_that_is_not_there_is_a_failure() -> None:
    target = replace(TARGET, base_url=None, upstream_model=None, embedder="nobody")

    async def work(upstreams: HubUpstreams) -> Reply:
        return await upstreams.embed(target, ["a"], Purpose.QUERY)

    assert using(work).failure is Failure.EMBEDDER_FAILED
