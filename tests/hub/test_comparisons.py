"""Comparisons over HTTP: the verdict first, the command's numbers, one trace in the ledger."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.cli.main import run_command
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import a_provenance, a_question, a_set, an_evaluation, row_id
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.test_evaluations import strict
from tests.json_schema import accepts

PATH = "/api/v1/comparisons"
#: What a comparison says only where its verdict allows it.
NUMBERS = ("conclusion", "treatment_changed", "differences", "flips", "rank_moves", "splits")


def many_questions() -> GoldenSet:
    return a_set(*(a_question(f"q{n:02}", f"d{n:02}") for n in range(30)))


def leg(pipeline: str, right: int, *, corpus: str = "corpus-1") -> Evaluation:
    """A result in which so many of thirty questions are hits."""
    asked = many_questions()
    return an_evaluation(
        asked,
        {
            q.text: q.expected_document_ids if n < right else ["x"]
            for n, q in enumerate(asked.questions)
        },
        provenance=a_provenance(pipeline=pipeline, corpus=corpus),
        identifier=pipeline,
    )


def compared(hub: Hub, role: str = "viewer", **body: Any) -> Any:
    return hub.call("POST", PATH, role, json=body)


def uses(hub: Hub) -> int:
    labels = many_questions().labels_fingerprint
    return hub.parts.database.read(lambda uow: uow.set_uses.count(labels)).total


def test_a_viewer_gets_what_the_command_says_and_it_is_counted_once(
    hub: Hub, database_url: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hub.add(leg("old", 10), number=1)
    hub.add(leg("new", 28), number=2)

    first = strict(compared(hub, current="old", candidate="new"))
    second = strict(compared(hub, current=row_id(1), candidate=row_id(2)))
    code = run_command(
        [
            "--database-url",
            database_url,
            "--project",
            str(tmp_path),
            "compare",
            "old",
            "new",
            "--json",
        ]
    )
    said = json.loads(capfd.readouterr().out)

    assert code == 0
    assert first == second == {**said, "fair_answer": first["fair_answer"]}
    assert first["verdict"] == {"state": "comparable", "reasons": []}
    assert first["conclusion"] == "better"
    assert first["differences"][0]["delta"] == pytest.approx(18 / 30)
    assert first["set_uses"] == uses(hub) == 1


@only_sqlite
@pytest.mark.parametrize(
    ("legs", "state"),
    [
        ((leg("old", 10), leg("new", 28, corpus="corpus-2")), "mismatch"),
        ((leg("old", 10), an_evaluation(many_questions(), identifier="new")), "unknown"),
    ],
    ids=["mismatch", "unknown"],
)
def test_without_a_comparable_verdict_there_is_no_number_and_no_trace(
    hub: Hub, legs: tuple[Evaluation, Evaluation], state: str
) -> None:
    for number, one in enumerate(legs, 1):
        hub.add(one, number=number)

    found = strict(compared(hub, current="old", candidate="new"))

    assert found["verdict"]["state"] == state
    assert found["verdict"]["reasons"]
    assert [name for name in NUMBERS if found[name] is not None] == []
    assert found["current"]["counts"] is found["candidate"]["counts"] is None
    assert "delta" not in json.dumps(found)
    assert uses(hub) == 0


@only_sqlite
def test_a_graded_measure_decides_where_it_is_named(hub: Hub) -> None:
    hub.add(leg("old", 10), number=1)
    hub.add(leg("new", 28), number=2)

    found = strict(compared(hub, current="old", candidate="new", measure="nDCG@10"))

    assert (found["primary"], found["graded"]["measure"]) == ("nDCG@10", "nDCG@10")
    assert found["differences"][0]["delta"] == pytest.approx(18 / 30)


@only_sqlite
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"current": "old"}, (422, "invalid_request")),
        ({"current": "old", "candidate": 7}, (422, "invalid_request")),
        ({"current": "old", "candidate": "new", "x": 1}, (422, "invalid_request")),
        ({"current": "old", "candidate": "nobody"}, (404, "evaluation_not_found")),
        ({"current": "old", "candidate": "baseline"}, (404, "baseline_not_found")),
        ({"current": "previous", "candidate": "baseline"}, (422, "invalid")),
        ({"current": "old", "candidate": "new", "measure": "best"}, (422, "invalid_measure")),
    ],
)
def test_what_cannot_be_compared_is_refused_by_its_code(
    hub: Hub, body: dict[str, Any], expected: tuple[int, str]
) -> None:
    hub.add(leg("old", 10), number=1)
    hub.add(leg("new", 28), number=2)

    answer = compared(hub, **body)

    assert (answer.status_code, answer.json()["code"]) == expected
    assert uses(hub) == 0


@only_sqlite
def test_nobody_without_a_token_compares(hub: Hub) -> None:
    assert hub.call("POST", PATH, json={"current": "a", "candidate": "b"}).status_code == 401


@only_sqlite
def test_the_reply_is_the_shape_that_the_api_describes(hub: Hub) -> None:
    hub.add(leg("old", 10), number=1)
    hub.add(leg("new", 28), number=2)
    document = hub.call("GET", "/api/v1/openapi.json").json()
    told = document["paths"][PATH]["post"]["responses"]["200"]["content"]["application/json"]
    described = document["components"]["schemas"]

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(member) for member in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            return whole(described[value["$ref"].rpartition("/")[2]])
        return {key: whole(member) for key, member in value.items()}

    found = strict(compared(hub, current="old", candidate="new"))

    assert accepts(whole(told["schema"]), found)
    assert not accepts(whole(told["schema"]), {**found, "delta": 0})


@only_sqlite
def test_no_id_of_a_question_is_told(hub: Hub) -> None:
    asked = many_questions()
    hub.add(leg("old", 10), number=1, privacy=PrivacyLevel.METADATA)
    hub.add(leg("new", 28), number=2, privacy=PrivacyLevel.METADATA)
    hub.parts.database.run(
        lambda uow: uow.golden_sets.save(asked, imported_at=hub.parts.clock.now())
    )

    found = strict(compared(hub, current="old", candidate="new"))

    assert found["flips"]
    assert {flip["id"] for flip in found["flips"]} == {None}
    assert found["splits"]
