"""Publishing both sides on the wire: all or nothing, once, scored by the hub, proved by the gateway."""

import copy
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from evenhand.core.comparison.pins import LegName
from evenhand.core.gateway.inputs import read_inputs
from evenhand.core.gateway.request import Caller, asked_of
from tests.builders import a_credential
from tests.comparison_builders import REVISION, case_results
from tests.gateway_builders import REFUSED
from tests.hub.comparing import Comparing, comparing, refused, refused_fields
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]

TABLES = ("evaluation", "comparison_leg", "comparison_request", "comparison_summary")


def nothing_stored(comparing: Comparing) -> bool:
    return [comparing.count(table) for table in TABLES] == [0] * len(TABLES)


# All of it -----------------------------------------------------------------------------------


@pytest.mark.proves("C-39", "C-82", "C-84", "C-88")
def test_both_sides_are_scored_stored_and_summed_up(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    comparing.at(5)
    body = comparing.result(claimed)
    body["candidate"]["results"] = case_results(comparing.world, {"q1": ["x", "d1"]})

    answer = comparing.publish(claimed, body)

    told = answer.json()
    assert (answer.status_code, told["state"], told["version"]) == (200, "completed", 3)
    summary = told["evaluation_summary"]
    assert (summary["comparable"], summary["complete"], summary["eligible"]) == (True, True, False)
    assert summary["eligibility_reasons"] == [
        "success_at_1_dropped",
        "reciprocal_rank_at_3_dropped",
    ]
    metrics = summary["metrics"]
    assert (metrics["current"]["success_at_1"], metrics["candidate"]["success_at_1"]) == (1, 0.5)
    assert metrics["delta"]["success_at_1"] == -0.5
    assert metrics["delta"]["reciprocal_rank_at_3"] == -0.25
    assert metrics["lower_bound"]["success_at_1"] < -0.5
    assert summary["basis"] == {"current": "witnessed", "candidate": "witnessed"}
    assert summary["no_answer"] == {
        "cases": 1,
        "current": {"abstained": 1, "false_abstained": 0},
        "candidate": {"abstained": 1, "false_abstained": 0},
    }
    assert summary["production_promotion_performed"] is False
    assert comparing.get(f"/{told['id']}").json() == told
    assert [comparing.count(table) for table in TABLES] == [2, 2, 6, 1]
    evidence = comparing.hub.parts.database.read(lambda uow: uow.intents.find_evidence(told["id"]))
    assert evidence.consumer_revision_sha256 == body["consumer_revision_sha256"]
    proved = {(one.leg, one.position): one.public_id for one in evidence.requests}
    assert proved == {
        (leg, case.position): body[f"{leg.value}_gateway_requests"][case.case_id]
        for leg in LegName
        for case in comparing.world.cases
    }


@pytest.mark.proves("C-82", "C-97", "G-72")
def test_a_side_is_a_stored_evaluation_of_the_benchmark_that_both_share(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    told = comparing.publish(claimed, comparing.result(claimed)).json()

    ids = told["evaluation_summary"]["evaluations"]
    sides = {
        leg: comparing.hub.call("GET", f"/api/v1/evaluations/{one}", "viewer").json()
        for leg, one in ids.items()
    }

    pins, current, candidate = told["pins"], sides["current"], sides["candidate"]
    assert current["identity"]["benchmark"] == candidate["identity"]["benchmark"]
    assert current["identity"]["variant"] != candidate["identity"]["variant"]
    for leg, one in sides.items():
        provenance = one["identity"]["provenance"]
        assert provenance["corpusRevision"] == told["corpus_sha256"]
        assert provenance["modelRevision"] == pins[leg]["artifact_digest"]
        assert provenance["executionRevision"] == REVISION
        assert (one["basis"], one["privacy"]) == ("witnessed", "metadata")
        assert one["created_at"] == told["finished_at"]
    assert (current["retriever"], candidate["retriever"]) == ("shop/small", "shop/small-2")


@only_sqlite
@pytest.mark.proves("C-81", "G-55", "G-56")
def test_a_failed_case_is_a_miss_and_makes_the_comparison_incomplete(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    failed = body["candidate"]["results"][0]
    failed |= {"ranked_results": [], "error_code": "TIMEOUT"}
    del body["candidate_gateway_requests"][failed["case_id"]]

    summary = comparing.publish(claimed, body).json()["evaluation_summary"]

    assert summary["comparable"]
    assert (summary["complete"], summary["eligible"]) == (False, False)
    assert summary["failed_cases"] == {"current": 0, "candidate": 1}
    assert "failed_cases" in summary["eligibility_reasons"]
    assert summary["metrics"]["candidate"]["success_at_1"] == 0.5
    assert summary["critical_regression_count"] == 1


@only_sqlite
@pytest.mark.proves("C-80", "G-53")
def test_a_side_on_which_all_failed_is_reported_and_not_witnessed(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed, candidate_gateway_requests={})
    for one in body["candidate"]["results"]:
        one |= {"ranked_results": [], "error_code": "NO_INDEX"}

    told = comparing.publish(claimed, body).json()

    assert told["state"] == "completed"
    assert told["evaluation_summary"]["basis"] == {
        "current": "witnessed",
        "candidate": "reported",
    }
    assert told["evaluation_summary"]["failed_cases"]["candidate"] == 3


@only_sqlite
@pytest.mark.proves("C-83", "C-89", "C-90")
def test_a_critical_case_that_is_lost_is_counted_and_no_route_changes(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    before = comparing.hub.call("GET", "/api/v1/routes", "viewer").json()
    body = comparing.result(claimed)
    body["candidate"]["results"] = case_results(comparing.world, {"q1": ["x", "y", "z", "d1"]})

    summary = comparing.publish(claimed, body).json()["evaluation_summary"]

    assert summary["critical_regression_count"] == 1
    assert "critical_regression" in summary["eligibility_reasons"]
    assert comparing.hub.call("GET", "/api/v1/routes", "viewer").json() == before


@only_sqlite
@pytest.mark.proves("C-89", "C-90")
def test_an_eligible_candidate_is_still_not_in_production(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    before = comparing.hub.call("GET", "/api/v1/routes", "viewer").json()

    summary = comparing.publish(claimed, comparing.result(claimed)).json()["evaluation_summary"]

    assert (summary["eligible"], summary["eligibility_reasons"]) == (True, [])
    assert summary["production_promotion_performed"] is False
    assert comparing.hub.call("GET", "/api/v1/routes", "viewer").json() == before


@only_sqlite
def test_what_scores_below_the_cutoff_of_its_deployment_counts_for_nothing(
    comparing: Comparing,
) -> None:
    change = {"expected_version": 1, "score_cutoff": 0.3}
    path = f"/api/v1/deployments/{comparing.world.candidate.id}"
    comparing.hub.call("PATCH", path, "operator", json=change)
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    for leg in ("current", "candidate"):
        for one in body[leg]["results"]:
            one["ranked_results"].append({"chunk_id": "noise", "score": 0.2})
    [_, _, unanswered] = body["current"]["results"]
    assert unanswered["ranked_results"] == [{"chunk_id": "noise", "score": 0.2}]

    summary = comparing.publish(claimed, body).json()["evaluation_summary"]

    assert claimed["comparison"]["pins"]["candidate"]["score_cutoff"] == 0.3
    assert summary["no_answer"]["current"]["abstained"] == 0
    assert summary["no_answer"]["candidate"]["abstained"] == 1


# Again ---------------------------------------------------------------------------------------


@pytest.mark.proves("C-86", "C-87", "G-54")
def test_the_same_result_again_gives_the_same_record_and_another_is_a_conflict(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    first = comparing.publish(claimed, body).json()
    reordered = dict(reversed(body.items()))
    reordered["current"] = {"results": body["current"]["results"][::-1]}
    changed = copy.deepcopy(body)
    changed["current"]["results"][0]["ranked_results"][0]["score"] = 0.75
    whole = copy.deepcopy(body)
    whole["current"]["results"][0]["latency_ms"] = 12

    again = comparing.publish(claimed, body)
    comparing.at(5000)
    late = [comparing.publish(claimed, one) for one in (body, reordered)]

    assert [one.status_code for one in (again, *late)] == [200] * 3
    assert again.json() == late[0].json() == late[1].json() == first
    for other in (changed, whole):
        assert refused(comparing.publish(claimed, other)) == (409, "result_conflict")
    assert refused(comparing.publish(claimed, body | {"claim_token": "x"})) == (
        403,
        "wrong_claim_token",
    )
    assert comparing.count("evaluation") == 2
    assert refused(comparing.finish(claimed)) == (409, "result_conflict")


@pytest.mark.proves("C-85", "C-86")
def test_a_result_sent_many_times_at_once_is_stored_once(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: comparing.publish(claimed, body), range(8)))

    assert {one.status_code for one in answers} == {200}
    assert len({one.text for one in answers}) == 1
    assert [comparing.count(table) for table in TABLES] == [2, 2, 6, 1]


@pytest.mark.proves("C-100", "G-36")
def test_a_result_and_a_cancellation_at_once_leave_one_end(comparing: Comparing) -> None:
    for number in range(5):
        claimed = comparing.claimed(f"K{number}")
        body = comparing.result(claimed)
        told = claimed["comparison"]

        with ThreadPoolExecutor(2) as threads:
            published = threads.submit(comparing.publish, claimed, body)
            cancelled = threads.submit(comparing.cancel, told)
        codes = (published.result().status_code, cancelled.result().status_code)

        if codes == (200, 409):
            assert comparing.state(told) == "completed"
        else:
            assert codes == (409, 200)
            assert refused(published.result()) == (409, "cancellation_requested")
            assert comparing.finish(claimed, "cancelled").json()["state"] == "cancelled"


@only_sqlite
@pytest.mark.proves("G-36")
def test_a_result_after_a_requested_cancellation_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    asked = comparing.cancel(claimed["comparison"]).json()

    answer = comparing.publish(claimed, comparing.result(claimed))

    assert refused(answer) == (409, "cancellation_requested")
    assert comparing.get(f"/{asked['id']}").json() == asked
    assert nothing_stored(comparing)


# Pins ----------------------------------------------------------------------------------------


@only_sqlite
@pytest.mark.proves("C-94", "G-42")
def test_another_digest_of_the_pins_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()

    answer = comparing.publish(claimed, comparing.result(claimed) | {"pins_digest": "0" * 64})

    assert refused(answer) == (409, "pins_digest_mismatch")
    assert nothing_stored(comparing)
    assert comparing.state(claimed["comparison"]) == "running"


@only_sqlite
@pytest.mark.proves("C-27", "C-28", "G-43")
@pytest.mark.parametrize("part", ["route", "trial", "candidate", "client", "runtime", "suite"])
def test_a_target_that_changed_since_the_claim_is_refused(comparing: Comparing, part: str) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    comparing.end_use(part)

    answer = comparing.publish(claimed, body)

    expected = (401, "bad_credential") if part == "client" else (409, "target_changed")
    assert refused(answer) == expected
    assert nothing_stored(comparing)
    assert comparing.state(claimed["comparison"]) == "running"


# Which cases ---------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], None]


def drop_one(body: dict[str, Any]) -> None:
    body["candidate"]["results"].pop()


def say_twice(body: dict[str, Any]) -> None:
    body["current"]["results"][1] = copy.deepcopy(body["current"]["results"][0])


def say_unknown(body: dict[str, Any]) -> None:
    body["current"]["results"][0]["case_id"] = "01990000-0000-7000-8000-00000000ffff"


def prove_unknown(body: dict[str, Any]) -> None:
    body["current_gateway_requests"]["01990000-0000-7000-8000-00000000ffff"] = "req_x"


def prove_less(body: dict[str, Any]) -> None:
    body["current_gateway_requests"].popitem()


@only_sqlite
@pytest.mark.parametrize("side", ["current", "candidate"])
def test_a_place_holds_no_key_that_was_submitted(comparing: Comparing, side: str) -> None:
    claimed = comparing.claimed()
    member = f"{side}_gateway_requests"
    bodies = [
        ({"SECRET": 5}, [(f"body.{member}.*", "string_type")]),
        ({"state": ""}, [(f"body.{member}.*", "string_too_short")]),
        ({"SECRET" * 20: "req_x"}, [(f"body.{member}.*.[key]", "string_too_long")]),
    ]
    for requests, faults in bodies:
        answer = comparing.publish(claimed, comparing.result(claimed, **{member: requests}))

        assert refused_fields(answer) == faults
        assert "SECRET" not in answer.text


@only_sqlite
@pytest.mark.proves("C-70", "C-71", "G-52", "G-53")
@pytest.mark.parametrize(
    ("change", "faults"),
    [
        (drop_one, [("body.candidate.results.2", "case_missing")]),
        (
            say_twice,
            [
                ("body.current.results.0", "case_repeated"),
                ("body.current.results.1", "case_missing"),
            ],
        ),
        (
            say_unknown,
            [
                ("body.current.results.0.case_id", "case_unknown"),
                ("body.current.results.0", "case_missing"),
            ],
        ),
        (prove_unknown, [("body.current_gateway_requests", "case_unknown")]),
        (prove_less, [("body.current_gateway_requests.2", "request_missing")]),
    ],
)
def test_a_result_holds_every_case_once(
    comparing: Comparing, change: Change, faults: list[tuple[str, str]]
) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    change(body)

    answer = comparing.publish(claimed, body)

    assert refused(answer) == (422, faults[0][1])
    assert refused_fields(answer) == faults
    assert nothing_stored(comparing)
    assert comparing.state(claimed["comparison"]) == "running"


# Evidence (B-104) ----------------------------------------------------------------------------


def replaced(comparing: Comparing, leg: LegName, **stated: Any) -> Change:
    """Puts other requests in the place of a side's."""

    def change(body: dict[str, Any]) -> None:
        body[f"{leg.value}_gateway_requests"] = comparing.requests(leg, **stated)

    return change


def by_row(comparing: Comparing) -> Change:
    def change(body: dict[str, Any]) -> None:
        named = body["current_gateway_requests"]
        found = comparing.hub.parts.database.read(
            lambda uow: uow.gateway_requests.find_all(named.values())
        )
        body["current_gateway_requests"] = {
            case: found[public_id].id for case, public_id in named.items()
        }

    return change


def other_client(comparing: Comparing) -> Change:
    caller = Caller(
        credential_id=a_credential().id,
        client_id="01990000-0000-7000-e003-000000000002",
        project_id=comparing.world.shop.project.id,
    )
    return replaced(comparing, LegName.CURRENT, caller=caller)


def two_inputs(comparing: Comparing) -> Change:
    return replaced(comparing, LegName.CURRENT, asked=asked_of(read_inputs(["q1", "q2"])))


MAPPINGS: dict[str, tuple[Callable[[Comparing], Change], str]] = {
    "row_id": (by_row, "request_unknown"),
    "unknown": (
        lambda _: (
            lambda body: body["current_gateway_requests"].update(
                dict.fromkeys(body["current_gateway_requests"], f"req_{'f' * 32}")
            )
        ),
        "request_unknown",
    ),
    "other_client": (other_client, "request_unknown"),
    "failed_request": (
        lambda one: replaced(one, LegName.CURRENT, outcome=REFUSED),
        "request_not_completed",
    ),
    "two_inputs": (two_inputs, "query_digest_mismatch"),
    "prefix": (
        lambda one: replaced(one, LegName.CURRENT, asked=asked_of(read_inputs("query: q1"))),
        "query_digest_mismatch",
    ),
    "other_deployment": (
        lambda one: replaced(one, LegName.CURRENT, served=one.world.served(LegName.CANDIDATE)),
        "request_of_other_deployment",
    ),
    "before_claim": (
        lambda one: replaced(one, LegName.CURRENT, at=one.clock.now() - timedelta(seconds=11)),
        "request_outside_claim",
    ),
    "began_before_claim": (
        lambda one: replaced(one, LegName.CURRENT, elapsed=10.5),
        "request_outside_claim",
    ),
    "after_now": (
        lambda one: replaced(one, LegName.CURRENT, at=one.clock.now() + timedelta(seconds=1)),
        "request_outside_claim",
    ),
}


@only_sqlite
@pytest.mark.proves("C-72", "C-76", "C-77", "C-78")
@pytest.mark.parametrize("mapping", MAPPINGS)
def test_which_request_proves_a_case(comparing: Comparing, mapping: str) -> None:
    made, code = MAPPINGS[mapping]
    claimed = comparing.claimed()
    comparing.at(10)
    body = comparing.result(claimed)
    made(comparing)(body)

    answer = comparing.publish(claimed, body)

    assert refused(answer) == (422, code)
    assert ("body.current_gateway_requests.0", code) in refused_fields(answer)
    assert not any(one in answer.text for one in body["current_gateway_requests"].values())
    assert nothing_stored(comparing)
    assert comparing.state(claimed["comparison"]) == "running"


@only_sqlite
@pytest.mark.proves("C-73", "C-74", "C-75", "C-79")
def test_a_request_proves_one_case_of_one_side(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    body["candidate_gateway_requests"] = body["current_gateway_requests"]

    answer = comparing.publish(claimed, body)

    assert answer.status_code == 422
    # Of the candidate's it was not; of the current side it is named twice.
    assert refused_fields(answer) == [
        *((f"body.current_gateway_requests.{n}", "request_reused") for n in range(3)),
        *(
            (f"body.candidate_gateway_requests.{n}", "request_of_other_deployment")
            for n in range(3)
        ),
    ]
    assert nothing_stored(comparing)


@pytest.mark.proves("C-79", "G-53")
def test_a_request_of_an_earlier_comparison_proves_nothing_again(comparing: Comparing) -> None:
    first = comparing.claimed("K1")
    used = comparing.result(first)
    assert comparing.publish(first, used).status_code == 200
    # Of the same instant, so that only the use of before speaks against it.
    second = comparing.claimed("K2")
    body = used | {"claim_token": second["claim_token"]}

    answer = comparing.publish(second, body)

    assert refused(answer) == (422, "request_reused")
    assert len(refused_fields(answer)) == 6
    assert [comparing.count(table) for table in TABLES] == [2, 2, 6, 1]


@only_sqlite
@pytest.mark.proves("C-80")
def test_a_request_that_a_failed_case_names_is_asked_all_the_same(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    failed = body["current"]["results"][0]
    failed |= {"ranked_results": [], "error_code": "TIMEOUT"}
    body["current_gateway_requests"][failed["case_id"]] = f"req_{'f' * 32}"

    assert refused(comparing.publish(claimed, body)) == (422, "request_unknown")


@only_sqlite
@pytest.mark.proves("C-78")
def test_a_request_at_the_instants_of_the_claim_and_of_now_lies_within_it(
    comparing: Comparing,
) -> None:
    comparing.at(3)
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    comparing.at(60)
    body["candidate_gateway_requests"] = comparing.requests(LegName.CANDIDATE, elapsed=57.0)

    assert comparing.publish(claimed, body).status_code == 200


# Shapes (B-028, B-037) -----------------------------------------------------------------------


@only_sqlite
@pytest.mark.proves("C-68", "C-69", "G-51")
def test_a_ranked_entry_of_another_shape_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for entry in [
        {"chunk_id": 7},
        {"chunk_id": 7.0},
        {"chunk_id": True},
        {"chunk_id": ""},
        {"chunk_id": "a\u0000"},
        {"chunk_id": "a" * 257},
        {"document_id": 7},
        {"score": None},
        {"score": "0.5"},
        {"score": True},
        {"rank": 1},
    ]:
        body = comparing.result(claimed)
        body["current"]["results"][0]["ranked_results"][0] |= entry

        answer = comparing.publish(claimed, body)

        assert refused(answer) == (422, "invalid_request")
        assert refused_fields(answer)[0][0].startswith("body.current.results.0.ranked_results.0")
        assert nothing_stored(comparing)


@only_sqlite
@pytest.mark.proves("C-68", "G-51")
def test_a_case_of_another_shape_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for changed in [
        {"case_id": 1},
        {"latency_ms": -1},
        {"latency_ms": 3_600_001},
        {"latency_ms": True},
        {"latency_ms": None},
        {"error_code": "lower"},
        {"error_code": "X"},
        {"ranked_results": [{"chunk_id": "a", "score": 1}] * 2},
        {"ranked_results": [{"chunk_id": str(n), "score": 1} for n in range(51)]},
        {"note": "x"},
    ]:
        body = comparing.result(claimed)
        body["current"]["results"][0] |= changed

        assert refused(comparing.publish(claimed, body)) == (422, "invalid_request")
        assert nothing_stored(comparing)


@only_sqlite
@pytest.mark.proves("C-69")
def test_a_score_that_is_no_finite_number_is_refused(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for number in ["NaN", "Infinity", "-Infinity", "1e999"]:
        body = json.dumps(comparing.result(claimed)).replace(
            '"score": 0.5', f'"score": {number}', 1
        )
        headers = {"Content-Type": "application/json"}
        path = f"/api/v1/selected-model-comparisons/{claimed['comparison']['id']}/result"

        answer = comparing.hub.call("POST", path, "consumer", content=body, headers=headers)

        assert answer.status_code in (400, 422)
        assert nothing_stored(comparing)


@only_sqlite
@pytest.mark.proves("C-67")
def test_every_member_of_a_result_is_needed(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for missing in [
        "claim_token",
        "pins_digest",
        "consumer_revision_sha256",
        "current",
        "candidate",
        "current_gateway_requests",
        "candidate_gateway_requests",
    ]:
        body = comparing.result(claimed)
        del body[missing]

        answer = comparing.publish(claimed, body)

        assert refused_fields(answer) == [(f"body.{missing}", "missing")]
        assert nothing_stored(comparing)
