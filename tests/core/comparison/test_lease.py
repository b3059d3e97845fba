from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison import lease
from evenhand.core.comparison.lease import Claim, ClaimState, Outcome, Step

START = datetime(2026, 9, 9, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


HELD = lease.claim(START)


@pytest.mark.proves("C-62", "G-38")
def test_a_claim_lives_120_seconds_and_its_deadline_is_an_hour_away() -> None:
    assert (HELD.expires_at, HELD.deadline_at) == (at(120), at(3600))
    assert HELD.state is ClaimState.RUNNING


@pytest.mark.proves("G-38")
@pytest.mark.parametrize(("seconds", "alive"), [(0, True), (119.999999, True), (120, False)])
def test_the_lease_is_half_open(seconds: float, alive: bool) -> None:
    assert HELD.is_alive(at(seconds)) is alive


@pytest.mark.proves("C-62")
def test_progress_renews_the_lease_from_its_own_instant() -> None:
    step = lease.progress(HELD, at(100))
    assert step.refusal is None
    assert step.claim.expires_at == at(220)
    assert step.claim.deadline_at == at(3600)


@pytest.mark.proves("C-65", "G-38")
def test_renewal_never_passes_the_deadline() -> None:
    held = HELD
    for seconds in range(100, 3600, 100):
        held = lease.progress(held, at(seconds)).claim
        assert held.expires_at == min(at(seconds + 120), at(3600))
    assert lease.progress(held, at(3600)).claim.state is ClaimState.INTERRUPTED


@pytest.mark.proves("C-104", "C-106", "G-38")
@pytest.mark.parametrize("verb", ["progress", "result", "finish"])
def test_a_step_after_expiry_is_refused_and_still_interrupts_the_claim(verb: str) -> None:
    step = take(verb, HELD, at(120))
    assert step.claim.state is ClaimState.INTERRUPTED
    assert step.refusal is not None
    assert step.refusal.code == "lease_expired"


@pytest.mark.proves("C-104")
def test_looking_at_an_expired_claim_interrupts_it_and_a_live_one_stays() -> None:
    assert lease.observe(HELD, at(119)) == HELD
    assert lease.observe(HELD, at(120)).state is ClaimState.INTERRUPTED


@pytest.mark.proves("C-65")
def test_past_the_deadline_the_refusal_says_so() -> None:
    step = lease.result(HELD, at(3600))
    assert step.refusal is not None
    assert step.refusal.code == "deadline_passed"


@pytest.mark.proves("C-105")
@pytest.mark.parametrize("verb", ["progress", "result", "finish"])
def test_an_interrupted_claim_stays_so_even_if_the_clock_goes_back(verb: str) -> None:
    interrupted = lease.observe(HELD, at(120))
    step = take(verb, interrupted, at(1))
    assert step.claim == interrupted
    assert step.refusal is not None
    assert step.refusal.code == "claim_interrupted"


@pytest.mark.parametrize("outcome", [ClaimState.FAILED, ClaimState.CANCELLED])
def test_a_live_claim_finishes_as_its_holder_says(outcome: Outcome) -> None:
    step = lease.finish(HELD, at(1), outcome)
    assert step.refusal is None
    assert step.claim.state is outcome


@pytest.mark.parametrize("verb", ["progress", "result", "finish"])
def test_an_ended_claim_takes_no_further_step(verb: str) -> None:
    done = lease.result(HELD, at(1)).claim
    assert done.state is ClaimState.COMPLETED
    step = take(verb, done, at(2))
    assert step.claim == done
    assert step.refusal is not None
    assert step.refusal.code == "already_terminal"
    assert lease.observe(done, at(9999)) == done


VERBS = st.lists(
    st.tuples(
        st.sampled_from(["progress", "result", "finish", "read"]),
        st.integers(0, 4_000_000).map(lambda millis: millis / 1000),
    )
)


@given(VERBS)
def test_any_life_of_a_claim_agrees_with_a_model_of_five_lines(
    verbs: list[tuple[str, float]],
) -> None:
    held, state, expires = HELD, "running", 120.0
    for verb, seconds in sorted(verbs, key=lambda step: step[1]):
        step = take(verb, held, at(seconds))
        alive = state == "running" and seconds < expires
        if state == "running" and not alive:
            state = "interrupted"
        elif alive and verb != "read":
            expires = min(seconds + 120, 3600.0) if verb == "progress" else expires
            state = {"result": "completed", "finish": "failed"}.get(verb, state)
        assert (step.refusal is None) is (alive or verb == "read")
        assert (step.claim.state, step.claim.expires_at) == (state, at(expires))
        held = step.claim


def take(verb: str, held: Claim, now: datetime) -> Step:
    match verb:
        case "progress":
            return lease.progress(held, now)
        case "result":
            return lease.result(held, now)
        case "finish":
            return lease.finish(held, now, ClaimState.FAILED)
        case _:
            return Step(claim=lease.observe(held, now), refusal=None)
