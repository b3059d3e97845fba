"""Suites over HTTP: made once, frozen for good, read by people, and told of in the audit."""

from typing import Any

import pytest

from evenhand.core.identity.canonical import json_ascii_v1, query_digest
from evenhand.core.identity.settings_digest import retrieval_config_sha256
from evenhand.core.retrieval.golden import GoldenSet
from tests.builders import a_set, row_id
from tests.hub.conftest import Hub, only_sqlite
from tests.registry_builders import a_project
from tests.suite_builders import CORPUS, a_case_question

PATH = "/api/v1/suites"
PROJECT_ID = a_project().id
SETTINGS = {"top_k": 10, "weights": [0.7, 3e-05, 1.0], "ä": {"x": None}, "big": 2**70}


@pytest.fixture
def hub(hub: Hub) -> Hub:
    """With a project."""
    hub.parts.database.run(lambda uow: uow.projects.add(a_project()))
    return hub


def a_suite(hub: Hub, name: str = "release") -> dict[str, Any]:
    answer = hub.call("POST", PATH, "operator", json={"project_id": PROJECT_ID, "name": name})
    assert answer.status_code == 201
    made: dict[str, Any] = answer.json()
    return made


def a_question(number: int = 1, **more: object) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "question": f"where is {number}?",
        "form": "match",
        "expected_document_ids": ["d2", "d1"],
        "reviewed": True,
        "label_provenance": {"corpus_revision": CORPUS},
        **more,
    }


def a_body(*questions: dict[str, Any], **more: object) -> dict[str, Any]:
    return {
        "corpus_sha256": CORPUS,
        "retrieval_settings": SETTINGS,
        "golden_set": {
            "format": "evenhand.golden/1",
            "identifier": "tiny",
            "name": "Tiny",
            "questions": list(questions or (a_question(),)),
        },
        **more,
    }


def freeze(hub: Hub, suite: dict[str, Any], body: object, role: str = "operator") -> Any:
    return hub.call("POST", f"{PATH}/{suite['id']}/revisions", role, json=body)


def keep(hub: Hub, golden_set: GoldenSet) -> None:
    hub.parts.database.run(
        lambda uow: uow.golden_sets.save(golden_set, imported_at=hub.parts.clock.now())
    )


def audit(hub: Hub) -> list[tuple[str, str, str | None]]:
    entries = hub.parts.database.read(lambda uow: uow.audit.list_latest(limit=99))
    return [
        (one.action, one.object_kind, one.to_state)
        for one in entries
        if one.object_kind != "credential"
    ]


def test_a_suite_is_made_read_taken_out_of_use_and_back(hub: Hub) -> None:
    made = a_suite(hub)
    assert made == {
        "id": made["id"],
        "project_id": PROJECT_ID,
        "name": "release",
        "active": True,
        "version": 1,
        "created_at": made["created_at"],
    }
    assert hub.call("GET", f"{PATH}/{made['id']}", "viewer").json() == made

    def change(*, active: bool, version: int) -> Any:
        body = {"active": active, "expected_version": version}
        return hub.call("PATCH", f"{PATH}/{made['id']}", "operator", json=body)

    ended = change(active=False, version=1)
    assert ended.json() == made | {"active": False, "version": 2}
    stale = change(active=True, version=1)
    assert (stale.status_code, stale.json()["code"]) == (409, "version_conflict")
    assert change(active=False, version=2).json() == ended.json()
    assert change(active=True, version=2).json() == made | {"version": 3}
    assert audit(hub) == [
        ("change", "suite", "active"),
        ("change", "suite", "inactive"),
        ("create", "suite", "active"),
    ]


def test_a_name_is_taken_once_in_a_project(hub: Hub) -> None:
    a_suite(hub)
    again = hub.call("POST", PATH, "operator", json={"project_id": PROJECT_ID, "name": "release"})
    assert (again.status_code, again.json()["code"]) == (409, "name_taken")


@pytest.mark.parametrize("project_id", [row_id(9), "a\0", "shop"])
def test_a_suite_of_a_project_that_is_not_there_is_refused(hub: Hub, project_id: str) -> None:
    answer = hub.call("POST", PATH, "operator", json={"project_id": project_id, "name": "x"})
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_project")


@only_sqlite
def test_lists_are_paged_and_chosen_by_project(hub: Hub) -> None:
    made = [a_suite(hub, f"s{number}") for number in range(3)]
    first = hub.call("GET", f"{PATH}?limit=2&project_id={PROJECT_ID}", "viewer").json()
    assert first["items"] == made[:0:-1]
    rest = hub.call("GET", f"{PATH}?limit=2&cursor={first['next_cursor']}", "viewer").json()
    assert rest == {"items": made[:1], "next_cursor": None}
    assert hub.call("GET", f"{PATH}?project_id={row_id(9)}", "viewer").json()["items"] == []


@pytest.mark.proves("C-16", "G-72")
def test_a_set_that_is_sent_is_frozen_with_everything_it_says(hub: Hub) -> None:
    suite = a_suite(hub)
    tag = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "/w=="}
    whole = a_question(
        2,
        id=tag,
        form="gap",
        hard_class="near-duplicate",
        answer_gist="im Hof",
        critical=True,
        expected_document_ids=["d2", tag],
        grades=[{"id": "d2", "grade": 2}, {"id": tag, "grade": 1}, {"id": "d3", "grade": 0}],
        label_provenance={"corpus_revision": CORPUS, "model_revision": "m"},
    )
    answer = freeze(hub, suite, a_body(whole, a_question(1)))
    assert answer.status_code == 201
    made = answer.json()
    operator = hub.parts.database.read(lambda uow: uow.credentials.find("operator-0"))
    assert operator is not None
    assert made | {"content_digest": "", "labels_fingerprint": ""} == {
        "id": made["id"],
        "suite_id": suite["id"],
        "project_id": PROJECT_ID,
        "number": 1,
        "created_at": made["created_at"],
        "frozen_by": {"kind": "operator", "id": operator.id},
        "golden_set": {"identifier": "tiny", "name": "Tiny", "description": ""},
        "corpus_sha256": CORPUS,
        "retrieval_settings": SETTINGS,
        "retrieval_config_sha256": retrieval_config_sha256(SETTINGS),
        "content_digest": "",
        "labels_fingerprint": "",
        "case_count": 2,
        "critical_count": 1,
    }
    path = f"/api/v1/suite-revisions/{made['id']}"
    assert hub.call("GET", path, "viewer").json() == made
    one, two = hub.call("GET", f"{path}/cases", "viewer").json()["items"]
    provenance = {
        "chunking_identity": None,
        "pipeline_identity": None,
        "execution_revision": None,
        "model_revision": "m",
        "corpus_revision": CORPUS,
    }
    # In byte order of the ids: questions, and the targets of each.
    assert one["question_id"] == "q1"
    assert one["expected_document_ids"] == ["d1", "d2"]
    assert two == {
        "case_id": two["case_id"],
        "position": 1,
        "question_id": tag,
        "query": "where is 2?",
        "query_digest": query_digest("where is 2?"),
        "form": "gap",
        "critical": True,
        "hard_class": "near-duplicate",
        "answer_gist": "im Hof",
        "expected_document_ids": ["d2", tag],
        "grades": [{"id": "d2", "grade": 2}, {"id": "d3", "grade": 0}, {"id": tag, "grade": 1}],
        "label_provenance": provenance,
    }
    # UUIDv7, and not the question's id.
    assert {one["case_id"][14], two["case_id"][14]} == {"7"}


@pytest.mark.proves("C-91", "C-93", "G-74")
def test_the_settings_of_an_answer_have_the_digest_that_it_tells(hub: Hub) -> None:
    made = freeze(hub, a_suite(hub), a_body()).json()
    found = hub.call("GET", f"/api/v1/suite-revisions/{made['id']}", "viewer").json()
    for answer in (made, found):
        digest = retrieval_config_sha256(answer["retrieval_settings"])
        assert digest == answer["retrieval_config_sha256"] == retrieval_config_sha256(SETTINGS)
    kept = hub.parts.database.read(lambda uow: uow.suites.find_facts(made["id"]))
    assert kept is not None
    assert kept.settings.text == json_ascii_v1(SETTINGS)


@pytest.mark.proves("C-16")
def test_equal_content_is_one_revision_and_a_retry_changes_nothing(hub: Hub) -> None:
    suite, other = a_suite(hub), a_suite(hub, "other")
    body = a_body(a_question(1), a_question(2))
    first = freeze(hub, suite, body)
    told = audit(hub)
    again = freeze(hub, suite, a_body(a_question(2), a_question(1)))
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert audit(hub) == told

    elsewhere = freeze(hub, other, body)
    assert elsewhere.status_code == 201
    assert elsewhere.json()["content_digest"] == first.json()["content_digest"]
    assert elsewhere.json()["id"] != first.json()["id"]

    hub.call(
        "PATCH",
        f"{PATH}/{suite['id']}",
        "operator",
        json={"active": False, "expected_version": 1},
    )
    assert freeze(hub, suite, body).json() == first.json()
    changed = freeze(hub, suite, a_body(a_question(3)))
    assert (changed.status_code, changed.json()["code"]) == (409, "suite_inactive")


def test_revisions_are_numbered_and_listed_newest_first(hub: Hub) -> None:
    suite = a_suite(hub)
    made = [freeze(hub, suite, a_body(a_question(number))).json() for number in range(3)]
    assert [one["number"] for one in made] == [1, 2, 3]
    path = f"{PATH}/{suite['id']}/revisions"
    first = hub.call("GET", f"{path}?limit=2", "viewer").json()
    for one in made:
        del one["retrieval_settings"]
    assert first["items"] == made[:0:-1]
    rest = hub.call("GET", f"{path}?cursor={first['next_cursor']}", "viewer").json()
    assert rest == {"items": made[:1], "next_cursor": None}


@only_sqlite
def test_cases_are_paged_by_position(hub: Hub) -> None:
    made = freeze(hub, a_suite(hub), a_body(*map(a_question, range(5)))).json()
    path = f"/api/v1/suite-revisions/{made['id']}/cases"
    seen: list[int] = []
    after: int | None = -1
    while after is not None:
        page = hub.call("GET", f"{path}?limit=2&after={after}", "viewer").json()
        seen += [one["position"] for one in page["items"]]
        after = page["next_after"]
    assert seen == [0, 1, 2, 3, 4]


def test_an_imported_set_is_frozen_by_its_identifier_without_what_it_holds_out(hub: Hub) -> None:
    keep(hub, a_set(a_case_question("q1"), holdout=[a_case_question("q2")]))
    body = a_body(golden_set=None, golden_set_identifier="tiny")
    made = freeze(hub, a_suite(hub), body)
    assert (made.status_code, made.json()["case_count"]) == (201, 1)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no case": (a_body(golden_set=a_body()["golden_set"] | {"questions": []}), "suite_size"),
    "only held out": (a_body(a_question(holdout=True)), "suite_size"),
    "101 cases": (a_body(golden_set=None, golden_set_identifier="large"), "suite_size"),
    "not reviewed": (a_body(a_question(), a_question(2, reviewed=False)), "suite_review"),
    "unjudged": (a_body(a_question(unjudged=True, expected_document_ids=None)), "suite_review"),
    "no provenance": (a_body(a_question(label_provenance=None)), "suite_corpus"),
    "other corpus": (a_body(corpus_sha256="b" * 64), "suite_corpus"),
    "uppercase corpus": (a_body(corpus_sha256="A" * 64), "invalid_request"),
    "config digest": (a_body(retrieval_config_sha256="0" * 64), "retrieval_config_digest"),
    "deep settings": (
        a_body(retrieval_settings={"a": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}),
        "invalid_retrieval_settings",
    ),
    "settings of a list": (a_body(retrieval_settings=[1]), "invalid_request"),
    "no set": (a_body(golden_set=None), "invalid_request"),
    "two sets": (a_body(golden_set_identifier="large"), "invalid_request"),
    "unknown set": (
        a_body(golden_set=None, golden_set_identifier="nowhere"),
        "unknown_golden_set",
    ),
    "NUL": (a_body(a_question(question="a\0")), "invalid_golden_set"),
    "no targets": (a_body(a_question(expected_document_ids=None)), "invalid_golden_set"),
    "an id twice": (a_body(a_question(), a_question()), "invalid_golden_set"),
    "identifier": (
        a_body(golden_set=a_body()["golden_set"] | {"identifier": "A b"}),
        "invalid_golden_set",
    ),
}


@only_sqlite
@pytest.mark.proves("C-17", "C-18", "C-19", "G-47")
@pytest.mark.parametrize("name", REFUSED)
def test_what_may_not_be_frozen_is_refused_by_a_code_and_changes_nothing(
    hub: Hub, name: str
) -> None:
    keep(hub, a_set(*(a_case_question(f"q{n}") for n in range(101)), identifier="large"))
    suite = a_suite(hub)
    body, code = REFUSED[name]
    told = audit(hub)
    answer = freeze(hub, suite, body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert hub.call("GET", f"{PATH}/{suite['id']}/revisions", "viewer").json()["items"] == []
    assert audit(hub) == told


@only_sqlite
@pytest.mark.proves("C-20")
def test_a_refused_question_is_named_by_its_place_and_not_repeated(hub: Hub) -> None:
    suite = a_suite(hub)
    canary = {"id": "canary", "question": "canary\0", "expected_document_ids": ["canary"]}
    for number, more in enumerate((canary, canary | {"question": "x", "form": "canary"})):
        answer = freeze(hub, suite, a_body(a_question(), a_question(2, **more)))
        fields = [one["field"] for one in answer.json()["fields"]]
        assert fields == [f"body.golden_set.questions.1{'.form' * number}"]
        assert "canary" not in answer.text
    assert "canary" not in hub.log.getvalue()
    upper = freeze(hub, suite, a_body(corpus_sha256="A" * 64)).json()["fields"]
    assert upper == [{"field": "body.corpus_sha256", "code": "string_pattern_mismatch"}]


@only_sqlite
def test_what_is_not_there_is_404_before_what_is_wrong_with_it_is_said(hub: Hub) -> None:
    nowhere = {"id": row_id(9)}
    answer = freeze(hub, nowhere, a_body(a_question(reviewed=False)))
    assert (answer.status_code, answer.json()["code"]) == (404, "suite_not_found")
    for path, code in {
        f"{PATH}/{row_id(9)}": "suite_not_found",
        f"{PATH}/{row_id(9)}/revisions": "suite_not_found",
        f"/api/v1/suite-revisions/{row_id(9)}": "suite_revision_not_found",
        f"/api/v1/suite-revisions/{row_id(9)}/cases": "suite_revision_not_found",
    }.items():
        found = hub.call("GET", path, "viewer")
        assert (found.status_code, found.json()["code"]) == (404, code)


@only_sqlite
@pytest.mark.proves("C-16")
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "POST"])
def test_no_method_changes_a_revision(hub: Hub, method: str) -> None:
    made = freeze(hub, a_suite(hub), a_body()).json()
    for path in (made["id"], f"{made['id']}/cases"):
        answer = hub.call(method, f"/api/v1/suite-revisions/{path}", "operator", json={})
        assert answer.status_code == 405
