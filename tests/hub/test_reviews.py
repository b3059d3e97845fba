"""Reviews over HTTP, from criteria to what came back; and counts that no request can merge."""

from itertools import combinations, product
from typing import Any

import pytest

from evenhand.core.access.roles import Capability
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.publishing import add_client, add_project
from tests.review_builders import INPUTS, PASSAGES, PROMPT, a_candidate, a_config

API = "/api/v1"
WORKER = "review-worker"


class Reviews:
    """A project with a practice, and what a worker says to the hub."""

    def __init__(self, hub: Hub, project_id: str | None = None) -> None:
        self.hub = hub
        self.project_id = project_id or add_project(hub)
        add_client(hub, self.project_id, WORKER, Capability.REVIEW)
        made = self.call(
            "POST", "practices", "operator", name="grounded", project_id=self.project_id
        )
        self.practice_id = made["id"]
        self.revision_id = self.revision("Every claim is in a passage.")
        self.count = 0

    def ask(self, method: str, path: str, role: str, body: Any = None) -> Any:
        given = {} if body is None else {"json": body}
        return self.hub.call(method, f"{API}/{path}", role, **given)

    def call(self, method: str, path: str, role: str = WORKER, **body: Any) -> Any:
        answer = self.ask(method, path, role, body or None)
        assert answer.status_code in (200, 201), answer.text
        return answer.json()

    def revision(self, text: str) -> str:
        path = f"practices/{self.practice_id}/revisions"
        stated = {"artifact_kind": "rag.answer", "title": "Grounded", "text": text}
        revision_id: str = self.call("POST", path, "operator", **stated)["id"]
        return revision_id

    def submit(self, **stated: Any) -> Any:
        self.count += 1
        body: dict[str, Any] = {
            "idempotency_key": f"k{self.count}",
            "artifact_kind": "rag.answer",
            "artifact_id": f"answer-{self.count}",
            "subject_id": "pipeline",
            "cohort": {"kind": "cases", "name": "release-1"},
            "case_id": f"case-{self.count}",
            "config_snapshot": a_config(),
        }
        return self.call("POST", "agent-jobs", **body | stated)

    def held(self, claimed: Any) -> dict[str, Any]:
        return {
            "worker": "w1",
            "attempt": claimed["job"]["attempt"],
            "token": claimed["token"],
        }

    def preparation(self, **stated: Any) -> dict[str, Any]:
        evidence = {
            "catalogue_digest": "d" * 64,
            "artifact_kind": "rag.answer",
            "captured_at": "2026-09-01T00:00:00Z",
            "sources": [
                {
                    "kind": "retrieved_passages",
                    "state": "available",
                    "completeness": "complete",
                    "is_empty": False,
                    "files": [{"path": PASSAGES, "sha256": "c" * 64}],
                }
            ],
            "practices": [
                {"slug": "grounded", "revision_id": stated.pop("revision", self.revision_id)}
            ],
        }
        return {"prompt_digest": PROMPT, "inputs_digest": INPUTS, "evidence": evidence} | stated

    def review(
        self,
        *candidates: Any,
        prompt: str = PROMPT,
        revision: str | None = None,
        **stated: Any,
    ) -> str:
        found = list(candidates) or [a_candidate()]
        job_id: str = self.submit(**stated)["id"]
        claimed = self.call("POST", "agent-jobs/claim", worker="w1", job_id=job_id)
        held, path = self.held(claimed), f"agent-jobs/{job_id}"
        prepared = self.preparation(prompt_digest=prompt, revision=revision or self.revision_id)
        self.call("POST", f"{path}/prepare", **held, **prepared)
        self.call("POST", f"{path}/start", **held)
        self.call("POST", f"{path}/observations", **held, candidates=found)
        self.call("POST", f"{path}/complete", **held, outcome="reviewed")
        return job_id


@pytest.fixture
def reviews(hub: Hub) -> Reviews:
    return Reviews(hub)


@pytest.mark.proves("R-01", "R-04", "R-05")
def test_a_review_goes_from_criteria_to_a_reaction(reviews: Reviews) -> None:
    job_id = reviews.submit(repository_revision="abc")["id"]
    claimed = reviews.call(
        "POST", "agent-jobs/claim", worker="w1", resolved={"workerImage": "judge:3"}
    )
    assert claimed["job"]["id"] == job_id
    assert claimed["job"]["config_snapshot"] == a_config(workerImage="judge:3")
    held, path = reviews.held(claimed), f"agent-jobs/{job_id}"
    job = reviews.call("POST", f"{path}/prepare", **held, **reviews.preparation())
    assert (job["prompt_digest"], job["inputs_digest"]) == (PROMPT, INPUTS)
    reviews.call("POST", f"{path}/start", **held)
    payload = {**held, "candidates": [a_candidate(), {"practice": "grounded"}]}
    first = reviews.ask("POST", f"{path}/observations", WORKER, payload)
    again = reviews.ask("POST", f"{path}/observations", WORKER, payload)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    found = first.json()
    assert found["rejections"] == [{"position": 1, "reason": "missing_field"}]
    (observation,) = found["observations"]
    assert observation["practice_revision_id"] == reviews.revision_id
    # A hub keeps no text at its usual level of privacy.
    assert (observation["summary"], observation["evidence"]) == (None, None)
    usage = {
        "calls": 1,
        "tokens": {"input": 1000, "output": 100},
        "source": "runner",
        "rates": {"input": "1", "cached_input": "0", "output": "5"},
    }
    done = reviews.call("POST", f"{path}/complete", **held, outcome="reviewed", usage=usage)
    assert (done["state"], done["outcome"]) == ("completed", "reviewed")

    feedback = reviews.call(
        "POST",
        "feedback",
        agent_job_id=job_id,
        admission_digest=found["payload_digest"],
        recipient="r1",
        channel="in_app",
        position=0,
        state="prepared",
        body="One claim has no source.",
        thread_kind="grounding",
        thread_locus="answer-1",
        observations=[{"observation_id": observation["id"]}],
    )
    one = f"feedback/{feedback['id']}"
    reviews.call("PATCH", one, expected_state="prepared", state="delivered")
    assert reviews.call("GET", one)["placement_evidence"] == "none"
    reviews.call("POST", f"{one}/placements", type="summary", channel_reference="c1")
    reviews.call("POST", f"{one}/dispatches", attempt=1, acknowledgement="taken")
    reviews.call(
        "POST", "reactions", feedback_id=feedback["id"], reactor="r1", usefulness="useful"
    )
    detail = reviews.call("GET", one, "viewer")
    assert detail["placement_evidence"] == "proven"
    assert [one["resolution"] for one in detail["reactions"]] == [None]
    assert reviews.call("GET", "answers/answer-1/acceptance")["accepted"] is None
    reviews.call("POST", "answers/answer-1/acceptance", accepted=True)
    assert reviews.call("GET", "answers/answer-1/acceptance")["accepted"] is True

    (stratum,) = reviews.call("GET", f"reviews/strata?project_id={reviews.project_id}", "viewer")[
        "items"
    ]
    assert (stratum["cost"], stratum["tokens"]["input"]) == ("0.001500", 1000)
    assert stratum["invalid_outputs"] == {"count": 1, "total": 1}


@pytest.mark.parametrize("instances", ["one"], indirect=True)
@pytest.mark.proves("R-25", "R-26", "G-27", "R-13")
def test_sixteen_strata_and_no_request_makes_one_of_two(reviews: Reviews) -> None:
    other = reviews.revision("Other criteria.")
    for config, prompt, cohort, revision in product(
        ({}, {"temperature": 1}), (PROMPT, "c" * 64), ("one", "two"), (reviews.revision_id, other)
    ):
        reviews.review(
            prompt=prompt,
            revision=revision,
            config_snapshot=a_config(**config),
            cohort={"kind": "cases", "name": cohort},
        )
    of_project = f"project_id={reviews.project_id}"

    listed = reviews.call("GET", f"reviews/strata?{of_project}", "viewer")

    names = [one["stratum"] for one in listed["items"]]
    assert len(set(names)) == 16
    assert listed["excluded_rows"] == {}
    assert "total" not in listed
    for one, two in combinations(names, 2):
        merging = (
            f"reviews/rates?{of_project}&stratum={one}&stratum={two}",
            f"reviews/rates?{of_project}&stratum={one}&other={one}&other={two}",
            f"reviews/rates?{of_project}&stratum={one},{two}",
            f"reviews/strata?{of_project}&stratum={one}",
        )
        for path in merging:
            answer = reviews.ask("GET", path, "viewer")
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    for option in ("pool=true", "dimensions=prompt", "without=practice"):
        for path in (f"strata?{of_project}", f"rates?{of_project}&stratum={names[0]}"):
            answer = reviews.ask("GET", f"reviews/{path}&{option}", "viewer")
            assert answer.status_code == 422


@only_sqlite
def test_two_strata_are_shown_side_by_side_with_a_verdict(reviews: Reviews) -> None:
    for config in ({}, {"temperature": 1}):
        for case in ("c1", "c2"):
            reviews.review(case_id=case, config_snapshot=a_config(**config))
    reviews.review(cohort={"kind": "cases", "name": "release-2"}, case_id="c1")
    of_project = f"project_id={reviews.project_id}"
    items = reviews.call("GET", f"reviews/strata?{of_project}", "viewer")["items"]
    by_size = sorted(items, key=lambda one: one["good"]["total"])
    alone, one, two = (item["stratum"] for item in by_size)

    same = f"reviews/rates?{of_project}&stratum={one}&other={two}"
    paired = reviews.call("GET", same, "viewer")["paired"]
    assert (paired["verdict"]["state"], paired["delta"]) == ("comparable", 0.0)
    assert paired["cases"]["neither"] == 2
    assert paired["interval"]["low"] < 0 < paired["interval"]["high"]

    other = f"reviews/rates?{of_project}&stratum={one}&other={alone}"
    found = reviews.call("GET", other, "viewer")
    assert found["paired"]["verdict"]["state"] == "mismatch"
    assert (found["paired"]["delta"], found["paired"]["cases"]) == (None, None)
    unknown = reviews.ask("GET", f"reviews/rates?{of_project}&stratum={'0' * 64}", "viewer")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "stratum_not_found")


def test_who_does_not_hold_the_attempt_changes_nothing(reviews: Reviews) -> None:
    job_id = reviews.submit()["id"]
    claimed = reviews.call("POST", "agent-jobs/claim", worker="w1")
    path = f"agent-jobs/{job_id}/start"
    for stated, status, code in (
        ({"token": "x" * 43}, 403, "wrong_claim_token"),
        ({"worker": "w2"}, 403, "wrong_claim_token"),
        ({"attempt": 2}, 403, "wrong_claim_token"),
        ({}, 409, "job_not_prepared"),
    ):
        answer = reviews.ask("POST", path, WORKER, reviews.held(claimed) | stated)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
    again = reviews.ask("POST", "agent-jobs/claim", WORKER, {"worker": "w2", "job_id": job_id})
    assert (again.status_code, again.json()["code"]) == (409, "job_not_queued")
    assert reviews.call("POST", "agent-jobs/claim", worker="w2") == {"job": None, "token": None}
    assert reviews.call("GET", f"agent-jobs/{job_id}")["state"] == "running"


@only_sqlite
def test_the_same_submission_is_stored_once_and_another_conflicts(reviews: Reviews) -> None:
    one = reviews.submit(idempotency_key="k")
    reviews.count -= 1
    assert reviews.submit(idempotency_key="k") == one
    body = {
        "idempotency_key": "k",
        "artifact_kind": "rag.answer",
        "artifact_id": "other",
        "subject_id": "s",
        "config_snapshot": a_config(),
    }
    answer = reviews.ask("POST", "agent-jobs", WORKER, body)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")


@only_sqlite
@pytest.mark.proves("G-21")
def test_a_secret_in_a_configuration_is_refused_and_repeated_nowhere(reviews: Reviews) -> None:
    body = {
        "idempotency_key": "k",
        "artifact_kind": "rag.answer",
        "artifact_id": "a",
        "subject_id": "s",
        "config_snapshot": a_config(apiKey="sk-canary-canary-canary"),
    }
    answer = reviews.ask("POST", "agent-jobs", WORKER, body)
    assert (answer.status_code, answer.json()["code"]) == (422, "credential_in_snapshot")
    assert "canary" not in answer.text + reviews.hub.log.getvalue()


@only_sqlite
def test_a_service_client_sees_the_reviews_that_it_submitted(reviews: Reviews) -> None:
    own = reviews.submit()["id"]
    body = {
        "project_id": reviews.project_id,
        "idempotency_key": "by-people",
        "artifact_kind": "rag.answer",
        "artifact_id": "a",
        "subject_id": "s",
        "config_snapshot": a_config(),
    }
    foreign = reviews.call("POST", "agent-jobs", "operator", **body)["id"]
    listed = [one["id"] for one in reviews.call("GET", "agent-jobs")["items"]]
    assert listed == [own]
    assert len(reviews.call("GET", "agent-jobs?state=queued", "viewer")["items"]) == 2
    assert reviews.ask("GET", f"agent-jobs/{foreign}", WORKER).status_code == 404
    cancelled = reviews.call(
        "POST", f"agent-jobs/{foreign}/cancel", "operator", reason="drain_graceful"
    )
    assert cancelled["cancel_reason"] == "drain_graceful"
