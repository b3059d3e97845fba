"""Public cases of claims, leases, fencing, cancellation, keys and evidence, run on the wire."""

import base64
import copy
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from tests.cases_runner import load
from tests.comparison_builders import a_body
from tests.hub.comparing import CONSUMER, OTHER, PATH, Comparing, comparing, refused
from tests.hub.conftest import only_sqlite
from tests.hub.test_comparison_results import MAPPINGS, TABLES, nothing_stored

__all__ = ["comparing"]

CALLERS = {"client-1": CONSUMER, "client-2": OTHER}
JSON = {"Content-Type": "application/json"}


@only_sqlite
def test_two_workers_one_job_b_073(comparing: Comparing) -> None:
    case = load("B-073")
    _, crowd, stranger = case["given"]["steps"]
    for number in range(case["given"]["repeat"]):
        told = comparing.prepare(f"K{number}").json()
        with ThreadPoolExecutor(crowd["parallel"]) as threads:
            answers = list(
                threads.map(
                    lambda _, one=told: comparing.claim(one, CALLERS[crowd["as"]]),
                    range(crowd["parallel"]),
                )
            )
        statuses = [one.status_code for one in answers]
        assert statuses.count(200) == case["expected"]["claims_ok"]
        assert statuses.count(409) == case["expected"]["claims_conflict"]
        assert (
            sum("claim_token" in one.text for one in answers) == case["expected"]["tokens_issued"]
        )
        assert comparing.claim(told, CALLERS[stranger["as"]]).status_code in (403, 404)
        [won] = [one.json() for one in answers if one.status_code == 200]
        comparing.finish(won)


@only_sqlite
def test_the_reply_to_a_claim_is_lost_b_074(comparing: Comparing) -> None:
    case = load("B-074")
    told = comparing.prepare().json()
    found = []
    for step in case["given"]["steps"]:
        comparing.at(step["at"])
        if step["do"] == "show":
            seen = comparing.get(f"/{told['id']}").json()
            found.append(f"state {seen['state']}")
        else:
            status = comparing.claim(told).status_code
            found.append({200: "committed", 409: "conflict"}[status])

    assert found == case["expected"]["results"]
    assert comparing.count("comparison_intent") == case["expected"]["attempts"]


@only_sqlite
def test_renewal_never_passes_the_deadline_b_076(comparing: Comparing) -> None:
    case = load("B-076")
    _, often, late, last = case["given"]["steps"]
    claimed = comparing.claimed()
    began = comparing.clock.monotonic()
    ends = {}
    for second in [*range(often["every"], often["until"] + 1, often["every"]), late["at"]]:
        comparing.at(began + second)
        told = comparing.progress(claimed).json()["comparison"]
        ends[str(second)] = datetime.fromisoformat(told["claim_expires_at"])
    comparing.at(began + last["at"])
    answer = comparing.publish(claimed, comparing.result(claimed))

    start = comparing.clock.now().timestamp() - last["at"]
    for second, end in case["expected"]["expires_at_after"].items():
        assert ends[second].timestamp() - start == pytest.approx(end)
    assert answer.status_code == 410
    assert comparing.state(claimed["comparison"]) == case["expected"]["final_state"]


@only_sqlite
def test_an_old_token_after_a_new_attempt_b_077(comparing: Comparing) -> None:
    case = load("B-077")
    told: dict[str, Any] = {"I1": comparing.prepare("I1").json()}
    tokens = {"": ""}
    results = []
    for step in case["given"]["steps"]:
        comparing.at(step["at"])
        if step["do"] == "create_intent":
            answer = comparing.prepare(step["name"])
            told[step["name"]] = answer.json()
        elif step["do"] == "claim":
            answer = comparing.claim(told[step["intent"]])
            tokens[step["save"]] = answer.json()["claim_token"]
        else:
            claimed = {
                "comparison": told[step["intent"]],
                "claim_token": tokens[step["token"]],
            }
            answer = taken(comparing, step, claimed)
        results.append("ok" if answer.status_code < 300 else "refused")

    assert results == case["expected"]["results"]
    seen = comparing.get(f"/{told['I2']['id']}").json()
    assert seen["state"] == case["expected"]["I2_state"]
    counts = [seen["current_completed_cases"], seen["candidate_completed_cases"]]
    assert counts == case["expected"]["I2_counts"]


def taken(comparing: Comparing, step: dict[str, Any], claimed: Any) -> Any:
    if step["do"] == "progress":
        return comparing.progress(claimed, *step.get("counts", [0, 0]))
    if step["do"] == "finish":
        return comparing.finish(claimed)
    return comparing.publish(claimed, comparing.result(claimed))


@only_sqlite
def test_work_whose_worker_is_gone_b_080(comparing: Comparing) -> None:
    case = load("B-080")
    *_, history, create = case["given"]["steps"]
    claimed = comparing.claimed("I1")
    comparing.at(history["at"])
    [old] = comparing.get().json()["items"]
    comparing.at(create["at"])

    assert case["expected"]["121"] == f"old intent {old['state']}"
    assert old["id"] == claimed["comparison"]["id"]
    assert comparing.prepare(create["name"]).status_code == 201


@only_sqlite
def test_the_same_key_with_another_body_b_082(comparing: Comparing) -> None:
    case = load("B-082")
    other = "01990000-0000-7000-8000-00000000ffff"
    answers = [
        comparing.prepare("K"),
        comparing.prepare("K", candidate_deployment_id=other),
        comparing.prepare("K", corpus_sha256="b" * 64),
    ]

    for answer, allowed in zip(answers, case["expected"]["status"], strict=True):
        assert answer.status_code in allowed
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@only_sqlite
def test_the_same_meaning_in_other_bytes_b_083(comparing: Comparing) -> None:
    case = load("B-083")
    body = a_body(comparing.world, "K2", current_index_ref="käfer-1")
    spelt = [
        json.dumps(body, ensure_ascii=False),
        json.dumps(dict(reversed(body.items())), ensure_ascii=False),
        json.dumps(body, ensure_ascii=False, indent=4),
        json.dumps(body, ensure_ascii=True),
    ]
    assert len(spelt) == len(case["given"]["steps"])

    answers = [
        comparing.hub.call("POST", PATH, "operator", content=one.encode(), headers=JSON)
        for one in spelt
    ]

    assert [one.status_code for one in answers] == [201, 200, 200, 200]
    assert len({one.json()["id"] for one in answers}) == 1
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@pytest.mark.proves("C-30", "G-44")
def test_the_same_key_at_the_same_moment_b_085(comparing: Comparing) -> None:
    case = load("B-085")
    crowd, last = case["given"]["steps"]

    with ThreadPoolExecutor(crowd["parallel"]) as threads:
        answers = list(
            threads.map(lambda _: comparing.prepare(crowd["key"]), range(crowd["parallel"]))
        )

    assert {one.status_code for one in answers} <= set(case["expected"]["status_in"])
    assert sum(one.status_code == 201 for one in answers) == 1
    assert comparing.prepare(last["key"]).status_code in case["expected"]["last"]
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@only_sqlite
def test_publishing_the_result_again_b_088(comparing: Comparing) -> None:
    case = load("B-088")
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    changed = copy.deepcopy(body)
    changed["candidate"]["results"][0]["ranked_results"][0]["score"] = 0.25
    bodies = {
        "R": body,
        "R, one score changed": changed,
        "R, keys reordered": dict(reversed(body.items())),
    }
    found: list[str] = []
    records: list[str] = []
    for step in case["given"]["steps"]:
        comparing.at(step.get("at", 1))
        answer = comparing.publish(claimed, bodies[step["body"]])
        first = "replay" if records else "committed"
        found.append(first if answer.status_code == 200 else "conflict")
        if answer.status_code == 200:
            records.append(answer.text)

    assert found == case["expected"]["results"]
    assert len(set(records)) == 1
    assert comparing.count("evaluation") == case["expected"]["run_rows"]
    assert comparing.count("comparison_summary") == case["expected"]["comparison_rows"]


@only_sqlite
def test_cancel_meets_finish_b_079(comparing: Comparing) -> None:
    case = load("B-079")["expected"]
    told = comparing.prepare("a").json()
    assert comparing.cancel(told).json()["state"] == case["a"]

    claimed = comparing.claimed("b")
    comparing.cancel(claimed["comparison"])
    answer = comparing.publish(claimed, comparing.result(claimed))
    assert refused(answer) == (409, "cancellation_requested")
    assert comparing.state(claimed["comparison"]) == case["b"]["state"]
    again = comparing.get(f"/{claimed['comparison']['id']}").json()
    assert comparing.cancel(again).json() == again
    comparing.finish(claimed, "cancelled")

    claimed = comparing.claimed("c")
    comparing.publish(claimed, comparing.result(claimed))
    assert comparing.cancel(claimed["comparison"]).status_code == 409
    assert comparing.state(claimed["comparison"]) == case["c"]["state"]


@only_sqlite
def test_which_id_proves_a_request_b_104(comparing: Comparing) -> None:
    case = load("B-104")
    for mapping, expected in zip(
        case["given"]["mappings"], case["expected"]["results"], strict=True
    ):
        if mapping not in MAPPINGS:
            assert mapping in ("public", "same_for_both_legs")
            continue
        claimed = comparing.claimed(mapping)
        comparing.at(comparing.clock.monotonic() + 10)
        body = comparing.result(claimed)
        MAPPINGS[mapping][0](comparing)(body)
        answer = comparing.publish(claimed, body)

        assert (answer.status_code, expected) == (422, "refused")
        assert nothing_stored(comparing)
        comparing.finish(claimed)
    assert len(TABLES) == 4


@only_sqlite
def test_scores_that_are_no_numbers_b_028(comparing: Comparing) -> None:
    case = load("B-028")
    claimed = comparing.claimed()
    whole = json.dumps(comparing.result(claimed))
    for encoded in case["given"]["json_bodies_b64"]:
        given = base64.b64decode(encoded).decode()
        score = given.partition('"score":')[2].partition("}")[0]
        body = whole.replace('"score": 0.5', f'"score": {score}', 1)
        path = f"{PATH}/{claimed['comparison']['id']}/result"

        answer = comparing.hub.call("POST", path, CONSUMER, content=body, headers=JSON)

        assert answer.status_code in (400, 422), score
    assert nothing_stored(comparing)


@only_sqlite
def test_ids_sent_as_numbers_b_037(comparing: Comparing) -> None:
    case = load("B-037")
    claimed = comparing.claimed()
    for given in case["given"]["bodies"]:
        body = comparing.result(claimed)
        body["current"]["results"][0] |= given

        answer = comparing.publish(claimed, body)

        assert answer.status_code in case["expected"]["each"]["status_in"]
        assert answer.json()["fields"]
    assert nothing_stored(comparing)


@only_sqlite
def test_a_key_after_a_failure_b_086(comparing: Comparing) -> None:
    case = load("B-086")["expected"]
    assert comparing.prepare("K4", corpus_sha256="x").status_code in case["status"][0]
    first = comparing.prepare("K4")
    assert first.status_code in case["status"][1]
    comparing.cancel(first.json())
    # The answer to this one is lost behind its commit, and the call comes again.
    second = comparing.prepare("K6").json()
    again = comparing.prepare("K6")
    assert again.status_code in case["status"][5]
    assert again.json() == second
