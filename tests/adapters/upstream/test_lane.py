"""A deployment gets so many calls at a time, and a rest when it fails."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from evenhand.adapters.upstream.lane import Lane
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.circuit import FIRST_REST_SECONDS, THRESHOLD, CircuitState
from evenhand.core.gateway.failure import Failure
from evenhand.usecases.ports import CallAbandoned

GOOD = Reply(body=b"{}")
DOWN = Reply(failure=Failure.TIMED_OUT)


def giving(reply: Reply) -> Callable[[], Awaitable[Reply]]:
    async def call() -> Reply:
        return reply

    return call


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_so_many_are_out_at_a_time_so_many_wait_and_more_are_refused() -> None:
    async def run() -> None:
        lane = Lane(Clock(), at_a_time=2, waiting=1)
        gate, out, most = asyncio.Event(), 0, 0

        async def slow() -> Reply:
            nonlocal out, most
            out += 1
            most = max(most, out)
            await gate.wait()
            out -= 1
            return GOOD

        held = [asyncio.create_task(lane.run(slow)) for _ in range(3)]
        await asyncio.sleep(0)
        refused = await lane.run(slow)
        assert (refused.failure, refused.was_called) == (Failure.OVERLOADED, False)
        assert refused.retry_after == 1
        gate.set()
        assert await asyncio.gather(*held) == [GOOD] * 3
        assert most == 2
        # Whoever was refused took no place.
        assert await lane.run(giving(GOOD)) == GOOD

    asyncio.run(run())


def test_a_deployment_that_keeps_failing_rests_and_is_tried_once() -> None:
    async def run() -> None:
        clock = Clock()
        lane = Lane(clock, at_a_time=4, waiting=4)
        for _ in range(THRESHOLD):
            assert await lane.run(giving(DOWN)) == DOWN
        resting = await lane.run(giving(GOOD))
        assert (resting.failure, resting.was_called) == (Failure.CIRCUIT_OPEN, False)
        assert resting.retry_after == FIRST_REST_SECONDS
        clock.now = FIRST_REST_SECONDS
        assert await lane.run(giving(GOOD)) == GOOD
        assert lane.circuit.state is CircuitState.CLOSED

    asyncio.run(run())


def test_a_refusal_or_a_wrong_answer_does_not_open_the_circuit() -> None:
    async def run() -> None:
        lane = Lane(Clock(), at_a_time=1, waiting=0)
        for _ in range(THRESHOLD * 2):
            await lane.run(giving(Reply(failure=Failure.BUSY)))
        assert lane.circuit.state is CircuitState.CLOSED

    asyncio.run(run())


def test_whoever_waited_is_not_sent_to_a_deployment_that_rests_by_then() -> None:
    async def run() -> None:
        lane = Lane(Clock(), at_a_time=1, waiting=THRESHOLD)
        calls = 0

        async def down() -> Reply:
            nonlocal calls
            calls += 1
            await asyncio.sleep(0)
            return DOWN

        replies = await asyncio.gather(*(lane.run(down) for _ in range(THRESHOLD + 1)))
        assert calls == THRESHOLD
        assert replies[-1].failure is Failure.CIRCUIT_OPEN

    asyncio.run(run())


@pytest.mark.parametrize("is_probe", [True, False])
def test_a_client_that_leaves_gives_its_place_back(is_probe: bool) -> None:
    async def run() -> None:
        clock = Clock()
        lane = Lane(clock, at_a_time=1, waiting=0)
        if is_probe:
            for _ in range(THRESHOLD):
                await lane.run(giving(DOWN))
            clock.now = FIRST_REST_SECONDS

        async def never() -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

        task = asyncio.create_task(lane.run(never))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await lane.run(giving(GOOD)) == GOOD

    asyncio.run(run())


def test_whoever_leaves_hears_whether_its_call_had_begun() -> None:
    async def run() -> None:
        lane, begun = Lane(Clock(), at_a_time=1, waiting=1), asyncio.Event()

        async def for_ever() -> Reply:
            begun.set()
            await asyncio.Event().wait()
            return GOOD

        async def leaving() -> type[BaseException]:
            try:
                await lane.run(for_ever)
            except asyncio.CancelledError as error:
                return type(error)
            raise AssertionError

        calling = asyncio.ensure_future(leaving())
        await begun.wait()
        waiting = asyncio.ensure_future(leaving())
        await asyncio.sleep(0)
        for one in (waiting, calling):
            one.cancel()
        ended = await asyncio.gather(calling, waiting)
        assert list(ended) == [CallAbandoned, asyncio.CancelledError]

    asyncio.run(run())
