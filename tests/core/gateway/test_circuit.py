from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from evenhand.core.gateway import circuit
from evenhand.core.gateway.circuit import (
    FIRST_REST_SECONDS,
    MAX_REST_SECONDS,
    THRESHOLD,
    Circuit,
    CircuitState,
)


def opened(times: int = 1) -> Circuit:
    """A circuit that opened so often in a row, at the instants when its rests end."""
    held = Circuit()
    for _ in range(THRESHOLD - 1):
        held = circuit.fail(held, 0.0)
    held = circuit.fail(held, 0.0)
    for _ in range(times - 1):
        held = circuit.fail(circuit.begin(held, held.rests_until), held.rests_until)
    return held


def test_failures_in_a_row_open_it_and_one_fewer_does_not() -> None:
    held = Circuit()
    for _ in range(THRESHOLD - 1):
        held = circuit.fail(held, 0.0)
    assert held.admits(0.0)
    assert not circuit.fail(held, 0.0).admits(0.0)
    assert circuit.succeed(held) == Circuit()


def test_after_the_rest_one_call_is_let_through_and_no_second() -> None:
    held = opened()
    assert not held.admits(FIRST_REST_SECONDS - 0.001)
    assert held.admits(FIRST_REST_SECONDS)
    probing = circuit.begin(held, FIRST_REST_SECONDS)
    assert probing.state is CircuitState.PROBING
    assert not probing.admits(FIRST_REST_SECONDS + 1)


def test_the_probe_closes_it_or_opens_it_for_twice_as_long() -> None:
    probing = circuit.begin(opened(), FIRST_REST_SECONDS)

    assert circuit.succeed(probing) == Circuit()
    again = circuit.fail(probing, FIRST_REST_SECONDS)
    assert again.rest_seconds == 2 * FIRST_REST_SECONDS
    assert again.rests_until == 3 * FIRST_REST_SECONDS


def test_a_rest_does_not_grow_for_ever() -> None:
    assert opened(20).rest_seconds == MAX_REST_SECONDS


def test_a_call_from_before_it_opened_says_nothing() -> None:
    held = opened()
    assert circuit.succeed(held) == held
    assert circuit.fail(held, 1.0) == held


def test_a_probe_whose_client_left_gives_its_place_to_the_next_call() -> None:
    probing = circuit.begin(opened(), 9.0)
    assert circuit.give_up(probing, 9.5).admits(9.5)
    assert circuit.give_up(Circuit(), 1.0) == Circuit()


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_the_wait_that_is_told_is_whole_and_enough(now: float, until: float) -> None:
    held = Circuit(state=CircuitState.OPEN, rests_until=until)
    assert held.retry_after(now) >= 1
    assert held.admits(now + held.retry_after(now)) or until > now + held.retry_after(now) - 1e-6


class Lives(RuleBasedStateMachine):
    """Calls begin and end in any order; at most one is out while the circuit is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.held, self.now, self.probes = Circuit(), 0.0, 0

    @rule(seconds=st.floats(0, 30))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def call(self) -> None:
        if self.held.admits(self.now):
            self.held = circuit.begin(self.held, self.now)

    @rule()
    def succeed(self) -> None:
        self.held = circuit.succeed(self.held)

    @rule()
    def fail(self) -> None:
        self.held = circuit.fail(self.held, self.now)

    @rule()
    def leave(self) -> None:
        self.held = circuit.give_up(self.held, self.now)

    @invariant()
    def it_is_never_shut_for_ever(self) -> None:
        # Whatever happened, a rest has an end, and a probe ends by one of the rules.
        assert self.held.rest_seconds <= MAX_REST_SECONDS
        if self.held.state is CircuitState.OPEN:
            assert self.held.admits(self.now + MAX_REST_SECONDS)
        if self.held.state is CircuitState.CLOSED:
            assert self.held.failures < THRESHOLD


TestLives = Lives.TestCase
