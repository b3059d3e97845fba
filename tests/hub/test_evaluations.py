"""Evaluations over HTTP: pages, aggregates, outcomes; numbers that every JSON reader reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.graded import GradedValue, build_score
from tests.builders import START, a_provenance, a_question, a_set, an_evaluation, row_id
from tests.hub.conftest import Hub, everywhere, only_sqlite

PATH = "/api/v1/evaluations"
CASES = Path(__file__).parent.parent / "cases"


def case(identifier: str) -> dict[str, Any]:
    """A public case."""
    [path] = CASES.glob(f"{identifier}-*.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def strict(answer: Any) -> Any:
    """The JSON of an answer that is 200; NaN and the infinities are no JSON."""

    def refuse(token: str) -> None:
        pytest.fail(f"a reply holds {token}")

    assert answer.status_code == 200
    return json.loads(answer.content, parse_constant=refuse)


def every_page(hub: Hub, limit: int, more: str = "") -> list[list[str]]:
    """The ids of each page, following the cursors."""
    pages, cursor = [], ""
    while True:
        found = strict(hub.call("GET", f"{PATH}?limit={limit}{cursor}{more}", "viewer"))
        pages.append([item["id"] for item in found["items"]])
        if found["next_cursor"] is None:
            return pages
        cursor = f"&cursor={found['next_cursor']}"


@everywhere
def test_pages_over_equal_times_hold_every_evaluation_once(hub: Hub) -> None:
    given, expected = case("B-124")["given"], case("B-124")["expected"]
    for number in range(1, given["rows"] + 1):
        hub.add(number=number, created_at=START)

    pages = every_page(hub, given["limit"])

    ids = [one for page in pages for one in page]
    assert len(set(ids)) == expected["ids"]
    assert len(ids) - len(set(ids)) == expected["duplicates"]
    # The same order on both databases: by time, then by id, newest first.
    assert ids == [row_id(number) for number in range(given["rows"], 0, -1)]
    assert [len(page) for page in pages] == [3, 3, 1]


@only_sqlite
def test_limits_out_of_their_bounds_are_refused(hub: Hub) -> None:
    # The offsets of the case belong to the history of comparisons; elsewhere there is no such name.
    for name, value in case("B-124")["given"]["bad"]:
        answer = hub.call("GET", f"{PATH}?{name}={value}", "viewer")

        assert answer.status_code == 422
        assert answer.json()["code"] == "invalid_request"


@only_sqlite
def test_the_last_full_page_has_no_next_one(hub: Hub) -> None:
    for number in range(1, 5):
        hub.add(number=number)

    assert [len(page) for page in every_page(hub, 2)] == [2, 2]


@only_sqlite
def test_a_list_of_a_set_or_a_retriever_holds_nothing_else(hub: Hub) -> None:
    hub.add(number=1)
    hub.add(an_evaluation(identifier="other"), number=2)
    hub.add(an_evaluation(a_set(identifier="second")), number=3)

    assert every_page(hub, 9, "&retriever=other") == [[row_id(2)]]
    assert every_page(hub, 9, "&golden_set=second") == [[row_id(3)]]
    assert every_page(hub, 9, "&golden_set=second&retriever=other") == [[]]


@only_sqlite
@pytest.mark.parametrize(
    "cursor",
    ["x", "=", "MjAyNg", "\u00e9", "a" * 199, "", "MjAyNi0wOS0wOVQxMjowMDowMC4wMDAwMDBaIHg"],
)
def test_a_cursor_that_no_page_gave_is_refused(hub: Hub, cursor: str) -> None:
    answer = hub.call("GET", PATH, "viewer", params={"cursor": cursor})

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_cursor")


@everywhere
def test_one_evaluation_tells_aggregates_identity_and_graded_values(hub: Hub) -> None:
    whole = an_evaluation(provenance=a_provenance())
    record = hub.add(whole)
    score = build_score(
        record,
        GradedValue(measure="nDCG@10", mean=0.25, questions=3, failed=0),
        qrels_digest=whole.golden_set.qrels_digest,
        scored_at=START,
    )
    hub.parts.database.run(lambda uow: uow.scores.add(score))

    found = strict(hub.call("GET", f"{PATH}/{record.id}", "viewer"))

    assert found["id"] == record.id
    assert found["created_at"] == "2026-09-09T12:01:00Z"
    assert (found["golden_set"], found["retriever"]) == ("tiny", "fake")
    assert found["counts"]["answerable_top1_hits"] == record.counts.answerable_top1_hits == 3
    assert found["rates"]["success_at_1"] == {"hits": 3, "total": 3, "value": 1.0, "reason": None}
    assert found["identity"]["provenance"]["corpusRevision"] == "corpus-1"
    assert record.identity is not None
    assert found["identity"]["benchmark"] == record.identity.fingerprints.benchmark
    assert found["identity_reason"] is None
    assert [(one["measure"], one["mean"]) for one in found["graded"]] == [("nDCG@10", 0.25)]
    listed = strict(hub.call("GET", PATH, "viewer"))["items"]
    assert listed == [{name: found[name] for name in listed[0]}]


@only_sqlite
def test_an_evaluation_is_found_by_its_whole_id_only(hub: Hub) -> None:
    record = hub.add()
    for wrong in (record.id[:8], "latest", f"{record.id}%20", "%00", "%0A"):
        answer = hub.call("GET", f"{PATH}/{wrong}", "viewer")
        assert answer.json()["code"] in ("evaluation_not_found", "route_not_found")
        assert answer.status_code == 404


@only_sqlite
def test_outcomes_come_in_pages_by_position(hub: Hub) -> None:
    record = hub.add()
    path = f"{PATH}/{record.id}/outcomes"

    first = strict(hub.call("GET", f"{path}?limit=3", "viewer"))
    second = strict(hub.call("GET", f"{path}?limit=3&after={first['next_after']}", "viewer"))

    assert [one["position"] for one in first["items"] + second["items"]] == [0, 1, 2, 3]
    assert (first["next_after"], second["next_after"]) == (2, None)
    assert first["items"][1]["judged_hits"] == [{"rank": 1, "grade": 1}, {"rank": 2, "grade": 1}]
    assert (first["reason"], second["items"][0]["targets"]) == (None, 0)


@only_sqlite
def test_outcomes_that_were_not_kept_are_none_with_the_reason(hub: Hub) -> None:
    record = hub.add(privacy=PrivacyLevel.NONE)

    found = strict(hub.call("GET", f"{PATH}/{record.id}/outcomes", "viewer"))

    assert found == {"items": [], "next_after": None, "reason": "not_kept"}
    assert not strict(hub.call("GET", f"{PATH}/{record.id}", "viewer"))["has_outcomes"]


@only_sqlite
def test_outcomes_of_a_part_that_is_held_out_are_counted_and_not_given(hub: Hub) -> None:
    whole = a_set(a_question("q1", "d1"), holdout=[a_question("h1", "d2"), a_question("h2", "d3")])
    assert whole.holdout_part is not None
    record = hub.add(an_evaluation(whole.holdout_part))

    found = strict(hub.call("GET", f"{PATH}/{record.id}/outcomes", "viewer"))

    assert found == {"items": [], "next_after": None, "reason": "held_out"}
    told = strict(hub.call("GET", f"{PATH}/{record.id}", "viewer"))
    assert (told["has_outcomes"], told["counts"]["answerable"]) == (False, 2)


SITUATIONS = {
    "no_relevant": an_evaluation(a_set(a_question("q1"), a_question("q2"))),
    "n=1": an_evaluation(a_set(a_question("q1", "d1"))),
    "zero_variance": an_evaluation(a_set(a_question("q1", "d1"), a_question("q2", "d1"))),
    "all failed": an_evaluation(
        a_set(a_question("q1", "d1"), a_question("q2", "d2"), a_question("q3")),
        {"q1": ["d1"], "q2": RuntimeError("x"), "q3": RuntimeError("x")},
    ),
    "class n=0": an_evaluation(a_set(a_question("q1", "d1", hard_class="rare"))),
}


@only_sqlite
def test_replies_hold_no_token_that_json_does_not_know(hub: Hub) -> None:
    stated = case("B-125")
    assert set(stated["given"]["situations"]) == set(SITUATIONS)
    for number, whole in enumerate(SITUATIONS.values(), 1):
        hub.add(whole, number=number)

    listed = strict(hub.call("GET", PATH, "viewer"))
    paths = [f"{PATH}/{item['id']}" for item in listed["items"]]
    paths += [f"{path}/outcomes" for path in paths]

    for document in (listed, *(strict(hub.call("GET", path, "viewer")) for path in paths)):
        text = json.dumps(document)
        assert [token for token in stated["expected"]["tokens_absent"] if token in text] == []
        for rates in (item["rates"] for item in document.get("items", []) if "rates" in item):
            for rate in rates.values():
                assert (
                    (rate["value"] is None) == (rate["reason"] is not None) == (not rate["total"])
                )


@only_sqlite
def test_no_route_gives_the_details_of_an_evaluation(hub: Hub) -> None:
    whole = an_evaluation(a_set(a_question("secret-id", "secret-document", text="secret text")))
    record = hub.add(whole)
    for path in (PATH, f"{PATH}/{record.id}", f"{PATH}/{record.id}/outcomes"):
        assert "secret" not in hub.call("GET", path, "operator").text
