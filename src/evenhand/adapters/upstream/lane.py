"""How many calls of one deployment are out at a time, and does it get a rest when it fails?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from evenhand.core.gateway import circuit
from evenhand.core.gateway.call import Reply
from evenhand.core.gateway.circuit import Circuit, CircuitState
from evenhand.core.gateway.failure import Failure
from evenhand.usecases.ports import CallAbandoned

#: Seconds that a client is asked to wait where a queue is full.
_FULL_SECONDS: Final = 1


class Lane:
    """The way to one deployment, of one event loop.

    Args:
        monotonic: seconds of a clock that never goes back.
        at_a_time: how many calls may be out, at least 1.
        waiting: how many may wait for their turn, at least 0; more are refused.
    """

    def __init__(self, monotonic: Callable[[], float], *, at_a_time: int, waiting: int) -> None:
        self._monotonic = monotonic
        self._turn = asyncio.Semaphore(at_a_time)
        self._room = at_a_time + waiting
        self._inside = 0
        self._circuit = Circuit()

    @property
    def circuit(self) -> Circuit:
        """As it is now."""
        return self._circuit

    async def run(self, call: Callable[[], Awaitable[Reply]]) -> Reply:
        """What a call came to, or that it was not made.

        Raises:
            CallAbandoned: it was cancelled after the call had begun.
        """
        resting = self._resting()
        if resting is not None:
            return resting
        if self._inside >= self._room:
            return Reply(failure=Failure.OVERLOADED, retry_after=_FULL_SECONDS, was_called=False)
        self._inside += 1
        try:
            async with self._turn:
                # It may have begun to rest while this call waited.
                return self._resting() or await self._call(call)
        finally:
            self._inside -= 1

    def _resting(self) -> Reply | None:
        if self._circuit.state is CircuitState.CLOSED:
            return None
        now = self._monotonic()
        if self._circuit.admits(now):
            return None
        wait = self._circuit.retry_after(now)
        return Reply(failure=Failure.CIRCUIT_OPEN, retry_after=wait, was_called=False)

    async def _call(self, call: Callable[[], Awaitable[Reply]]) -> Reply:
        if self._circuit.state is not CircuitState.CLOSED:
            self._circuit = circuit.begin(self._circuit, self._monotonic())
        try:
            reply = await call()
        except BaseException as error:
            # The client left, or the hub stops: that says nothing about the deployment.
            self._circuit = circuit.give_up(self._circuit, self._monotonic())
            if isinstance(error, asyncio.CancelledError):
                raise CallAbandoned from None
            raise
        if reply.failure is not None and reply.failure.says_down:
            self._circuit = circuit.fail(self._circuit, self._monotonic())
        else:
            self._circuit = circuit.succeed(self._circuit)
        return reply
