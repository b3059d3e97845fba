"""Baselines over HTTP: who sets one, what is refused, what stays known of the former ones."""

from typing import Any

import pytest

from evenhand.core.privacy import PrivacyLevel
from tests.builders import a_provenance, a_set, an_evaluation, row_id
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.test_evaluations import strict

PATH = "/api/v1/baselines"


def added(hub: Hub, number: int, *, retriever: str = "fake", **stated: Any) -> str:
    whole = an_evaluation(provenance=a_provenance(**stated), identifier=retriever)
    return hub.add(whole, number=number).id


def set_one(hub: Hub, evaluation_id: str, role: str = "operator", **more: Any) -> Any:
    return hub.call("POST", PATH, role, json={"evaluation_id": evaluation_id, **more})


def test_an_operator_sets_a_baseline_and_viewers_read_it_with_its_history(hub: Hub) -> None:
    first = set_one(hub, added(hub, 1), note="release 1")
    second = set_one(hub, added(hub, 2, corpus="corpus-2"))

    assert (first.status_code, second.status_code) == (201, 201)
    former, pinned = first.json()["baseline"], second.json()["baseline"]
    assert (first.json()["replaced"], first.json()["benchmark_changed"]) == (None, False)
    assert second.json()["replaced"] == former["id"]
    assert second.json()["benchmark_changed"]
    assert (former["note"], former["evaluation_id"]) == ("release 1", row_id(1))
    assert former["actor"].startswith("operator ")
    assert strict(hub.call("GET", PATH, "viewer"))["items"] == [pinned]
    told = strict(hub.call("GET", f"{PATH}/{former['id']}", "viewer"))
    assert told == {**former, "is_active": False, "history": [pinned, former]}
    assert strict(hub.call("GET", f"{PATH}/{pinned['id']}", "viewer"))["is_active"]


@only_sqlite
@pytest.mark.proves("G-60")
def test_setting_one_is_told_to_the_audit_and_a_refusal_is_not(hub: Hub) -> None:
    done = set_one(hub, added(hub, 1)).json()["baseline"]
    refused = set_one(hub, row_id(9))

    assert (refused.status_code, refused.json()["code"]) == (404, "evaluation_not_found")
    entries = hub.parts.database.read(
        lambda uow: uow.audit.list_latest(object_kind="baseline", limit=9)
    )
    assert [(one.action, one.object_id, one.to_state) for one in entries] == [
        ("set", done["id"], "active")
    ]
    assert f"operator {entries[0].actor.id}" == done["actor"]


@only_sqlite
def test_pages_hold_each_active_baseline_once_newest_first(hub: Hub) -> None:
    for number in range(1, 4):
        set_one(hub, added(hub, number, retriever=f"r{number}"))

    page = strict(hub.call("GET", f"{PATH}?limit=2", "viewer"))
    rest = strict(hub.call("GET", f"{PATH}?limit=2&cursor={page['next_cursor']}", "viewer"))

    listed = [one["retriever"] for one in page["items"] + rest["items"]]
    assert listed == ["r3", "r2", "r1"]
    assert rest["next_cursor"] is None


@only_sqlite
@pytest.mark.parametrize(
    ("number", "code"),
    [(1, "invalid_baseline"), (2, "invalid_baseline"), (3, "too_many_failed")],
    ids=["unknown", "without outcomes", "failed"],
)
def test_what_says_too_little_is_no_baseline(hub: Hub, number: int, code: str) -> None:
    hub.add(an_evaluation(), number=1)
    declared = a_provenance()
    hub.add(an_evaluation(provenance=declared), number=2, privacy=PrivacyLevel.NONE)
    asked = a_set()
    given = {q.text: OSError() if n else ["d1"] for n, q in enumerate(asked.questions)}
    hub.add(an_evaluation(asked, given, provenance=declared), number=3)

    answer = set_one(hub, row_id(number))

    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert strict(hub.call("GET", PATH, "viewer"))["items"] == []


@only_sqlite
def test_a_viewer_sets_none_and_an_unknown_one_is_not_found(hub: Hub) -> None:
    assert set_one(hub, added(hub, 1), "viewer").status_code == 403
    for wrong in ("x", "%00", row_id(1)):
        answer = hub.call("GET", f"{PATH}/{wrong}", "viewer")
        assert (answer.status_code, answer.json()["code"]) == (404, "baseline_not_found")
