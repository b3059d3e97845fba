"""Public cases of leases, fencing, evidence and bodies, run on the wire."""

import base64
import json
from datetime import datetime
from typing import Any

import pytest

from tests.cases_runner import load
from tests.hub.comparing import CONSUMER, PATH, Comparing, comparing
from tests.hub.conftest import only_sqlite
from tests.hub.test_comparison_results import MAPPINGS, TABLES, nothing_stored

__all__ = ["comparing"]

JSON = {"Content-Type": "application/json"}


@only_sqlite
def test_the_reply_to_a_claim_is_lost_b_074(comparing: Comparing) -> None:
    case = load("B-074")
    told = comparing.prepare().json()
    found, tokens = [], 0
    for step in case["given"]["steps"]:
        comparing.at(step["at"])
        if step["do"] == "show":
            seen = comparing.get(f"/{told['id']}").json()
            found.append(f"state {seen['state']}")
        else:
            answer = comparing.claim(told)
            tokens += "claim_token" in answer.text
            found.append({200: "committed", 409: "conflict"}[answer.status_code])

    assert found == case["expected"]["results"]
    assert tokens == case["expected"]["tokens_issued"]
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
    assert ("refused" if answer.status_code == 410 else "accepted") == case["expected"][
        str(last["at"])
    ]
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
def test_which_id_proves_a_request_b_104(comparing: Comparing) -> None:
    case = load("B-104")
    found = []
    for mapping in case["given"]["mappings"]:
        claimed = comparing.claimed(mapping)
        comparing.at(comparing.clock.monotonic() + 10)
        body = comparing.result(claimed)
        before = stored(comparing)
        mapped(comparing, mapping, body)
        answer = comparing.publish(claimed, body)

        found.append({200: "ok", 422: "refused"}[answer.status_code])
        if found[-1] == "refused":
            added = [now - then for now, then in zip(stored(comparing), before, strict=True)]
            assert added == [case["expected"]["run_rows_after_each_refusal"]] * len(TABLES)
            comparing.finish(claimed)

    assert found == case["expected"]["results"]


def mapped(comparing: Comparing, mapping: str, body: dict[str, Any]) -> None:
    """Name the requests of a result as the case says."""
    if mapping == "same_for_both_legs":
        body["candidate_gateway_requests"] = body["current_gateway_requests"]
    elif mapping != "public":
        MAPPINGS[mapping][0](comparing)(body)


def stored(comparing: Comparing) -> list[int]:
    return [comparing.count(table) for table in TABLES]


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
