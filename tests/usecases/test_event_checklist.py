"""The checklist of the contract against a hub: each point holds, and a fault is found."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from evenhand.usecases.event_checklist import walk_checklist
from tests.hub.conftest import Hub, open_hub  # noqa: F401 -- a fixture


class Called:
    """A hub in this process, as an operator asks it."""

    def __init__(self, hub: Hub, project: str) -> None:
        self._hub = hub
        self._query = {"project_id": project}

    def send(self, document: Mapping[str, Any]) -> tuple[int, Any]:
        return self._call("POST", "events", body=document, params=self._query)

    def get(self, event_id: str) -> tuple[int, Any]:
        return self._call("GET", f"events/{event_id}", params=self._query)

    def ask(self, question: str, start: str, end: str) -> tuple[int, Any]:
        window = {"start": start, "end": end}
        return self._call("GET", f"event-questions/{question}", params=window)

    def delete(self, account_id: str) -> tuple[int, Any]:
        return self._call("POST", "event-deletions", body={"account_id": account_id} | self._query)

    def _call(self, method: str, path: str, body: object = None, **more: Any) -> tuple[int, Any]:
        if body is not None:
            more["content"] = msgspec.json.encode(body)
            more["headers"] = {"Content-Type": "application/json"}
        answer = self._hub.call(method, f"/api/v1/{path}", "operator", **more)
        return answer.status_code, answer.json()


@pytest.fixture
def asked(open_hub: Any, database_url: str) -> Called:  # noqa: F811 -- the fixture
    hub = open_hub(database_url)
    hub.add_client("sender")
    return Called(hub, "sender-project")


@pytest.mark.proves("E-33", "E-34", "E-35", "E-36")
def test_each_point_holds_and_nothing_stays(asked: Called) -> None:
    points = list(walk_checklist(asked, "x1"))
    assert [(one.id, one.problem) for one in points] == [
        ("E-33", None),
        ("E-34", None),
        ("E-35", None),
        ("E-36", None),
        ("E-37", None),
        ("E-32", None),
    ]
    assert asked.get("evt_verify_x1_1")[0] == 404


class Altered(Called):
    """A hub that keeps another number than it was sent."""

    def get(self, event_id: str) -> tuple[int, Any]:
        status, kept = super().get(event_id)
        kept["event"]["duration_ms"] = "1280"
        return status, kept

    def ask(self, question: str, start: str, end: str) -> tuple[int, Any]:
        status, found = super().ask(question, start, end)
        for group in found["groups"]:
            group["evaluated"] += 1
        return status, found


@pytest.mark.proves("E-34", "E-37")
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_hub_that_keeps_something_else_is_found(asked: Called) -> None:
    asked.__class__ = Altered
    problems = {one.id: one.problem for one in walk_checklist(asked, "x2")}
    assert problems["E-34"] == problems["E-35"] == "duration_ms is not what was sent"
    assert problems["E-37"] == "the answer differs: evaluated"
    assert problems["E-36"] is problems["E-32"] is None
