"""When does a deployment that keeps failing get a rest, and when is it tried again?

After some failures in a row its circuit opens: for a while nobody waits for an answer that will
not come. Then one call is let through; it closes the circuit or opens it for twice as long.
Instants are seconds of a clock that never goes back, of one process: each keeps its own circuits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from typing import Final

#: Failures in a row that open a circuit.
THRESHOLD: Final = 5
#: The first rest, and the longest.
FIRST_REST_SECONDS: Final = 5.0
MAX_REST_SECONDS: Final = 60.0


class CircuitState(StrEnum):
    """Whether calls go out: all of them, none, or one as a probe."""

    CLOSED = "closed"
    OPEN = "open"
    PROBING = "probing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit:
    """The circuit of one deployment.

    Attributes:
        state: of it.
        failures: in a row, at least 0.
        rest_seconds: how long the rest that runs, or ran last, is; 0 where there was none since
            the last success.
        rests_until: when the next call may go out, while open.
    """

    state: CircuitState = CircuitState.CLOSED
    failures: int = 0
    rest_seconds: float = 0.0
    rests_until: float = 0.0

    def admits(self, now: float) -> bool:
        """Whether a call may go out at this instant."""
        is_rested = self.state is CircuitState.OPEN and now >= self.rests_until
        return self.state is CircuitState.CLOSED or is_rested

    def retry_after(self, now: float) -> int:
        """Whole seconds after which a call may go out, at least 1."""
        return max(1, ceil(self.rests_until - now))


#: One of which nothing bad is known.
CLOSED: Final = Circuit()


def begin(circuit: Circuit, now: float) -> Circuit:
    """The circuit while a call that it admits is out: the first one after a rest is a probe.

    Args:
        circuit: that admits a call.
        now: this instant.
    """
    if circuit.state is CircuitState.OPEN and circuit.admits(now):
        return replace(circuit, state=CircuitState.PROBING)
    return circuit


def succeed(circuit: Circuit) -> Circuit:
    """After a call that was answered, were it with a refusal: it is not down."""
    # A call from before the circuit opened says nothing about now.
    return circuit if circuit.state is CircuitState.OPEN else CLOSED


def fail(circuit: Circuit, now: float) -> Circuit:
    """After a call that speaks for its being down."""
    if circuit.state is CircuitState.OPEN:
        return circuit
    failures = circuit.failures + 1
    if circuit.state is CircuitState.CLOSED and failures < THRESHOLD:
        return replace(circuit, failures=failures)
    rest = min(circuit.rest_seconds * 2 or FIRST_REST_SECONDS, MAX_REST_SECONDS)
    return Circuit(
        state=CircuitState.OPEN, failures=failures, rest_seconds=rest, rests_until=now + rest
    )


def give_up(circuit: Circuit, now: float) -> Circuit:
    """After a call that ended without saying anything, such as one whose client left.

    A probe that ends so must not keep the circuit shut for ever: the next call is the probe.
    """
    if circuit.state is not CircuitState.PROBING:
        return circuit
    return replace(circuit, state=CircuitState.OPEN, rests_until=now)
