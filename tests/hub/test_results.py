"""A run and the review of its answer over HTTP make one event, whichever comes later."""

import json
from dataclasses import replace
from typing import Any

import pytest

from evenhand.adapters.reviewers.configuration import rules_config
from evenhand.contracts.decoding import encode_event
from evenhand.contracts.events import Event, EventOutcome, validate_event
from evenhand.core.comparison.pins import LegName
from evenhand.sdk.review_submission import RunOfAnswers
from evenhand.usecases.reviews import grounding
from tests.builders import a_question, a_set
from tests.comparison_builders import case_results
from tests.docs_pages import ROOT, blocks
from tests.event_builders import an_emitter
from tests.hub.comparing import Comparing, comparing
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.publishing import SOMEBODY, a_body, publish
from tests.hub.test_reviewer import Workshop, a_case
from tests.hub.test_reviews import WORKER, Reviews
from tests.review_builders import a_candidate

__all__ = ["comparing"]

IDENTITIES = ("event_id", "account_id", "evaluation_id", "retrieval_version", "benchmark")
GOOD = a_candidate(presence="present", assessment="good", severity=None)


def emitted(hub: Hub) -> list[Event]:
    return hub.parts.database.read(lambda uow: list(uow.events.walk(None, project_id=None)))


def trusting(hub: Hub, project_id: str | None = None) -> Reviews:
    """Reviews at a hub where every rubric may say whether an answer is grounded."""
    parts = hub.app.state.parts
    hub.app.state.parts = replace(parts, emitter=an_emitter(hub.parts.ids))
    return Reviews(hub, project_id)


def waived(hub: Hub, revision_id: str) -> None:
    """Let a rubric say whether an answer is grounded, without labels."""
    hub.parts.database.run(
        lambda uow: grounding.waive(
            uow, revision_id, "no labels yet", actor=SOMEBODY, ids=hub.parts.ids
        )
    )


@only_sqlite
@pytest.mark.proves("E-05", "E-26", "E-38", "E-43")
def test_a_published_run_its_review_and_a_person_s_word_make_one_event(hub: Hub) -> None:
    reviews = trusting(hub)
    answer_of = {"publication_key": "K1", "position": 0, "prompt_version": "p7"}
    reviews.review(GOOD, answer_of=answer_of | {"awaits_acceptance": True})
    assert publish(hub, project_id=reviews.project_id).status_code == 201
    assert emitted(hub) == []
    accepted = {"accepted": True, "project_id": reviews.project_id}
    reviews.call("POST", "answers/answer-1/acceptance", "operator", **accepted)

    (event,) = emitted(hub)
    assert (event.grounded, event.accepted, event.prompt_version) == (True, True, "p7")
    window = {"start": "2020-01-01T00:00:00Z", "end": "2100-01-01T00:00:00Z"}
    path = "/api/v1/event-questions/relevant_grounded_accepted"
    (group,) = hub.call("GET", path, "viewer", params=window).json()["groups"]
    assert (group["evaluated"], group["grounded_rate"], group["accepted_rate"]) == (1, 1.0, 1.0)
    assert group["group"]["review_stratum"] == event.review_stratum


@only_sqlite
@pytest.mark.parametrize(
    ("answer_of", "code"),
    [
        ({}, "invalid_value"),
        ({"publication_key": "K1"}, "invalid_value"),
        ({"publication_key": "K1", "position": -1}, "invalid_request"),
        ({"publication_key": "K 1", "position": 0}, "invalid_request"),
        ({"publication_key": "K1", "position": 0, "prompt_version": "a b"}, "invalid_request"),
        ({"evaluation_id": "none", "position": 0}, "unknown_evaluation"),
    ],
    ids=str,
)
def test_a_review_of_no_such_answer_is_refused(
    answer_of: dict[str, Any], code: str, hub: Hub
) -> None:
    reviews = Reviews(hub)
    body = {
        "idempotency_key": "k",
        "artifact_kind": "rag.answer",
        "artifact_id": "a",
        "subject_id": "s",
        "config_snapshot": {
            "schemaVersion": 1,
            "apiProtocol": "x",
            "upstreamModelId": "m",
            "timeoutSeconds": 9,
        },
        "answer_of": answer_of,
    }
    answer = reviews.ask("POST", "agent-jobs", WORKER, body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


@only_sqlite
@pytest.mark.proves("E-05", "E-06", "G-65")
@pytest.mark.parametrize("eligible", [True, False])
def test_an_answer_of_a_candidate_makes_an_event_unless_it_was_final_before(
    eligible: bool, comparing: Comparing
) -> None:
    suite = comparing.world.suite
    reviews = trusting(comparing.hub, suite.revision.project_id)
    claimed = comparing.claimed()
    body = comparing.result(claimed)
    if not eligible:
        body["candidate"]["results"] = case_results(comparing.world, {"q1": ["x", "d1"]})
    told = comparing.publish(claimed, body).json()
    assert told["evaluation_summary"]["eligible"] is eligible
    before = emitted(comparing.hub)
    found = comparing.hub.parts.database.read(lambda uow: uow.intents.list_concluded([told["id"]]))
    candidate = found[told["id"]].evaluation_ids[LegName.CANDIDATE]

    reviews.review(
        GOOD,
        suite_revision_id=suite.revision.id,
        case_id=suite.cases[1].case_id,
        answer_of={"evaluation_id": candidate},
    )

    after = emitted(comparing.hub)
    outcomes = [one.outcome for one in after]
    if eligible:
        assert (before, outcomes) == ([], [EventOutcome.EVALUATED])
        assert comparing.count("event_outbox") == 1
    else:
        assert after == before
        assert outcomes == [EventOutcome.INELIGIBLE] * len(suite.cases)


@only_sqlite
@pytest.mark.proves("E-05", "E-14", "E-23")
def test_the_shipped_rules_feed_grounded_once_their_criteria_may(hub: Hub) -> None:
    workshop = Workshop(hub)
    cases = [a_case(1), a_case(2, "The tower is 121 m high.")]
    asked = a_set(a_question("q1", "d1"), a_question("q2", "d2"))
    for key in ("K1", "K2"):
        run = RunOfAnswers(
            evaluation_id=None,
            publication_key=key,
            positions={"c1": 0, "c2": 1},
            prompt_version="p7",
            awaits_acceptance=False,
        )
        workshop.submit(rules_config(), *cases, run=run)
    workshop.work(*cases)
    body = a_body(asked, project_id=workshop.reviews.project_id)
    assert publish(hub, body).status_code == 201
    # Nobody has said that these criteria may.
    assert emitted(hub) == []
    waived(hub, workshop.criteria.revision_id)
    assert publish(hub, body, idempotency_key="K2").status_code == 201

    events = emitted(hub)
    assert sorted(one.grounded for one in events) == [False, True]
    assert {one.evaluator_version.rpartition("+")[2] for one in events} == {"waived"}
    assert {one.prompt_version for one in events} == {"p7"}
    assert len({one.review_stratum for one in events}) == 1


@only_sqlite
@pytest.mark.proves("E-34")
def test_the_review_of_the_guide_makes_the_event_of_the_guide(hub: Hub) -> None:
    submission, shown = (
        json.loads(block.text)
        for block in blocks(ROOT / "docs" / "events.md", "json")
        if "prompt-v7" in block.text
    )
    validate_event(shown)
    reviews = Reviews(hub)
    waived(hub, reviews.revision_id)
    reviews.review(GOOD, **submission)
    key = submission["answer_of"]["publication_key"]
    body = a_body(project_id=reviews.project_id, idempotency_key=key)
    assert publish(hub, body).status_code == 201

    (event,) = (json.loads(encode_event(one)) for one in emitted(hub))
    assert {name: type(one) for name, one in event.items()} == {
        name: type(one) for name, one in shown.items()
    }
    same = ("retrieval_score", "grounded", "outcome", "prompt_version")
    assert {name: event[name] for name in same} == {name: shown[name] for name in same}
    assert event["evaluator_version"].endswith(f"+{reviews.revision_id}+waived")
    assert [len(event[one]) for one in IDENTITIES] == [len(shown[one]) for one in IDENTITIES]
