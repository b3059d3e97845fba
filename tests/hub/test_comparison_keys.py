"""Public cases of keys and of results that come again, run on the wire step by step."""

import copy
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.cases_runner import load
from tests.comparison_builders import a_body
from tests.hub.case_faults import broken_before_commit, never_seen
from tests.hub.comparing import PATH, Comparing, comparing
from tests.hub.conftest import only_sqlite

__all__ = ["comparing"]

JSON = {"Content-Type": "application/json"}
OTHERS = {
    "candidate_deployment_id": "01990000-0000-7000-8000-00000000ffff",
    "corpus_sha256": "b" * 64,
}


@only_sqlite
def test_the_same_key_with_another_body_b_082(comparing: Comparing) -> None:
    case = load("B-082")
    statuses = []
    for step in case["given"]["steps"]:
        changed = re.findall(r"with (\w+) changed", step["body"])
        body = {member: OTHERS[member] for member in changed}
        statuses.append(comparing.prepare(step["key"], **body).status_code)

    for status, allowed in zip(statuses, case["expected"]["status"], strict=True):
        assert status in allowed
    assert never_seen(case["expected"], statuses)
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@only_sqlite
def test_the_same_meaning_in_other_bytes_b_083(comparing: Comparing) -> None:
    case = load("B-083")
    body = a_body(comparing.world, "K2", current_index_ref="käfer-1")
    spelt = {
        "B": json.dumps(body, ensure_ascii=False),
        "B, keys reversed": json.dumps(dict(reversed(body.items())), ensure_ascii=False),
        "B, pretty printed": json.dumps(body, ensure_ascii=False, indent=4),
        "B, non-ASCII escaped": json.dumps(body, ensure_ascii=True),
    }
    assert {step["key"] for step in case["given"]["steps"]} == {body["idempotency_key"]}

    answers = [
        comparing.hub.call(
            "POST", PATH, "operator", content=spelt[step["body"]].encode(), headers=JSON
        )
        for step in case["given"]["steps"]
    ]

    assert [one.status_code for one in answers] == [201, 200, 200, 200]
    assert {f"{one.status_code // 100}xx each" for one in answers} == {
        case["expected"]["status_class"]
    }
    ids = {one.json()["id"] for one in answers}
    assert (len(ids) == 1) is case["expected"]["same_id"]
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@pytest.mark.proves("C-30", "G-44")
def test_the_same_key_at_the_same_moment_b_085(comparing: Comparing) -> None:
    case = load("B-085")
    crowd, last = case["given"]["steps"]

    with ThreadPoolExecutor(crowd["parallel"]) as threads:
        answers = list(
            threads.map(lambda _: comparing.prepare(crowd["key"]), range(crowd["parallel"]))
        )
    again = comparing.prepare(last["key"])

    statuses = [one.status_code for one in answers]
    assert set(statuses) <= set(case["expected"]["status_in"])
    assert never_seen(case["expected"], statuses)
    assert statuses.count(201) == 1
    assert again.status_code in case["expected"]["last"]
    told = {one.json()["id"] for one in answers if one.status_code < 300}
    assert told == {again.json()["id"]}
    assert comparing.count("comparison_intent") == case["expected"]["records"]


@only_sqlite
def test_a_key_after_a_failure_b_086(comparing: Comparing) -> None:
    case = load("B-086")
    found: list[object] = []
    for step in case["given"]["steps"]:
        for told in comparing.get(limit=1).json()["items"]:
            if told["state"] == "pending":
                comparing.cancel(told)
        found.append(asked(comparing, step))

    for status, allowed in zip(found, case["expected"]["status"], strict=True):
        assert status in allowed
    assert comparing.count("comparison_intent") == case["expected"]["records"]


def asked(comparing: Comparing, step: dict[str, Any]) -> object:
    """The status that a caller sees of a step, or that it sees none."""
    fault = step.get("fault")
    if fault == "before_commit":
        engine = comparing.hub.parts.database.engine
        with broken_before_commit(engine, "comparison_intent") as broken:
            client = TestClient(comparing.hub.app, raise_server_exceptions=False)
            headers = {"Authorization": f"Bearer {comparing.hub.tokens['operator']}"}
            body = a_body(comparing.world, step["key"])
            answer = client.post(PATH, json=body, headers=headers)
        assert broken == ["comparison_intent"]
        assert (
            comparing.hub.parts.database.read(
                lambda uow: uow.intents.find_by_key(comparing.world.shop.project.id, step["key"])
            )
            is None
        )
        return answer.status_code
    changed = {"corpus_sha256": "x"} if step.get("body") == "invalid" else {}
    status = comparing.prepare(step["key"], **changed).status_code
    # The transaction has ended; its answer reaches nobody.
    return "connection lost" if fault == "after_commit" else status


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
