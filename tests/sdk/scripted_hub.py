"""A hub that says what a test tells it to, and remembers what it was asked."""

import json
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from evenhand.sdk import ClaimSession, HubClient

START = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
TOKEN = "evh_sc_" + "s" * 43
CLAIM_TOKEN = "claim-token-that-nobody-may-see"  # noqa: S105 - of no hub
PINS_DIGEST = "a" * 64
CORPUS = "c" * 64
SETTINGS = {"cutoff": 3}
#: Digest of `SETTINGS`: json-ascii-v1, SHA-256.
SETTINGS_SHA256 = "b943af842ccf82c697bba9e143d745fe88ba7aa069e6c2515fb3bb764428ed53"


#: Numbers of a side of which none is known.
NO_METRICS: dict[str, Any] = dict.fromkeys(
    (
        "success_at_1",
        "success_at_3",
        "reciprocal_rank_at_3",
        "abstention",
        "false_abstention",
        "top1",
        "top3",
    )
)


@dataclass
class Clock:
    """Seconds that go on when a test says so."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@dataclass
class ScriptedHub:
    """Answers of each verb in turn; the last one again and again. None: the connection breaks."""

    answers: dict[str, deque[httpx2.Response | None]] = field(default_factory=dict)
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def will(self, verb: str, *answers: httpx2.Response | None) -> None:
        self.answers[verb] = deque(answers)

    def bodies(self, verb: str) -> list[Any]:
        return [body for asked, body in self.asked if asked == verb]

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        verb = request.url.path.rsplit("/", 1)[-1]
        content = request.read()
        self.asked.append((verb, json.loads(content) if content else None))
        waiting = self.answers[verb]
        answer = waiting.popleft() if len(waiting) > 1 else waiting[0]
        if answer is None:
            raise httpx2.ConnectError("no hub there")
        # A response is read once; the last of a verb is given again.
        return httpx2.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def client(self, clock: Clock | None = None) -> HubClient:
        return HubClient(
            "http://hub.test",
            TOKEN,
            transport=httpx2.MockTransport(self),
            monotonic=clock or Clock(),
        )

    def session(self, clock: Clock | None = None, *, cases: int = 2) -> ClaimSession:
        self.will("claim", told(claimed(cases=cases)))
        return self.client(clock).claim("c-1")


def told(document: Any, status: int = 200, **headers: str) -> httpx2.Response:
    return httpx2.Response(
        status,
        content=json.dumps(document).encode(),
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def a_problem(status: int, code: str, **headers: str) -> httpx2.Response:
    body = {"type": "urn:x", "title": "No", "status": status, "code": code}
    return told(body, status, **headers)


def instant(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat()


def comparison(state: str = "running", **stated: Any) -> dict[str, Any]:
    leg = {
        "deployment_id": "d",
        "runtime_identity": "r",
        "artifact_digest": "a",
        "embedding_identity": "model-1",
        "embedding_dimension": 2,
        "route_id": "route",
        "route_name": "stable",
        "index_ref": "index-1",
        "score_cutoff": None,
    }
    values: dict[str, Any] = {
        "id": "c-1",
        "project_id": "p",
        "project_binding_id": "b",
        "consumer_client_id": "s",
        "suite_revision_id": "u",
        "current_deployment_id": "d",
        "candidate_deployment_id": "e",
        "candidate_route_id": "route-2",
        "corpus_sha256": CORPUS,
        "retrieval_config_sha256": SETTINGS_SHA256,
        "current_index_ref": "index-1",
        "candidate_index_ref": "index-2",
        "state": state,
        "version": 2,
        "pins": {
            "project_id": "p",
            "project_binding_id": "b",
            "consumer_client_id": "s",
            "capability": "rag.embedding@1",
            "suite_revision_id": "u",
            "suite_content_digest": "f",
            "case_count": 2,
            "corpus_sha256": CORPUS,
            "retrieval_config_sha256": SETTINGS_SHA256,
            "current": leg,
            "candidate": leg
            | {"route_name": "try", "index_ref": "index-2", "embedding_identity": "model-2"},
        },
        "pins_digest": PINS_DIGEST,
        "case_count": 2,
        "current_completed_cases": 0,
        "candidate_completed_cases": 0,
        "created_at": instant(-10),
        "claimed_at": instant(0),
        "claim_expires_at": instant(120),
        "deadline_at": instant(3600),
        "finished_at": None,
        "error_code": None,
        "evaluation_summary": {
            "comparable": False,
            "comparability_reasons": ["not_completed"],
            "complete": False,
            "eligible": False,
            "eligibility_reasons": ["not_completed"],
            "tolerance": 0.1,
            "metrics": None,
            "critical_regression_count": None,
            "failed_cases": None,
            "no_answer": None,
            "basis": None,
            "evaluations": None,
            "production_promotion_performed": False,
        },
    }
    return values | stated


def claimed(*, cases: int = 2) -> dict[str, Any]:
    return {
        "comparison": comparison(),
        "claim_token": CLAIM_TOKEN,
        "claim_expires_at": instant(120),
        "cases": [
            {"case_id": f"case-{n}", "position": n, "query": f"query {n}", "query_digest": "q"}
            for n in range(cases)
        ],
    }


def progressed(*, cancel_requested: bool = False, **stated: Any) -> dict[str, Any]:
    return {
        "comparison": comparison(**stated),
        "claim_expires_at": instant(160),
        "cancel_requested": cancel_requested,
    }


def vector(*values: float, request_id: str = "req_" + "1" * 32) -> httpx2.Response:
    body = {"object": "list", "model": "m", "data": [{"index": 0, "embedding": list(values)}]}
    return told(body, x_request_id=request_id)
