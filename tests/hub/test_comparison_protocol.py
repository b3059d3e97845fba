"""The whole protocol on the wire against a model of it, whatever is called in whatever order."""

from datetime import datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from evenhand.core.comparison.intent import Intent
from tests.hub.comparing import CONSUMER, Comparing, comparing

__all__ = ["comparing"]

ACTIVE, HELD = {"pending", "running", "cancel_requested"}, {"running", "cancel_requested"}
CASES = 3


class Attempt:
    """What the protocol says of one comparison; each verb gives the status of its answer."""

    def __init__(self) -> None:
        self.state, self.version, self.counts = "pending", 1, (0, 0)
        self.expires = self.deadline = 0.0
        self.has_token = False
        self.report: object = None

    def to(self, state: str) -> int:
        self.state, self.version = state, self.version + 1
        return 200

    def expire(self, now: float) -> bool:
        is_over = self.state in HELD and now >= self.expires
        if is_over:
            self.to("interrupted")
        return is_over

    def claim(self, now: float) -> int:
        if self.expire(now) or self.state != "pending":
            return 409
        self.expires, self.deadline, self.has_token = now + 120, now + 3600, True
        return self.to("running")

    def cancel(self, now: float, version: int) -> int:
        if self.expire(now) or self.state not in ACTIVE or version != self.version:
            return 409
        if self.state == "cancel_requested":
            return 200
        return self.to("cancelled" if self.state == "pending" else "cancel_requested")

    def hold(self, now: float, *, good: bool) -> int:
        if self.expire(now) or self.state == "interrupted":
            return 410
        if not self.has_token:
            return 409
        return 200 if good else 403

    def progress(self, counts: tuple[int, int]) -> int:
        if self.state not in HELD:
            return 409
        if max(counts) > CASES:
            return 422
        if counts[0] < self.counts[0] or counts[1] < self.counts[1]:
            return 409
        self.counts = counts
        return 200

    def end(self, state: str, report: object) -> int:
        if self.state not in HELD:
            return 200 if (self.state, self.report) == (state, report) else 409
        wanted = {"completed": "running", "cancelled": "cancel_requested"}
        if state in wanted and self.state != wanted[state]:
            return 409
        self.report = report
        self.counts = (CASES, CASES) if state == "completed" else self.counts
        return self.to(state)


class Protocol(RuleBasedStateMachine):
    """Calls the hub and the model alike; after each call both say the same."""

    def __init__(self, comparing: Comparing) -> None:
        super().__init__()
        self.hub = comparing
        # Whatever an earlier run left is over, and nobody hears of it.
        self.began = self.now = comparing.clock.monotonic() + 4000
        self.attempts: list[tuple[Attempt, Any]] = []
        comparing.at(self.now)
        for told in comparing.get(limit=1).json()["items"]:
            if told["state"] == "pending":
                comparing.cancel(told)

    def stored(self, identifier: str) -> Intent | None:
        return self.hub.hub.parts.database.read(lambda uow: uow.intents.find(identifier))

    def choose(self, draw: int) -> tuple[Attempt, Any]:
        return self.attempts[draw % len(self.attempts)]

    @rule(seconds=st.sampled_from([0.000001, 1, 60, 119.999999, 120, 3000]))
    def wait(self, seconds: float) -> None:
        self.now = round(self.now + seconds, 6)
        self.hub.at(self.now)

    @rule()
    def prepare(self) -> None:
        is_busy = any(
            not model.expire(self.now) and model.state in ACTIVE for model, _ in self.attempts
        )
        answer = self.hub.prepare(f"{self.began}-{len(self.attempts)}")
        assert answer.status_code == (409 if is_busy else 201)
        if not is_busy:
            self.attempts.append((Attempt(), {"comparison": answer.json(), "claim_token": "x"}))

    @precondition(lambda self: self.attempts)
    @rule(draw=st.integers(0, 3))
    def look(self, draw: int) -> None:
        # A look at one ends all that ran out.
        for model, _ in self.attempts:
            model.expire(self.now)
        model, told = self.choose(draw)
        seen = self.hub.get(f"/{told['comparison']['id']}").json()
        assert (seen["state"], seen["version"]) == (model.state, model.version)

    @precondition(lambda self: self.attempts)
    @rule(draw=st.integers(0, 3))
    def claim(self, draw: int) -> None:
        model, told = self.choose(draw)
        expected, answer = model.claim(self.now), self.hub.claim(told["comparison"])
        assert answer.status_code == expected
        if expected == 200:
            told["claim_token"] = answer.json()["claim_token"]

    @precondition(lambda self: self.attempts)
    @rule(draw=st.integers(0, 3), late=st.integers(0, 1))
    def cancel(self, draw: int, late: int) -> None:
        model, told = self.choose(draw)
        version = max(1, model.version - late)
        expected = model.cancel(self.now, version)
        assert self.hub.cancel(told["comparison"], version).status_code == expected

    @precondition(lambda self: self.attempts)
    @rule(
        draw=st.integers(0, 3),
        good=st.booleans(),
        counts=st.tuples(st.integers(0, CASES + 1), st.integers(0, CASES)),
    )
    def progress(self, draw: int, *, good: bool, counts: tuple[int, int]) -> None:
        model, told = self.choose(draw)
        expected = model.hold(self.now, good=good)
        if expected == 200:
            expected = model.progress(counts)
        if expected == 200:
            model.expires = min(self.now + 120, model.deadline)
        answer = self.hub.progress(shown(told, good=good), *counts)
        assert answer.status_code == expected
        if expected == 200:
            assert answer.json()["cancel_requested"] is (model.state == "cancel_requested")

    @precondition(lambda self: self.attempts)
    @rule(
        draw=st.integers(0, 3),
        good=st.booleans(),
        outcome=st.sampled_from(["failed", "cancelled"]),
        code=st.sampled_from([None, "A"]),
    )
    def finish(self, draw: int, *, good: bool, outcome: str, code: str | None) -> None:
        model, told = self.choose(draw)
        error = code if outcome == "failed" else None
        expected = model.hold(self.now, good=good)
        if expected == 200:
            expected = model.end(outcome, error)
        answer = self.hub.finish(shown(told, good=good), outcome, error_code=error)
        assert answer.status_code == expected

    @precondition(lambda self: self.attempts)
    @rule(draw=st.integers(0, 3), good=st.booleans(), same=st.booleans())
    def publish(self, draw: int, *, good: bool, same: bool) -> None:
        model, told = self.choose(draw)
        expected = model.hold(self.now, good=good)
        body = told.get("body")
        if body is None or not same:
            body = self.hub.result(shown(told, good=good))
        if expected == 200:
            # A result is known by its content, which is another one for each set of requests.
            expected = model.end("completed", repr(body["current_gateway_requests"]))
        answer = self.hub.publish(
            told, body | {"claim_token": shown(told, good=good)["claim_token"]}
        )
        assert answer.status_code == expected
        if expected == 200:
            told["body"] = body

    @invariant()
    def both_say_the_same(self) -> None:
        for model, told in self.attempts:
            stored = self.stored(told["comparison"]["id"])
            assert stored is not None
            counts = (stored.current_completed, stored.candidate_completed)
            assert (stored.state.value, stored.version) == (model.state, model.version)
            assert counts == model.counts
            if model.state in HELD:
                expires = stored.claim_expires_at
                assert expires is not None
                assert seconds(self.hub, expires) == pytest.approx(model.expires, abs=1e-5)

    def teardown(self) -> None:
        published = sum(model.state == "completed" for model, _ in self.attempts)
        total = self.hub.count("comparison_summary")
        assert self.hub.count("comparison_leg") == 2 * total
        assert total >= published


def shown(told: Any, *, good: bool) -> Any:
    return told if good else told | {"claim_token": "y" * 43}


def seconds(comparing: Comparing, instant: datetime) -> float:
    return comparing.clock.monotonic() + (instant - comparing.clock.now()).total_seconds()


def run(comparing: Comparing, *, examples: int, steps: int) -> None:
    factory: Any = partial(Protocol, comparing)
    run_state_machine_as_test(
        factory,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.proves("C-62", "C-105", "C-107", "G-35")
def test_the_hub_does_what_the_model_says(comparing: Comparing) -> None:
    assert comparing.hub.tokens[CONSUMER]
    run(comparing, examples=8, steps=20)


@pytest.mark.torture
def test_the_hub_does_what_the_model_says_for_thousands_of_steps(comparing: Comparing) -> None:
    run(comparing, examples=120, steps=50)
