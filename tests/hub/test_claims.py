"""The consumer's side on the wire: one claim, one token, time, counts, and how a claim ends."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evenhand.bootstrap import App
from evenhand.core.access.roles import Capability
from evenhand.core.identity.canonical import query_digest
from tests.builders import START
from tests.comparison_builders import REVISION
from tests.hub.comparing import (
    CONSUMER,
    OTHER,
    PATH,
    Comparing,
    comparing,
    refused,
    refused_fields,
)
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]

VECTORS = Path(__file__).parents[1] / "vectors"
LEASES = json.loads((VECTORS / "lease.json").read_text(encoding="ascii"))["cases"]

#: Every verb of a claim's holder, with what it needs beside the token.
VERBS: dict[str, dict[str, Any]] = {
    "progress": {"current_completed_cases": 0, "candidate_completed_cases": 0},
    "result": {
        "pins_digest": "0" * 64,
        "consumer_revision_sha256": REVISION,
        "current": {"results": []},
        "candidate": {"results": []},
        "current_gateway_requests": {},
        "candidate_gateway_requests": {},
    },
    "finish": {"outcome": "failed"},
}


# Claiming ------------------------------------------------------------------------------------


@pytest.mark.proves("C-37", "C-47", "G-40", "G-49")
def test_a_claim_gives_token_lease_and_cases_without_labels(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    comparing.at(10)

    answer = comparing.claim(told)

    claimed = answer.json()
    assert claimed.keys() == {"comparison", "claim_token", "claim_expires_at", "cases"}
    assert answer.headers["cache-control"] == "no-store"
    assert len(claimed["claim_token"]) == 43
    assert claimed["claim_expires_at"] == claimed["comparison"]["claim_expires_at"]
    assert (claimed["comparison"]["state"], claimed["comparison"]["version"]) == ("running", 2)
    assert claimed["comparison"]["pins_digest"] == told["pins_digest"]
    assert claimed["cases"] == [
        {
            "case_id": case.case_id,
            "position": case.position,
            "query": case.question.question.decode(),
            "query_digest": query_digest(case.question.question),
        }
        for case in comparing.world.cases
    ]


@pytest.mark.proves("C-51", "C-52", "G-60")
def test_the_token_is_told_once_and_is_in_no_history_audit_or_log(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    token = claimed["claim_token"]
    comparing.progress(claimed, 1, 0)
    comparing.progress(claimed, claim_token="x" * 43)

    told = [
        comparing.get().text,
        comparing.get(f"/{claimed['comparison']['id']}").text,
        comparing.get("/assigned", CONSUMER).text,
        comparing.hub.call("GET", "/api/v1/audit", "operator").text,
        comparing.hub.call("GET", "/metrics").text,
        comparing.hub.log.getvalue(),
    ]

    assert not any(token in text for text in told)
    assert not any("token_digest" in text for text in told[:5])


@pytest.mark.proves("C-53", "C-109", "G-41")
def test_a_second_claim_is_refused_and_gets_no_token(comparing: Comparing) -> None:
    claimed = comparing.claimed()

    again = comparing.claim(claimed["comparison"])

    assert refused(again) == (409, "already_claimed")
    assert "claim_token" not in again.text
    assert comparing.progress(claimed).status_code == 200


@pytest.mark.proves("C-53", "G-41")
def test_of_twenty_claims_at_once_one_succeeds(comparing: Comparing) -> None:
    told = comparing.prepare().json()

    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda _: comparing.claim(told), range(20)))
    stranger = comparing.claim(told, OTHER)

    assert sorted(one.status_code for one in answers) == [200, *[409] * 19]
    assert sum("claim_token" in one.text for one in answers) == 1
    assert refused(stranger) == (403, "not_designated_client")


@only_sqlite
@pytest.mark.proves("C-53", "C-54", "C-55", "C-108")
def test_a_claim_whose_answer_was_lost_runs_out_and_is_taken_by_nobody(
    comparing: Comparing,
) -> None:
    told = comparing.prepare().json()
    comparing.claim(told)

    for second in (5, 119):
        comparing.at(second)
        assert refused(comparing.claim(told)) == (409, "already_claimed")
    comparing.at(121)
    late = comparing.claim(told)
    comparing.at(122)

    assert refused(late) == (409, "already_terminal")
    assert comparing.get(f"/{told['id']}").json()["state"] == "interrupted"
    assert comparing.prepare("K2").status_code == 201


@only_sqlite
@pytest.mark.proves("C-26", "C-28", "G-43")
def test_a_claim_of_a_changed_target_is_refused_and_changes_nothing(
    comparing: Comparing,
) -> None:
    told = comparing.prepare().json()
    change = {"expected_version": 1, "score_cutoff": 0.5}
    path = f"/api/v1/deployments/{told['candidate_deployment_id']}"
    assert comparing.hub.call("PATCH", path, "operator", json=change).status_code == 200

    assert refused(comparing.claim(told)) == (409, "target_changed")
    assert comparing.get(f"/{told['id']}").json() == told
    assert comparing.cancel(told).json()["state"] == "cancelled"


@only_sqlite
@pytest.mark.proves("C-26", "G-43")
@pytest.mark.parametrize("part", ["runtime", "suite"])
def test_a_claim_over_what_is_out_of_use_is_refused(comparing: Comparing, part: str) -> None:
    told = comparing.prepare().json()
    comparing.end_use(part)

    assert refused(comparing.claim(told)) == (409, "target_changed")
    assert comparing.get(f"/{told['id']}").json() == told


# Who -----------------------------------------------------------------------------------------


@pytest.mark.proves("C-36", "G-48")
def test_a_client_is_told_its_own_open_work_oldest_first(comparing: Comparing) -> None:
    first = comparing.prepare("K1").json()

    mine = comparing.get("/assigned", CONSUMER).json()

    assert mine == {"items": [first]}
    assert comparing.get("/assigned", OTHER).json() == {"items": []}
    comparing.cancel(first)
    assert comparing.get("/assigned", CONSUMER).json() == {"items": []}


@only_sqlite
@pytest.mark.proves("C-44", "C-45", "C-46")
def test_nobody_but_the_client_that_it_is_for_carries_it_out(comparing: Comparing) -> None:
    told = comparing.prepare().json()
    comparing.hub.add_client("stranger", Capability.EMBEDDING)
    comparing.hub.add_client("reviewer", Capability.REVIEW)
    claimed = comparing.claim(told).json()
    codes = {
        OTHER: (403, "not_designated_client"),
        "stranger": (404, "comparison_not_found"),
        "reviewer": (403, "capability_missing"),
        "operator": (403, "forbidden"),
        "viewer": (403, "forbidden"),
    }

    for role, expected in codes.items():
        assert refused(comparing.claim(told, role)) == expected
        for verb, body in VERBS.items():
            token = {"claim_token": claimed["claim_token"]}
            answer = comparing.post(f"/{told['id']}/{verb}", body | token, role)
            assert refused(answer) == expected
    assert comparing.get(f"/{told['id']}").json() == claimed["comparison"]


@only_sqlite
@pytest.mark.proves("G-40", "G-60")
@pytest.mark.parametrize("token", ["", "x" * 43, "upper", "ü", "long"])
@pytest.mark.parametrize("verb", VERBS)
def test_another_token_is_refused_told_of_in_the_audit_and_changes_nothing(
    comparing: Comparing, verb: str, token: str
) -> None:
    claimed = comparing.claimed()
    shown = {"upper": claimed["claim_token"].swapcase(), "long": claimed["claim_token"] + "A"}
    body = {"claim_token": shown.get(token, token)}

    answer = comparing.post(f"/{claimed['comparison']['id']}/{verb}", VERBS[verb] | body, CONSUMER)

    assert refused(answer) == (403, "wrong_claim_token")
    assert comparing.get(f"/{claimed['comparison']['id']}").json() == claimed["comparison"]
    entries = comparing.hub.call(
        "GET", "/api/v1/audit", "operator", params={"object_id": claimed["comparison"]["id"]}
    ).json()["items"]
    assert [one["action"] for one in entries] == ["refuse_token", "claim", "create"]


@only_sqlite
@pytest.mark.parametrize("verb", VERBS)
def test_before_a_claim_there_is_nothing_to_hold(comparing: Comparing, verb: str) -> None:
    told = comparing.prepare().json()
    body = VERBS[verb] | {"claim_token": ""}

    assert refused(comparing.post(f"/{told['id']}/{verb}", body, CONSUMER)) == (409, "not_claimed")
    comparing.cancel(told)
    assert refused(comparing.post(f"/{told['id']}/{verb}", body, CONSUMER)) == (
        409,
        "already_terminal",
    )


# Time ----------------------------------------------------------------------------------------


@pytest.mark.proves("C-62", "C-65", "C-104", "C-106")
@pytest.mark.parametrize("case", LEASES, ids=lambda case: case["name"])
def test_each_instant_of_the_lease_vectors_on_the_wire(
    comparing: Comparing, case: dict[str, Any]
) -> None:
    told = comparing.prepare().json()
    claimed: Any = None
    for step in case["steps"]:
        comparing.at(step["at"])
        if step["op"] == "claim":
            answer = comparing.claim(told)
            claimed = answer.json()
        else:
            answer = take(comparing, step, claimed)
        assert (answer.status_code == 200) is (step["result"] == "ok"), step
        if answer.status_code != 200:
            assert answer.status_code in (409, 410)
        found = answer.json().get("comparison", answer.json())
        for name, member in (("expires_at", "claim_expires_at"), ("deadline_at", "deadline_at")):
            if name in step:
                assert seconds_of(found[member]) == pytest.approx(step[name], abs=1e-6)
        if "state" in step:
            assert comparing.state(told) == step["state"]
    assert comparing.state(told) == case["final_state"]


def take(comparing: Comparing, step: dict[str, Any], claimed: Any) -> Any:
    if step["op"] == "progress":
        return comparing.progress(claimed)
    if step["op"] == "result":
        return comparing.publish(claimed, comparing.result(claimed))
    assert step["op"] == "read", step
    return comparing.get(f"/{claimed['comparison']['id']}")


def seconds_of(instant: str) -> float:
    return (datetime.fromisoformat(instant) - START).total_seconds()


@only_sqlite
@pytest.mark.proves("C-62", "C-65")
def test_renewal_is_told_as_it_is_and_never_passes_the_deadline(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    ends = {}
    for second in [*range(100, 3501, 100), 3599]:
        comparing.at(second)
        answer = comparing.progress(claimed).json()
        ends[second] = seconds_of(answer["claim_expires_at"])
    comparing.at(3601)
    late = comparing.finish(claimed)

    assert (ends[3400], ends[3500], ends[3599]) == (3520, 3600, 3600)
    assert refused(late) == (410, "deadline_passed")
    assert comparing.state(claimed["comparison"]) == "interrupted"


@pytest.mark.proves("C-104", "C-105", "C-106", "G-38")
@pytest.mark.parametrize("verb", VERBS)
def test_a_late_call_is_refused_ends_the_claim_and_leaves_no_digest(
    comparing: Comparing, verb: str
) -> None:
    claimed = comparing.claimed()
    body = VERBS[verb] | {"claim_token": claimed["claim_token"]}
    comparing.at(120)

    first = comparing.post(f"/{claimed['comparison']['id']}/{verb}", body, CONSUMER)
    again = comparing.post(f"/{claimed['comparison']['id']}/{verb}", body, CONSUMER)

    assert refused(first) == (410, "lease_expired")
    assert refused(again) == (410, "claim_interrupted")
    stored = comparing.hub.parts.database.read(
        lambda uow: uow.intents.find(claimed["comparison"]["id"])
    )
    assert stored is not None
    assert (stored.token_digest, stored.error_code) == (None, "COMPARISON_LEASE_EXPIRED")


@pytest.mark.proves("C-107", "G-46")
@pytest.mark.parametrize("look", ["history", "detail", "assigned", "create"])
def test_whoever_looks_or_prepares_ends_what_ran_out(comparing: Comparing, look: str) -> None:
    claimed = comparing.claimed()
    comparing.at(121)

    if look == "history":
        assert comparing.get().json()["items"][0]["state"] == "interrupted"
    elif look == "detail":
        told = comparing.get(f"/{claimed['comparison']['id']}").json()
        assert (told["state"], told["version"]) == ("interrupted", 3)
    elif look == "assigned":
        assert comparing.get("/assigned", CONSUMER).json()["items"] == []
    else:
        assert comparing.prepare("K2").status_code == 201
    assert comparing.state(claimed["comparison"]) == "interrupted"


@only_sqlite
@pytest.mark.proves("C-107", "G-45")
def test_a_refused_preparation_still_ends_what_ran_out(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    comparing.at(121)

    assert refused(comparing.prepare("K2", corpus_sha256="b" * 64)) == (422, "corpus_mismatch")
    assert comparing.state(claimed["comparison"]) == "interrupted"


@only_sqlite
@pytest.mark.proves("C-105", "C-106")
def test_an_old_token_does_nothing_to_a_new_attempt(comparing: Comparing) -> None:
    first = comparing.claimed("K1")
    comparing.at(200)
    second = comparing.claimed("K2")
    swapped = second | {"claim_token": first["claim_token"]}

    assert refused(comparing.progress(first)) == (410, "claim_interrupted")
    assert refused(comparing.publish(second, comparing.result(swapped))) == (
        403,
        "wrong_claim_token",
    )
    assert comparing.finish(first | {"claim_token": second["claim_token"]}).status_code == 410
    assert refused(comparing.progress(second, claim_token=""))[0] == 403
    moved = comparing.progress(second, 1, 0).json()["comparison"]
    assert (moved["state"], moved["current_completed_cases"]) == ("running", 1)
    assert moved["candidate_completed_cases"] == 0


# Progress ------------------------------------------------------------------------------------


@pytest.mark.proves("C-38", "C-61", "C-63", "C-64")
def test_counts_never_fall_and_never_exceed_the_cases(comparing: Comparing) -> None:
    claimed = comparing.claimed()

    good = [comparing.progress(claimed, *counts) for counts in ((0, 0), (2, 1), (2, 1), (3, 3))]
    fewer = comparing.progress(claimed, 2, 3)
    more = comparing.progress(claimed, 3, 4)

    assert [one.status_code for one in good] == [200] * 4
    assert good[0].json().keys() == {"comparison", "claim_expires_at", "cancel_requested"}
    assert refused(fewer) == (409, "counts_decreased")
    assert refused(more) == (422, "counts_too_large")
    assert refused_fields(more) == [("body.candidate_completed_cases", "counts_too_large")]
    versions = [one.json()["comparison"]["version"] for one in good]
    assert all(one == other for one, other in pairwise(versions))


@only_sqlite
@pytest.mark.proves("G-50")
def test_a_count_is_a_whole_number(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for count in [True, 1.0, "1", -1, None]:
        answer = comparing.progress(claimed, current_completed_cases=count)

        assert refused(answer) == (422, "invalid_request")


@only_sqlite
@pytest.mark.proves("C-66")
def test_progress_says_that_a_cancellation_was_requested(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    before = comparing.progress(claimed).json()["cancel_requested"]
    comparing.cancel(claimed["comparison"])

    after = comparing.progress(claimed, 1, 1).json()

    assert (before, after["cancel_requested"]) == (False, True)
    assert after["comparison"]["state"] == "cancel_requested"


# Ending --------------------------------------------------------------------------------------


@pytest.mark.proves("C-40", "C-101", "C-102")
def test_a_failure_ends_the_claim_and_the_same_report_again_changes_nothing(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()

    first = comparing.finish(claimed, "failed", error_code="INDEX_GONE")
    again = comparing.finish(claimed, "failed", error_code="INDEX_GONE")
    other = comparing.finish(claimed, "failed")

    made = first.json()
    assert (made["state"], made["version"]) == ("failed", 3)
    assert made["error_code"] == "INDEX_GONE"
    assert (again.status_code, again.json()) == (200, made)
    assert refused(other) == (409, "result_conflict")
    stranger = claimed | {"claim_token": "x"}
    assert refused(comparing.finish(stranger)) == (403, "wrong_claim_token")
    assert refused(comparing.progress(claimed)) == (409, "already_terminal")
    assert comparing.prepare("K2").status_code == 201


@only_sqlite
@pytest.mark.proves("C-100", "G-37")
def test_only_a_cancellation_that_was_requested_is_acknowledged(comparing: Comparing) -> None:
    claimed = comparing.claimed()

    unasked = comparing.finish(claimed, "cancelled")
    comparing.cancel(claimed["comparison"])
    first = comparing.finish(claimed, "cancelled")
    again = comparing.finish(claimed, "cancelled")

    assert refused(unasked) == (409, "cancellation_not_requested")
    assert first.json()["state"] == "cancelled"
    assert again.json() == first.json()


@only_sqlite
@pytest.mark.proves("C-102", "G-37")
def test_an_end_of_another_shape_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for body in [
        {"outcome": "cancelled", "error_code": "X"},
        {"outcome": "failed", "error_code": "lower"},
        {"outcome": "failed", "error_code": "A" * 65},
        {"outcome": "completed"},
        {"outcome": "failed", "reason": "x"},
    ]:
        answer = comparing.post(
            f"/{claimed['comparison']['id']}/finish",
            body | {"claim_token": claimed["claim_token"]},
            CONSUMER,
        )

        assert refused(answer) == (422, "invalid_request")
        assert comparing.state(claimed["comparison"]) == "running"


@only_sqlite
@pytest.mark.proves("G-60")
def test_every_step_has_one_entry_in_the_audit(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    comparing.cancel(claimed["comparison"])
    comparing.finish(claimed, "failed", error_code="NO_DISK")

    found = comparing.hub.call(
        "GET", "/api/v1/audit", "operator", params={"object_kind": "comparison"}
    ).json()["items"][::-1]

    steps = [
        (one["action"], one["from_state"], one["to_state"], one["version"], one["code"])
        for one in found
    ]
    assert steps == [
        ("create", None, "pending", 1, None),
        ("claim", "pending", "running", 2, None),
        ("request_cancellation", "running", "cancel_requested", 3, None),
        ("fail", "cancel_requested", "failed", 4, "no_disk"),
    ]
    actors = [one["actor"]["kind"] for one in found]
    assert actors == ["operator", "service_client", "operator", "service_client"]
    assert found[1]["actor"]["id"] == comparing.world.client.id


@only_sqlite
@pytest.mark.proves("C-110", "C-111")
def test_a_restart_keeps_a_living_claim_and_revives_no_other(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    comparing.hub.parts.close()
    again = App(comparing.hub.parts.settings, clock=comparing.clock)
    try:
        comparing.at(119)
        held = again.database.run(lambda uow: uow.intents.find_locked(claimed["comparison"]["id"]))
        assert held is not None
        assert held.state.value == "running"
        assert held.claim_expires_at is not None
        assert held.claim_expires_at > comparing.clock.now()
    finally:
        again.close()


def test_bodies_of_consumers_are_in_no_log(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    comparing.publish(claimed, comparing.result(claimed))

    lines = [json.loads(line) for line in comparing.hub.log.getvalue().splitlines()]

    assert lines
    assert not any(REVISION in str(line) or "chunk_id" in str(line) for line in lines)
    assert PATH in str(lines)
