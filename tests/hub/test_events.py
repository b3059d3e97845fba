"""Events over HTTP: stored once, refused without a trace of their content, asked and deleted."""

from typing import Any

import msgspec
import pytest

from evenhand.core.access.roles import Capability
from evenhand.usecases.ports import UnitOfWork
from tests.event_builders import event_document
from tests.hub.conftest import Hub, everywhere, only_sqlite

PATH = "/api/v1/events"
DAY = {"start": "2026-07-29T00:00:00Z", "end": "2026-07-30T00:00:00Z"}
QUESTION = "/api/v1/event-questions/relevant_grounded_accepted"


@pytest.fixture
def sender(hub: Hub) -> Hub:
    """The hub with a service client ``sender`` that may ingest, and one that may too."""
    hub.add_client("sender", Capability.EVENT)
    hub.add_client("other", Capability.EVENT)
    return hub


def post(hub: Hub, body: object, role: str = "sender", **more: Any) -> Any:
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return hub.call(
        "POST", PATH, role, content=content, headers={"Content-Type": "application/json"}, **more
    )


def rejections(hub: Hub) -> list[tuple[int, str, str]]:
    found = hub.parts.database.read(lambda uow: uow.events.list_rejections(limit=100))
    return sorted((one.place, one.code, one.field) for one in found)


def count(hub: Hub) -> int:
    return hub.parts.database.read(lambda uow: uow.events.count(None, project_id=None))


@everywhere
@pytest.mark.proves("G-64", "E-12", "E-35")
def test_an_event_is_201_then_200_and_409_with_another_payload(sender: Hub) -> None:
    first = post(sender, event_document())
    again = post(sender, event_document())
    other = post(sender, event_document(retrieval_score=0.12))

    assert (first.status_code, first.json()) == (201, {"event_id": "evt_1", "status": "stored"})
    assert (again.status_code, again.json()["status"]) == (200, "duplicate")
    assert (other.status_code, other.json()["code"]) == (409, "event_conflict")
    assert other.json()["fields"] == [{"field": "retrieval_score", "code": "event_conflict"}]
    kept = sender.call("GET", f"{PATH}/evt_1", "sender").json()
    assert kept["event"] == event_document()


@pytest.mark.proves("G-63", "E-07")
def test_a_second_id_for_one_result_is_a_conflict(sender: Hub) -> None:
    post(sender, event_document(1))
    found = post(sender, event_document(2, evaluation_id="eval_1"))
    assert (found.status_code, found.json()["code"]) == (409, "grain_conflict")
    assert count(sender) == 1


@pytest.mark.proves("E-29", "G-71", "E-40")
def test_what_is_refused_leaves_reason_and_field_and_nothing_of_itself(sender: Hub) -> None:
    canary = "jane.canary@example.com"
    refused = post(sender, event_document(account_id=canary))
    unknown = post(sender, event_document() | {"canary-question": "what is the canary?"})
    batch = post(sender, {"events": [event_document(2), event_document(account_id=canary)]})

    assert (refused.status_code, unknown.status_code, batch.status_code) == (422, 422, 207)
    assert refused.json()["fields"] == [{"field": "account_id", "code": "invalid_event"}]
    assert rejections(sender) == [
        (0, "event_field_unknown", "(unknown field)"),
        (0, "invalid_event", "account_id"),
        (1, "invalid_event", "account_id"),
    ]
    said = refused.text + unknown.text + batch.text + sender.log.getvalue()
    assert "canary" not in said
    stored = sender.parts.database.read(_everything)
    assert "canary" not in stored


def _everything(uow: UnitOfWork) -> str:
    return repr(
        (list(uow.events.walk(None, project_id=None)), uow.events.list_rejections(limit=9))
    )


def test_a_batch_has_a_result_for_each(sender: Hub) -> None:
    post(sender, event_document(1))
    found = post(
        sender,
        {
            "events": [
                event_document(1),
                event_document(2),
                event_document(1, grounded=False),
                event_document(3, grounded="true"),
            ]
        },
    )
    assert found.status_code == 207
    assert found.json()["results"] == [
        _result(0, "evt_1", "duplicate"),
        _result(1, "evt_2", "stored"),
        _result(2, "evt_1", "conflict", "event_conflict", "grounded"),
        _result(3, None, "refused", "invalid_event", "grounded"),
    ]
    assert post(sender, {"events": [event_document(1), event_document(4)]}).status_code == 200


def _result(
    index: int,
    event_id: str | None,
    status: str,
    code: str | None = None,
    field: str | None = None,
) -> dict[str, Any]:
    return {"index": index, "event_id": event_id, "status": status, "code": code, "field": field}


def test_all_or_nothing_stores_nothing_and_names_the_places(sender: Hub) -> None:
    post(sender, event_document(9))
    whole = {"all_or_nothing": True}
    bad = [event_document(1), event_document(2, grounded=1), event_document(9, grounded=False)]
    refused = post(sender, {"events": [*bad, event_document(7, evaluation_id="eval_9")]} | whole)

    assert (refused.status_code, refused.json()["code"]) == (422, "events_refused")
    assert refused.json()["fields"] == [
        {"field": "body.events.1.grounded", "code": "invalid_event"},
        {"field": "body.events.2.grounded", "code": "event_conflict"},
        {"field": "body.events.3.evaluation_id", "code": "grain_conflict"},
    ]
    assert count(sender) == 1
    assert len(rejections(sender)) == 3
    good = post(sender, {"events": [event_document(1), event_document(9)]} | whole)
    assert (good.status_code, count(sender)) == (200, 2)


@only_sqlite
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "invalid_json"),
        (b"[]", 400, "invalid_json"),
        (b"{", 400, "invalid_json"),
        (b'{"events": NaN}', 400, "invalid_json"),
        (b'{"events": [], "events": []}', 400, "invalid_json"),
        (b'{"events": [], "\\u0065vents": []}', 400, "invalid_json"),
        (b'{"events": {}}', 422, "invalid_request"),
        (b'{"events": [], "all_or_nothing": 1}', 422, "invalid_request"),
        (b'{"events": [], "other": 1}', 422, "invalid_request"),
        (b'{"event_id": "a", "event_id": "b"}', 400, "invalid_json"),
        (b"{}", 422, "event_field_missing"),
    ],
)
def test_a_body_of_another_shape_is_refused(
    body: bytes, status: int, code: str, sender: Hub
) -> None:
    found = post(sender, body)
    assert (found.status_code, found.json()["code"]) == (status, code)


@only_sqlite
def test_a_batch_is_bounded(sender: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.hub.event_bodies.MOST_EVENTS", 2)
    found = post(sender, {"events": [event_document(number) for number in range(3)]})
    assert (found.status_code, found.json()["code"]) == (413, "body_too_large")
    assert count(sender) == 0


@pytest.mark.proves("E-30", "E-32")
def test_a_client_reads_and_writes_its_own_only(sender: Hub) -> None:
    post(sender, event_document())
    assert sender.call("GET", f"{PATH}/evt_1", "other").status_code == 404
    assert (
        post(sender, event_document(), params={"project_id": "other-project"}).status_code == 404
    )
    assert post(sender, event_document(), "operator").json()["code"] == "project_missing"
    named = {"project_id": "sender-project"}
    assert post(sender, event_document(2), "operator", params=named).status_code == 201
    assert sender.call("GET", f"{PATH}/evt_2", "sender").status_code == 404
    assert sender.call("GET", f"{PATH}/evt_2", "viewer", params=named).status_code == 200
    assert post(sender, event_document(3), params={"x": "1"}).status_code == 422


@pytest.mark.proves("E-03", "E-37", "G-70")
def test_a_trusted_answer_over_a_window_and_nothing_else(sender: Hub) -> None:
    post(sender, {"events": [event_document(1, accepted=True), event_document(2)]})
    found = sender.call("GET", QUESTION, "viewer", params=DAY)

    (group,) = found.json()["groups"]
    assert (group["events"], group["accepted_rate"], group["acceptance_unknown"]) == (2, 1.0, 1)
    assert (
        sender.call("GET", QUESTION, "viewer", params=DAY | {"end": DAY["start"]}).json()["groups"]
        == []
    )
    assert sender.call("GET", QUESTION, "sender", params=DAY).status_code == 403
    none = sender.call("GET", "/api/v1/event-questions/none", "viewer", params=DAY)
    assert (none.status_code, none.json()["code"]) == (404, "question_not_found")
    local = DAY | {"start": "2026-07-29T00:00:00"}
    assert sender.call("GET", QUESTION, "viewer", params=local).status_code == 422


@pytest.mark.proves("E-32", "G-71")
def test_an_operator_deletes_an_account(sender: Hub) -> None:
    post(sender, {"events": [event_document(1), event_document(2, account_id="acct_2")]})
    body = {"account_id": "acct_1", "project_id": "sender-project"}
    found = sender.call("POST", "/api/v1/event-deletions", "operator", json=body)

    assert (found.status_code, found.json()) == (200, {"deleted": 1})
    assert count(sender) == 1
    audit = sender.call("GET", "/api/v1/audit", "operator").text
    assert "event_account" in audit
    assert "acct_1" not in audit


@only_sqlite
def test_the_contract_is_told_to_whoever_is_known(hub: Hub) -> None:
    found = hub.call("GET", "/api/v1/event-contract", "viewer").json()
    assert found["grain_key"][0] == "account_id"
    assert [one["name"] for one in found["questions"]] == [
        "duration",
        "relevant_grounded_accepted",
    ]
    assert found["schema"]["additionalProperties"] is False
