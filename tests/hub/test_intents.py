"""Selected comparisons for people: prepared once a key, one a binding, cancelled, told of."""

import threading
from typing import Any

import pytest

from evenhand.core.registry.binding import Stage
from evenhand.hub.app import TABLE
from tests.comparison_builders import a_body
from tests.hub.comparing import PATH, Comparing, comparing, refused, refused_fields
from tests.hub.conftest import only_sqlite
from tests.registry_builders import repository

__all__ = ["comparing"]

PINNED_LEG = {
    "deployment_id",
    "runtime_identity",
    "artifact_digest",
    "embedding_identity",
    "embedding_dimension",
    "route_id",
    "route_name",
    "index_ref",
    "score_cutoff",
}


@pytest.mark.proves("C-01", "C-02", "C-21", "C-32")
def test_an_operator_prepares_a_comparison_that_waits_for_its_consumer(
    comparing: Comparing,
) -> None:
    answer = comparing.prepare()

    told = answer.json()
    assert answer.status_code == 201
    body = a_body(comparing.world)
    key = body.pop("idempotency_key")
    assert {name: told[name] for name in body} == body
    assert key not in answer.text
    assert (told["state"], told["version"], told["case_count"]) == ("pending", 1, 3)
    assert {told[name] for name in ("claimed_at", "claim_expires_at", "deadline_at")} == {None}
    assert comparing.get(f"/{told['id']}").json() == told


@only_sqlite
@pytest.mark.proves("C-03")
def test_nothing_is_called_and_nothing_runs_because_one_is_prepared(
    comparing: Comparing,
) -> None:
    before = {thread.name for thread in threading.enumerate()}
    told = comparing.prepare().json()
    for _ in range(3):
        comparing.get()
        comparing.get(f"/{told['id']}")

    assert comparing.state(told) == "pending"
    assert comparing.count("gateway_request") == comparing.count("evaluation") == 0
    started = {thread.name for thread in threading.enumerate()} - before
    assert all(name.startswith(("writer", "AnyIO", "asyncio", "ThreadPool")) for name in started)


@only_sqlite
@pytest.mark.proves("C-05", "C-06", "C-07")
def test_a_result_of_before_is_no_result_of_a_comparison(comparing: Comparing) -> None:
    earlier = comparing.hub.add()
    told = comparing.prepare().json()
    claimed = comparing.claim(told).json()
    body = comparing.result(claimed)
    body["current"] = {"evaluation_id": earlier.id}

    assert refused(comparing.publish(claimed, body)) == (422, "invalid_request")
    assert refused(comparing.prepare("K2", evaluation_id=earlier.id)) == (422, "invalid_request")
    paths = [
        entry.path for entry in TABLE.entries if PATH in entry.path and entry.method == "POST"
    ]
    assert {path.rpartition("/")[2] for path in paths} == {
        "selected-model-comparisons",
        "cancel",
        "claim",
        "progress",
        "result",
        "finish",
    }


@only_sqlite
@pytest.mark.proves("C-117")
def test_an_attempt_after_an_interruption_needs_a_key_of_its_own(comparing: Comparing) -> None:
    claimed = comparing.claimed("K1")
    comparing.at(121)

    again = comparing.prepare("K1")
    other = comparing.prepare("K2")

    # The record of the first attempt is told again; nothing was begun anew under its key.
    assert (again.status_code, again.json()["id"]) == (200, claimed["comparison"]["id"])
    assert (other.status_code, other.json()["state"]) == (201, "pending")


@only_sqlite
@pytest.mark.proves("C-24", "C-25", "G-42")
def test_everything_that_decides_what_is_measured_is_pinned(comparing: Comparing) -> None:
    pins = comparing.prepare().json()["pins"]

    world = comparing.world
    assert pins["current"].keys() == pins["candidate"].keys() == PINNED_LEG
    assert pins["candidate"] == {
        "deployment_id": world.candidate.id,
        "runtime_identity": world.runtime.identity,
        "artifact_digest": world.artifact.digest,
        "embedding_identity": "other",
        "embedding_dimension": 768,
        "route_id": world.trial.id,
        "route_name": "trial",
        "index_ref": "index-2",
        "score_cutoff": None,
    }
    assert pins["current"]["route_name"] == world.shop.route.name
    assert pins["suite_content_digest"] == world.suite.revision.content_digest
    assert pins["capability"] == "rag.embedding@1"


@only_sqlite
@pytest.mark.proves("C-28", "C-55", "G-42")
def test_an_attempt_at_equal_targets_has_equal_pins(comparing: Comparing) -> None:
    first = comparing.prepare("K1").json()
    comparing.cancel(first)

    second = comparing.prepare("K2").json()

    assert second["id"] != first["id"]
    assert second["pins_digest"] == first["pins_digest"]


# Keys ----------------------------------------------------------------------------------------


@pytest.mark.proves("C-30", "G-44")
def test_the_same_preparation_again_gives_the_same_record_whatever_became_of_it(
    comparing: Comparing,
) -> None:
    first = comparing.prepare()
    cancelled = comparing.cancel(first.json()).json()
    change = {"expected_version": 1, "active": False}
    comparing.hub.call(
        "PATCH", f"/api/v1/bindings/{first.json()['project_binding_id']}", "operator", json=change
    )

    again = comparing.prepare()

    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == cancelled
    assert comparing.count("comparison_intent") == 1


@only_sqlite
@pytest.mark.proves("C-23", "C-31", "G-44")
@pytest.mark.parametrize("member", ["candidate_deployment_id", "corpus_sha256"])
def test_a_key_with_other_input_is_a_conflict(comparing: Comparing, member: str) -> None:
    first = comparing.prepare().json()

    answer = comparing.prepare(**{member: "b" * 64})

    assert refused(answer) == (409, "idempotency_conflict")
    assert comparing.get(f"/{first['id']}").json() == first
    assert comparing.count("comparison_intent") == 1


@only_sqlite
def test_an_invalid_preparation_does_not_use_up_its_key(comparing: Comparing) -> None:
    assert refused(comparing.prepare(corpus_sha256="A" * 64))[0] == 422
    assert refused(comparing.prepare(corpus_sha256="b" * 64)) == (422, "corpus_mismatch")

    assert comparing.prepare().status_code == 201


# One at a time -------------------------------------------------------------------------------


@pytest.mark.proves("C-29", "G-45")
def test_a_binding_has_one_comparison_that_has_not_ended(comparing: Comparing) -> None:
    first = comparing.prepare("K1").json()

    pending = comparing.prepare("K2")
    claimed = comparing.claim(first).json()
    running = comparing.prepare("K3")
    comparing.cancel(claimed["comparison"])
    asked = comparing.prepare("K4")
    comparing.finish(claimed, "cancelled")

    assert {refused(one) for one in (pending, running, asked)} == {(409, "active_intent_exists")}
    assert comparing.prepare("K5").status_code == 201


# Admission -----------------------------------------------------------------------------------

UNKNOWN = "01990000-0000-7000-8000-00000000ffff"
REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"project_binding_id": UNKNOWN}, "unknown_binding", "project_binding_id"),
    ({"consumer_client_id": UNKNOWN}, "unknown_service_client", "consumer_client_id"),
    ({"suite_revision_id": UNKNOWN}, "unknown_suite_revision", "suite_revision_id"),
    ({"current_deployment_id": UNKNOWN}, "unknown_deployment", "current_deployment_id"),
    ({"candidate_deployment_id": UNKNOWN}, "unknown_deployment", "candidate_deployment_id"),
    ({"candidate_route_id": UNKNOWN}, "unknown_route", "candidate_route_id"),
    ({"corpus_sha256": "b" * 64}, "corpus_mismatch", "body.corpus_sha256"),
    (
        {"retrieval_config_sha256": "b" * 64},
        "retrieval_config_mismatch",
        "body.retrieval_config_sha256",
    ),
    ({"candidate_index_ref": "index-1"}, "index_refs_equal", "body.candidate_index_ref"),
]


@only_sqlite
@pytest.mark.proves("C-19", "C-22", "G-47")
def test_what_may_not_be_prepared_is_refused_with_its_rule(comparing: Comparing) -> None:
    for changed, code, field in REFUSALS:
        answer = comparing.prepare(**changed)

        assert refused(answer) == (422, code)
        assert refused_fields(answer) == [(field, code)]
        assert not any(str(value) in answer.text for value in changed.values())
        assert comparing.count("comparison_intent") == 0


@only_sqlite
def test_a_body_of_another_shape_is_refused(comparing: Comparing) -> None:
    shapes: list[dict[str, Any]] = [
        {"corpus_sha256": "A" * 64},
        {"current_index_ref": ""},
        {"current_index_ref": "a\nb"},
        {"idempotency_key": "a b"},
        {"idempotency_key": "a" * 129},
        {"production_promotion_performed": True},
        {"suite_revision_id": 7},
    ]
    for changed in shapes:
        assert refused(comparing.prepare(**changed)) == (422, "invalid_request")
        assert comparing.count("comparison_intent") == 0


@only_sqlite
@pytest.mark.proves("C-08", "C-10", "C-11", "C-12")
@pytest.mark.parametrize(
    ("noun", "part", "changed", "code"),
    [
        ("binding", "binding", {"active": False}, "inactive_binding"),
        ("binding", "binding", {"stage": Stage.EXPERIMENTAL}, "binding_not_stable"),
        ("project", "project", {"active": False}, "inactive_project"),
        ("route", "route", {"active": False}, "current_not_in_production"),
        ("route", "route", {"deployment_id": "candidate"}, "current_not_in_production"),
        ("candidate", "candidate", {"active": False}, "candidate_inactive"),
        ("trial", "trial", {"active": False}, "candidate_route_inactive"),
    ],
)
def test_only_a_stable_binding_with_production_and_a_candidate_outside_it_is_compared(
    comparing: Comparing, noun: str, part: str, changed: dict[str, Any], code: str
) -> None:
    world = comparing.world
    former = getattr(world.shop, part, None) or getattr(world, part)
    values = {
        name: world.candidate.id if value == "candidate" else value
        for name, value in changed.items()
    }
    made = former.changed(expected_version=1, **values)
    comparing.hub.parts.database.run(lambda uow: repository(uow, former).save(made))

    assert refused(comparing.prepare()) == (422, code), noun


@only_sqlite
@pytest.mark.proves("G-47")
@pytest.mark.parametrize(
    ("part", "code", "field"),
    [
        ("runtime", "inactive_runtime", "candidate_deployment_id"),
        ("current_runtime", "inactive_runtime", "current_deployment_id"),
        ("suite", "inactive_suite_revision", "suite_revision_id"),
    ],
)
def test_what_is_out_of_use_is_not_compared(
    comparing: Comparing, part: str, code: str, field: str
) -> None:
    comparing.end_use(part)

    answer = comparing.prepare()

    assert refused(answer) == (422, code)
    assert refused_fields(answer) == [(field, code)]


# Cancelling ----------------------------------------------------------------------------------


@pytest.mark.proves("C-35", "C-99", "G-39")
def test_a_pending_comparison_is_cancelled_at_once(comparing: Comparing) -> None:
    told = comparing.prepare().json()

    answer = comparing.cancel(told)

    made = answer.json()
    assert (answer.status_code, made["state"], made["version"]) == (200, "cancelled", 2)
    assert made["finished_at"] is not None
    assert refused(comparing.cancel(made)) == (409, "already_terminal")
    assert refused(comparing.claim(told)) == (409, "already_terminal")


@only_sqlite
@pytest.mark.proves("C-100", "G-39")
def test_a_running_one_is_asked_to_stop_and_a_second_request_changes_nothing(
    comparing: Comparing,
) -> None:
    claimed = comparing.claimed()
    running = claimed["comparison"]

    stale = comparing.cancel(running, version=1)
    first = comparing.cancel(running).json()
    again = comparing.cancel(first)

    assert refused(stale) == (409, "version_conflict")
    assert (first["state"], first["version"]) == ("cancel_requested", 3)
    assert (again.status_code, again.json()) == (200, first)
    assert refused(comparing.cancel(running)) == (409, "version_conflict")


@only_sqlite
@pytest.mark.proves("G-39")
def test_progress_does_not_stand_in_the_way_of_a_cancellation(comparing: Comparing) -> None:
    claimed = comparing.claimed()
    for done in (1, 2, 3):
        assert comparing.progress(claimed, done, done).status_code == 200

    assert comparing.cancel(claimed["comparison"]).json()["state"] == "cancel_requested"


# Looking -------------------------------------------------------------------------------------


@pytest.mark.proves("C-33", "C-34", "C-42")
def test_the_history_is_told_newest_first_by_binding_limit_and_offset(
    comparing: Comparing,
) -> None:
    told = []
    for number in range(3):
        comparing.at(number)
        told.append(comparing.cancel(comparing.prepare(f"K{number}").json()).json())

    whole = comparing.get(project_binding_id=told[0]["project_binding_id"]).json()
    page = comparing.get(limit=1, offset=1).json()

    assert whole == {"items": told[::-1], "next_offset": None}
    assert page == {"items": [told[1]], "next_offset": 2}
    assert comparing.get(project_binding_id=UNKNOWN).json()["items"] == []


@only_sqlite
@pytest.mark.proves("C-42", "C-43")
def test_a_look_beyond_its_bounds_is_refused(comparing: Comparing) -> None:
    looks: list[tuple[str, str, dict[str, Any]]] = [
        ("", "viewer", {"limit": 0}),
        ("", "viewer", {"limit": 101}),
        ("", "viewer", {"offset": -1}),
        ("", "viewer", {"offset": 10001}),
        ("", "viewer", {"state": "pending"}),
        ("/assigned", "consumer", {"limit": 0}),
        ("/assigned", "consumer", {"limit": 101}),
        ("/assigned", "consumer", {"offset": 0}),
    ]
    for path, role, query in looks:
        assert refused(comparing.get(path, role, **query)) == (422, "invalid_request")


@only_sqlite
@pytest.mark.proves("C-41", "G-59")
def test_the_collection_has_no_slash_at_its_end(comparing: Comparing) -> None:
    for method in ("GET", "POST"):
        answer = comparing.hub.call(method, f"{PATH}/", "operator")
        assert refused(answer) == (404, "route_not_found")
    assert refused(comparing.get("/nowhere")) == (404, "comparison_not_found")


@only_sqlite
@pytest.mark.proves("G-56")
def test_before_it_is_completed_nothing_is_said_of_its_numbers(comparing: Comparing) -> None:
    summary = comparing.prepare().json()["evaluation_summary"]

    assert summary["comparability_reasons"] == summary["eligibility_reasons"] == ["not_completed"]
    assert [summary[name] for name in ("comparable", "complete", "eligible")] == [False] * 3
    assert summary["production_promotion_performed"] is False
    assert {summary[name] for name in ("metrics", "failed_cases", "no_answer", "basis")} == {None}
