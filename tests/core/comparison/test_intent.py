"""States of a comparison, decided without a database: what each step gives, and what it refuses."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from evenhand.core.comparison import holder
from evenhand.core.comparison.intent import (
    ACTIVE,
    HELD,
    RESTORE_INTERRUPTED,
    Intent,
    IntentState,
    cancel,
    claim,
    observe,
    restored,
)
from evenhand.core.errors import EvenhandError, Invalid
from tests.builders import START
from tests.comparison_builders import TOKEN, World, a_claim_of, an_intent

WORLD = World()
PENDING = an_intent(WORLD)
RUNNING = a_claim_of(PENDING)
ASKED = cancel(RUNNING, expected_version=2, now=START)
ENDED = {
    IntentState.COMPLETED: holder.complete(RUNNING, result_digest="d" * 64, now=START),
    IntentState.FAILED: holder.finish(
        RUNNING, outcome=IntentState.FAILED, error_code="X", now=START
    ),
    IntentState.CANCELLED: holder.finish(
        ASKED, outcome=IntentState.CANCELLED, error_code=None, now=START
    ),
    IntentState.INTERRUPTED: restored(RUNNING, START),
}
EVERY = {one.state: one for one in (PENDING, RUNNING, ASKED, *ENDED.values())}


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def code_of(step: Callable[[], object]) -> str:
    with pytest.raises(EvenhandError) as refused:
        step()
    return refused.value.code


@pytest.mark.proves("C-02", "G-39")
def test_a_new_intent_waits_with_version_one_and_no_claim() -> None:
    assert (PENDING.state, PENDING.version) == (IntentState.PENDING, 1)
    assert {PENDING.claimed_at, PENDING.claim_expires_at, PENDING.token_digest} == {None}
    assert observe(PENDING, at(10**9)) is PENDING


@pytest.mark.proves("C-108", "C-109", "G-35")
def test_nothing_leaves_an_end() -> None:
    assert set(ENDED) == set(IntentState) - ACTIVE
    for intent in ENDED.values():
        assert observe(intent, at(10**9)) is intent
        assert restored(intent, at(5)) is intent
        steps = (
            partial(claim, intent, token_digest="0" * 64, now=START),
            partial(cancel, intent, expected_version=intent.version, now=START),
            partial(holder.progress, intent, current=0, candidate=0, now=START),
            partial(holder.complete, intent, result_digest="e" * 64, now=START),
        )
        assert {code_of(step) for step in steps} == {"already_terminal"}


@pytest.mark.proves("G-35", "G-41")
def test_only_what_waits_can_be_claimed() -> None:
    claimable = [
        state
        for state, intent in EVERY.items()
        if not refuses(partial(claim, intent, token_digest="0" * 64, now=START))
    ]

    assert claimable == [IntentState.PENDING]
    assert code_of(lambda: claim(RUNNING, token_digest="0" * 64, now=START)) == "already_claimed"


def refuses(step: Callable[[], object]) -> bool:
    try:
        step()
    except EvenhandError:
        return True
    return False


@pytest.mark.proves("C-99", "C-100", "G-39")
def test_a_cancellation_ends_what_waits_and_asks_what_runs() -> None:
    assert cancel(PENDING, expected_version=1, now=START).state is IntentState.CANCELLED
    assert (ASKED.state, ASKED.version) == (IntentState.CANCEL_REQUESTED, 3)
    assert cancel(ASKED, expected_version=3, now=START) is ASKED
    assert code_of(lambda: cancel(RUNNING, expected_version=1, now=START)) == "version_conflict"


@pytest.mark.proves("C-104", "C-105", "G-40")
@pytest.mark.parametrize("intent", [RUNNING, ASKED], ids=str)
@pytest.mark.parametrize(
    ("seconds", "code"), [(120, "COMPARISON_LEASE_EXPIRED"), (3600, "COMPARISON_DEADLINE_PASSED")]
)
def test_what_ran_out_is_interrupted_and_its_token_forgotten(
    intent: Intent, seconds: float, code: str
) -> None:
    assert observe(intent, at(119.999999)) is intent

    seen = observe(intent, at(seconds))

    assert (seen.state, seen.version) == (IntentState.INTERRUPTED, intent.version + 1)
    assert (seen.token_digest, seen.error_code, seen.finished_at) == (None, code, at(seconds))
    assert seen.pins == intent.pins


@pytest.mark.proves("C-112", "C-113", "C-114", "C-115")
@pytest.mark.parametrize("intent", [PENDING, RUNNING, ASKED], ids=str)
def test_a_restore_interrupts_what_had_not_ended_and_keeps_the_pins(intent: Intent) -> None:
    made = restored(intent, at(7))

    assert (made.state, made.error_code) == (IntentState.INTERRUPTED, RESTORE_INTERRUPTED)
    assert RESTORE_INTERRUPTED == "COMPARISON_RESTORE_INTERRUPTED"
    assert (made.token_digest, made.claim_expires_at) == (None, None)
    assert (made.pins, made.idempotency_key, made.version) == (
        intent.pins,
        intent.idempotency_key,
        intent.version + 1,
    )
    assert restored(made, at(8)) is made


@pytest.mark.proves("G-40")
@pytest.mark.parametrize(
    ("intent", "token", "code"),
    [
        (RUNNING, TOKEN, None),
        (ASKED, TOKEN, None),
        (ENDED[IntentState.COMPLETED], TOKEN, None),
        (ENDED[IntentState.FAILED], TOKEN, None),
        (RUNNING, "", "wrong_claim_token"),
        (RUNNING, TOKEN.upper(), "wrong_claim_token"),
        (ENDED[IntentState.COMPLETED], "x", "wrong_claim_token"),
        (PENDING, TOKEN, "not_claimed"),
        (cancel(PENDING, expected_version=1, now=START), TOKEN, "already_terminal"),
        (ENDED[IntentState.INTERRUPTED], TOKEN, "claim_interrupted"),
    ],
)
def test_who_holds_a_claim(intent: Intent, token: str, code: str | None) -> None:
    refusal = holder.refusal_of_holder(intent, token, at(1))

    assert (None if refusal is None else refusal.code) == code


@pytest.mark.proves("C-106", "G-38")
def test_time_decides_before_the_token() -> None:
    for token in (TOKEN, "x"):
        late = holder.refusal_of_holder(RUNNING, token, at(120))
        assert late is not None
        assert late.code == "lease_expired"
    assert holder.refusal_of_holder(RUNNING, TOKEN, at(119.999999)) is None


@pytest.mark.proves("C-63", "C-64", "G-39", "G-50")
def test_progress_moves_counts_and_lease_and_nothing_else() -> None:
    made = holder.progress(RUNNING, current=2, candidate=1, now=at(50))

    assert made == replace(
        RUNNING, current_completed=2, candidate_completed=1, claim_expires_at=at(170)
    )
    assert holder.progress(made, current=2, candidate=1, now=at(51)).version == made.version
    for counts, code in (((1, 1), "counts_decreased"), ((2, 4), "counts_too_large")):
        step = lambda one=counts: holder.progress(  # noqa: E731 -- bound to its counts
            made, current=one[0], candidate=one[1], now=at(60)
        )
        assert code_of(step) == code


@pytest.mark.proves("G-36", "G-37")
def test_a_requested_cancellation_takes_no_result_and_an_unrequested_one_no_acknowledgement() -> (
    None
):
    assert code_of(lambda: holder.complete(ASKED, result_digest="d" * 64, now=START)) == (
        "cancellation_requested"
    )
    unasked = lambda: holder.finish(  # noqa: E731 -- called once
        RUNNING, outcome=IntentState.CANCELLED, error_code=None, now=START
    )
    assert code_of(unasked) == "cancellation_not_requested"


@pytest.mark.proves("C-86", "C-87", "G-54")
def test_a_result_is_known_again_by_its_digest() -> None:
    done = ENDED[IntentState.COMPLETED]

    assert holder.is_published(done, "d" * 64)
    assert not holder.is_published(RUNNING, "d" * 64)
    assert code_of(lambda: holder.is_published(done, "e" * 64)) == "result_conflict"


def test_a_digest_of_a_token_is_shown_by_no_representation() -> None:
    assert RUNNING.token_digest is not None
    assert RUNNING.token_digest not in repr(RUNNING)


@pytest.mark.parametrize(
    "changed",
    [
        {"current_completed": 4},
        {"token_digest": None},
        {"finished_at": START},
        {"result_digest": "d" * 64},
    ],
    ids=str,
)
def test_an_intent_that_contradicts_itself_is_none(changed: dict[str, object]) -> None:
    assert RUNNING.state in HELD
    with pytest.raises(Invalid):
        replace(RUNNING, **changed)  # type: ignore[arg-type]
