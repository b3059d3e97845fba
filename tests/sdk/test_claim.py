"""A claim is held until there is a report, and always ends with one."""

import threading
from typing import Any

import pytest

from evenhand.core.errors import Fenced, Invalid
from evenhand.core.errors.comparison import AlreadyClaimed
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk import ClaimSession, claim
from evenhand.wire.claims import CaseResult
from tests.sdk.scripted_hub import (
    CLAIM_TOKEN,
    PINS_DIGEST,
    Clock,
    ScriptedHub,
    a_problem,
    comparison,
    progressed,
    told,
)

REVISION = "e" * 64


def results() -> list[CaseResult]:
    return [CaseResult(case_id=f"case-{n}", ranked_results=[], latency_ms=1.5) for n in range(2)]


def publish(session: ClaimSession) -> Any:
    return session.publish(
        consumer_revision_sha256=REVISION,
        current=results(),
        candidate=results(),
        current_gateway_requests={"case-0": "req_1"},
        candidate_gateway_requests={"case-0": "req_2"},
    )


def wait_for(happened: threading.Event) -> None:
    assert happened.wait(20)


class Renewals(ScriptedHub):
    """Tells a test when a renewal was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.renewed = threading.Event()

    def __call__(self, request: Any) -> Any:
        try:
            return super().__call__(request)
        finally:
            if request.url.path.endswith("/progress"):
                self.renewed.set()


@pytest.mark.proves("C-62", "C-61")
def test_the_lease_is_renewed_with_the_counts_when_a_third_of_it_is_over() -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", told(progressed()))
    hub.will("finish", told(comparison("failed")))
    with hub.session(clock) as session:
        session.complete("current")
        # The third that this thread waits for is real; a second session begins after its own.
        assert hub.bodies("progress") == []
    late = hub.session(clock)
    late.complete("candidate")
    clock.seconds += 40
    with late:
        wait_for(hub.renewed)
        late.fail("STOPPED_BY_TEST")
    (body,) = hub.bodies("progress")
    assert body == {
        "claim_token": CLAIM_TOKEN,
        "current_completed_cases": 0,
        "candidate_completed_cases": 1,
    }


@pytest.mark.proves("C-66")
def test_no_work_starts_after_the_operator_asked_for_the_end() -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", told(progressed(cancel_requested=True)))
    hub.will("finish", told(comparison("cancelled")))
    session = hub.session(clock)
    clock.seconds += 40
    with session:
        session.report_progress()
        with pytest.raises(Fenced, match="operator") as raised:
            session.require_open()
    assert raised.value.code == "cancellation_requested"
    assert hub.bodies("finish") == [
        {"claim_token": CLAIM_TOKEN, "outcome": "cancelled", "error_code": None}
    ]


def test_work_ends_where_the_lease_may_have_ended_unanswered() -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", None)
    hub.will("finish", a_problem(410, "lease_expired"))
    session = hub.session(clock)
    session.require_open()
    clock.seconds += 120
    with pytest.raises(Fenced) as raised:
        session.require_open()
    assert raised.value.code == "lease_unknown"


def test_a_refused_renewal_ends_the_work_and_nothing_more_is_reported() -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", a_problem(410, "claim_interrupted"))
    session = hub.session(clock)
    clock.seconds += 40
    with session:
        wait_for(hub.renewed)
        session._renewing.join(20)
        with pytest.raises(Fenced) as raised:
            session.require_open()
    assert raised.value.code == "claim_interrupted"
    assert [verb for verb, _ in hub.asked] == ["claim", "progress"]


@pytest.mark.proves("C-67", "C-94", "C-39")
def test_both_legs_go_out_in_one_result_with_the_digest_of_the_claim() -> None:
    hub = ScriptedHub()
    hub.will("result", told(comparison("completed")))
    with hub.session() as session:
        assert publish(session).state == "completed"
    (body,) = hub.bodies("result")
    assert body["pins_digest"] == PINS_DIGEST
    assert body["consumer_revision_sha256"] == REVISION
    assert len(body["current"]["results"]) == len(body["candidate"]["results"]) == 2
    assert body["current_gateway_requests"] == {"case-0": "req_1"}
    assert [verb for verb, _ in hub.asked] == ["claim", "result"]


@pytest.mark.proves("C-86")
def test_a_result_without_an_answer_is_sent_again_unchanged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claim, "_AGAIN_SECONDS", 0)
    hub = ScriptedHub()
    hub.will("result", None, a_problem(503, "database_unavailable"), told(comparison("completed")))
    with hub.session() as session:
        assert publish(session).state == "completed"
    first, second, third = hub.bodies("result")
    assert first == second == third


def test_a_result_that_nobody_takes_is_given_up_with_the_lease() -> None:
    hub, clock = ScriptedHub(), Clock()
    hub.will("result", None)
    session = hub.session(clock)
    clock.seconds += 120
    with pytest.raises(HubUnavailable):
        publish(session)


def test_a_refused_result_can_be_mended_within_the_claim() -> None:
    hub = ScriptedHub()
    hub.will("result", a_problem(422, "query_digest_mismatch"), told(comparison("completed")))
    with hub.session() as session:
        with pytest.raises(Invalid):
            publish(session)
        assert publish(session).state == "completed"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("what the engine said"), "CONSUMER_FAILED"),
        (KeyboardInterrupt(), "CONSUMER_STOPPED"),
    ],
)
@pytest.mark.proves("C-101", "C-40")
def test_an_error_ends_the_claim_as_failed(error: BaseException, code: str) -> None:
    hub = ScriptedHub()
    hub.will("finish", told(comparison("failed")))
    with pytest.raises(type(error)), hub.session():
        raise error
    assert hub.bodies("finish") == [
        {"claim_token": CLAIM_TOKEN, "outcome": "failed", "error_code": code}
    ]


def test_a_block_that_ends_without_a_report_says_so() -> None:
    hub = ScriptedHub()
    hub.will("finish", told(comparison("failed")))
    with hub.session():
        pass
    assert hub.bodies("finish")[0]["error_code"] == "CONSUMER_ENDED_WITHOUT_RESULT"


def test_the_error_of_the_work_is_heard_though_the_hub_is_gone() -> None:
    hub, clock = ScriptedHub(), Clock()
    hub.will("finish", None)
    hub.will("progress", None)
    session = hub.session(clock)
    clock.seconds += 120
    with pytest.raises(ValueError, match="engine") as raised, session:
        raise ValueError("engine")
    assert "did not take" in raised.value.__notes__[0]


@pytest.mark.proves("C-48", "C-49")
def test_the_token_is_in_no_text_of_a_claim() -> None:
    hub = ScriptedHub()
    session = hub.session()
    hub.will("finish", a_problem(403, "wrong_claim_token"))
    with pytest.raises(Fenced) as raised:
        session.fail("X")
    shown = f"{session!r} {session} {raised.value!r} {raised.value} {session.comparison!r}"
    assert CLAIM_TOKEN not in shown


def test_an_answer_that_is_no_claim_shows_nothing_of_itself() -> None:
    hub = ScriptedHub()
    hub.will("claim", told({"claim_token": CLAIM_TOKEN}))
    with pytest.raises(HubUnavailable) as raised:
        hub.client().claim("c-1")
    assert CLAIM_TOKEN not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.proves("C-53")
def test_a_claim_is_asked_for_once() -> None:
    hub = ScriptedHub()
    hub.will("claim", None, a_problem(409, "already_claimed"))
    with pytest.raises(HubUnavailable):
        hub.client().claim("c-1")
    assert len(hub.asked) == 1
    with pytest.raises(AlreadyClaimed):
        hub.client().claim("c-1")


@pytest.mark.proves("C-63", "C-64")
def test_no_case_is_counted_that_is_not_there() -> None:
    session = ScriptedHub().session(cases=2)
    session.complete("current")
    session.complete("current")
    with pytest.raises(ValueError, match="counted"):
        session.complete("current")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_that_is_busy_does_not_end_a_claim(status: int) -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", a_problem(status, "of_the_hub"))
    hub.will("finish", told(comparison("failed")))
    session = hub.session(clock)
    clock.seconds += 40
    with session:
        wait_for(hub.renewed)
        session.require_open()
    assert hub.bodies("finish")[0]["error_code"] == "CONSUMER_ENDED_WITHOUT_RESULT"


def test_a_client_that_may_no_longer_call_still_says_that_it_ended() -> None:
    hub, clock = Renewals(), Clock()
    hub.will("progress", a_problem(403, "capability_missing"))
    hub.will("finish", told(comparison("failed")))
    session = hub.session(clock)
    clock.seconds += 40
    with session:
        wait_for(hub.renewed)
        session._renewing.join(20)
    assert len(hub.bodies("finish")) == 1
