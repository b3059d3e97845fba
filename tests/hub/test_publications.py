"""Publishing over HTTP: the hub scores, the same call counts once, a refusal stores nothing."""

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from evenhand.core.scoring.protocols import SCORING_VERSION
from tests.builders import a_provenance, a_question, a_set, an_evaluation
from tests.hub.conftest import Hub, only_sqlite
from tests.hub.publishing import PATH, a_body, add_client, add_project, publish, stored
from tests.hub.test_evaluations import case, strict
from tests.suite_builders import CORPUS

JSON = {"Content-Type": "application/json"}
AT_ONCE = 20


@pytest.fixture(autouse=True)
def project(hub: Hub) -> str:
    """The project that results go to."""
    return add_project(hub)


# What is made of it --------------------------------------------------------------------------


@pytest.mark.proves("G-72")
def test_the_hub_scores_what_is_reported_as_a_run_of_its_own_would_be(
    hub: Hub, project: str
) -> None:
    given: dict[str, Any] = {"q1": ["x", "d1"], "q2": ["x", "y"], "q3": ["d4", "d4"], "q4": []}
    here = an_evaluation(given=given, provenance=a_provenance())

    answer = publish(hub, a_body(rankings=given))

    assert answer.status_code == 201
    told = answer.json()
    found = strict(hub.call("GET", f"{PATH}/{told['evaluation']['id']}", "viewer"))
    assert found == told["evaluation"]
    assert {name: found["counts"][name] for name in found["counts"]} == {
        name: getattr(here.counts, name) for name in found["counts"]
    }
    assert here.identity is not None
    assert found["identity"]["benchmark"] == here.identity.fingerprints.benchmark
    assert found["identity"]["variant"] == here.identity.fingerprints.variant
    assert found["identity"]["provenance"] == a_provenance().to_dict()
    assert (found["basis"], found["privacy"], found["protocol"]) == (
        "reported",
        "metadata",
        SCORING_VERSION,
    )
    assert told["publication"]["project_id"] == project
    assert told["verdict"] == {
        "state": "baseline",
        "reasons": [
            {"code": "no_previous", "dimension": "provenance", "current": None, "previous": None}
        ],
        "evaluation_id": None,
    }
    outcomes = strict(hub.call("GET", f"{PATH}/{found['id']}/outcomes", "viewer"))["items"]
    assert [one["judged_hits"] for one in outcomes] == [
        [{"rank": 2, "grade": 1}],
        [],
        [{"rank": 1, "grade": 1}],
        [],
    ]
    assert {one["latency_ms"] for one in outcomes} == {4}


@only_sqlite
def test_a_failed_question_counts_as_a_miss_and_keeps_its_code(hub: Hub) -> None:
    body = a_body()
    body["questions"][0] |= {"ranking": None, "error_code": "TIMEOUT", "latency_ms": None}

    found = publish(hub, body).json()["evaluation"]

    assert (found["counts"]["failed"], found["rates"]["success_at_1"]["total"]) == (1, 3)
    [first, *_] = strict(hub.call("GET", f"{PATH}/{found['id']}/outcomes", "viewer"))["items"]
    assert (first["state"], first["error_class"]) == ("failed", "TIMEOUT")


@only_sqlite
def test_unknown_provenance_is_stored_as_unknown(hub: Hub) -> None:
    told = publish(hub, provenance=None).json()

    assert told["evaluation"]["identity"] is None
    assert told["verdict"]["state"] == "unknown"


@only_sqlite
def test_the_verdict_is_against_what_the_same_sender_published_before(
    hub: Hub, project: str
) -> None:
    add_client(hub, project, "one")
    add_client(hub, project, "two")

    first = publish(hub, role="one").json()
    other = publish(hub, role="two", idempotency_key="K2").json()
    moved = a_body(provenance=a_provenance(corpus="corpus-2"), idempotency_key="K3")
    second = publish(hub, moved, role="one").json()
    third = publish(hub, role="operator", idempotency_key="K4").json()

    assert (other["verdict"]["state"], third["verdict"]["state"]) == ("baseline", "baseline")
    assert second["verdict"]["evaluation_id"] == first["evaluation"]["id"]
    assert second["verdict"]["state"] == "mismatch"
    assert [one["code"] for one in second["verdict"]["reasons"]] == ["corpus_changed"]
    assert publish(hub, moved, role="one").json() == second


# Rows instead of rankings --------------------------------------------------------------------

WHOLE = an_evaluation(
    given={"q1": ["x", "d1"], "q2": OSError("x"), "q3": ["d4"], "q4": []},
    provenance=a_provenance(),
)
ROWS = [
    {
        "position": one.position,
        "state": one.state.value,
        "retrieved": one.retrieved,
        "judged_hits": [{"rank": hit.rank, "grade": hit.grade} for hit in one.judged_hits],
        "error_code": None if one.error_class is None else "OS_ERROR",
        "latency_ms": None,
        "targets": one.targets,
    }
    for one in WHOLE.outcomes
]
DESCRIBED = {
    "identifier": "tiny",
    "name": "Tiny set",
    "labels_fingerprint": a_set().labels_fingerprint,
    "qrels_digest": a_set().qrels_digest,
}


def rows_body(**changed: Any) -> dict[str, Any]:
    body = a_body(described_set=DESCRIBED, outcomes=ROWS)
    del body["golden_set"], body["questions"]
    return body | changed


@only_sqlite
@pytest.mark.parametrize("is_described", [True, False])
def test_rows_give_the_same_counts_and_are_imported(hub: Hub, *, is_described: bool) -> None:
    body = rows_body()
    if not is_described:
        body = body | {"golden_set": a_body()["golden_set"], "described_set": None}

    told = publish(hub, body)

    assert told.status_code == 201, told.text
    found = told.json()["evaluation"]
    assert found["counts"] == {name: getattr(WHOLE.counts, name) for name in found["counts"]}
    assert (found["basis"], found["privacy"]) == ("imported", "metadata")
    assert WHOLE.identity is not None
    assert found["identity"]["benchmark"] == WHOLE.identity.fingerprints.benchmark


def resized(count: int, **changed: Any) -> dict[str, Any]:
    """Rows of another number of questions under one labels fingerprint; the last ones are new."""
    more = [ROWS[0] | {"position": len(ROWS) + n} for n in range(count)]
    return rows_body(**({"outcomes": (ROWS + more)[:count]} | changed))


@pytest.mark.parametrize("count", [1, len(ROWS) + 1])
def test_a_described_set_of_another_size_than_before_is_refused(hub: Hub, count: int) -> None:
    publish(hub)

    answer = publish(hub, resized(count, idempotency_key="K2"))

    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "set_contradicted")
    assert [one["field"] for one in problem["fields"]] == ["body.described_set.labels_fingerprint"]
    assert stored(hub) == 1
    assert publish(hub, rows_body(idempotency_key="K2")).status_code == 201


@only_sqlite
def test_a_wrong_description_stands_in_nobodys_way_and_is_never_comparable(
    hub: Hub, project: str
) -> None:
    add_client(hub, project, "one")
    add_client(hub, project, "two")
    publish(hub, resized(1), role="one")

    # Another sender is told nothing; the set itself is never refused.
    other = publish(hub, rows_body(idempotency_key="K2"), role="two")
    whole = publish(hub, role="one", idempotency_key="K3")

    assert (other.status_code, whole.status_code) == (201, 201)
    assert other.json()["verdict"]["state"] == "baseline"
    assert whole.json()["verdict"]["state"] == "mismatch"
    assert [one["code"] for one in whole.json()["verdict"]["reasons"]] == ["labels_changed"]


# A frozen suite ------------------------------------------------------------------------------


def a_revision(hub: Hub, project: str, name: str = "release") -> str:
    """The id of a revision that freezes two questions."""
    suite = hub.call(
        "POST", "/api/v1/suites", "operator", json={"project_id": project, "name": name}
    )
    body = {
        "corpus_sha256": CORPUS,
        "retrieval_settings": {"top_k": 3},
        "golden_set": {
            "format": "evenhand.golden/1",
            "identifier": "tiny",
            "name": "Tiny set",
            "questions": [
                {
                    "id": name,
                    "question": name,
                    "form": "match",
                    "expected_document_ids": [name],
                    "reviewed": True,
                    "label_provenance": {"corpus_revision": CORPUS},
                }
                for name in ("a", "b")
            ],
        },
    }
    path = f"/api/v1/suites/{suite.json()['id']}/revisions"
    frozen = hub.call("POST", path, "operator", json=body)
    identifier: str = frozen.json()["id"]
    return identifier


def test_a_suite_revision_of_the_project_is_asked_by_its_id(hub: Hub, project: str) -> None:
    revision = a_revision(hub, project)
    asked = a_set(a_question("a", "a"), a_question("b", "b"))
    body = a_body(asked, golden_set=None, suite_revision_id=revision)

    first, again = publish(hub, body), publish(hub, body)
    rows = rows_body(described_set=None, suite_revision_id=revision, idempotency_key="K2")
    rows["outcomes"] = [
        {"position": n, "state": "scored", "retrieved": 0, "judged_hits": []} for n in (0, 1)
    ]
    second = publish(hub, rows)

    assert (first.status_code, again.status_code, second.status_code) == (201, 200, 201)
    told = first.json()
    assert told["evaluation"]["counts"]["answerable_top1_hits"] == 2
    assert told["evaluation"]["identity"]["labels"] == asked.labels_fingerprint
    assert told["publication"]["suite_revision_id"] == revision
    assert second.json()["evaluation"]["counts"]["false_abstained"] == 2
    assert second.json()["verdict"]["state"] == "comparable"


@only_sqlite
def test_a_revision_that_is_unknown_and_one_of_another_project_are_refused_alike(
    hub: Hub,
) -> None:
    foreign = a_revision(hub, add_project(hub, "other"))
    asked = a_set(a_question("a", "a"), a_question("b", "b"))
    for revision in (foreign, "nobody"):
        answer = publish(hub, a_body(asked, golden_set=None, suite_revision_id=revision))
        assert (answer.status_code, answer.json()["code"]) == (404, "suite_revision_not_found")
    assert stored(hub) == 0


# What is refused -----------------------------------------------------------------------------


def changed(place: tuple[str | int, ...], value: Any, body: Any = None) -> dict[str, Any]:
    """A body with another value in one place; ``...`` leaves the member out."""
    whole: dict[str, Any] = copy.deepcopy(a_body() if body is None else body)
    inner: Any = whole
    for key in place[:-1]:
        inner = inner[key]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return whole


QUESTION: tuple[str | int, ...] = ("questions", 1)
GOLDEN: tuple[str | int, ...] = ("golden_set", "questions", 1)
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    # Ids are text: no number, truth value or null becomes one, and none is empty (B-037, B-040).
    *(
        (changed((*QUESTION, "question_id"), wrong), "not_text", "questions.1.question_id")
        for wrong in (7, 7.0, True, None, ["q2"])
    ),
    *(
        (changed((*QUESTION, "ranking"), ["d2", wrong]), "not_text", "questions.1.ranking.1")
        for wrong in (7, 7.0, True, None)
    ),
    (changed((*QUESTION, "ranking"), ["", "d2"]), "empty", "questions.1.ranking.0"),
    (changed((*QUESTION, "ranking"), ["d\0"]), "holds_nul", "questions.1.ranking.0"),
    (
        changed((*GOLDEN, "expected_document_ids"), [None]),
        "string_type",
        "",
    ),
    (
        changed((*GOLDEN, "expected_document_ids"), [""]),
        "invalid_golden_set",
        "golden_set.questions.1",
    ),
    (changed((*GOLDEN, "id"), 2), "string_type", ""),
    # Exactly one entry for each question.
    (changed(QUESTION, ...), "question_missing", "questions"),
    (changed((*QUESTION, "question_id"), "q1"), "question_repeated", "questions.1.question_id"),
    (changed((*QUESTION, "question_id"), "q9"), "question_unknown", "questions.1.question_id"),
    # A ranking or a failure.
    (changed((*QUESTION, "ranking"), None), "ranking_or_error", "questions.1"),
    (changed((*QUESTION, "error_code"), "TIMEOUT"), "ranking_or_error", "questions.1"),
    *(
        (
            changed(QUESTION, {"question_id": "q2", "ranking": None, "error_code": wrong}),
            "string_pattern_mismatch",
            "questions.1.error_code",
        )
        for wrong in ("timeout", "1X", "X" * 65, "A B", "A\n", "")
    ),
    # Latencies are numbers from 0.
    (changed((*QUESTION, "latency_ms"), True), "float_type", "questions.1.latency_ms"),
    (changed((*QUESTION, "latency_ms"), "4"), "float_type", "questions.1.latency_ms"),
    (changed((*QUESTION, "latency_ms"), -0.1), "greater_than_equal", "questions.1.latency_ms"),
    (changed((*QUESTION, "latency_ms"), 1e300), "less_than_equal", "questions.1.latency_ms"),
    # The set's own rules.
    (changed((*GOLDEN, "id"), "q1"), "invalid_golden_set", "golden_set.questions.1"),
    (
        changed((*GOLDEN, "expected_document_ids"), ["d2", "d2"]),
        "invalid_golden_set",
        "golden_set.questions.1",
    ),
    (
        changed((*GOLDEN, "expected_document_ids"), ...),
        "invalid_golden_set",
        "golden_set.questions.1",
    ),
    (changed((*GOLDEN, "holdout"), True), "held_out", ""),
    (changed(("golden_set", "identifier"), "a.holdout"), "invalid_golden_set", ""),
    (changed(("golden_set", "format"), "evenhand.golden/2"), "literal_error", "golden_set.format"),
    (changed(("golden_set", "name"), "x" * 256), "string_too_long", "golden_set.name"),
    # What is stated beside the results.
    (changed(("protocol",), "mine-v1"), "unknown_protocol", "protocol"),
    (changed(("depth",), 0), "greater_than_equal", "depth"),
    (changed(("depth",), True), "int_type", "depth"),
    (changed(("depth",), 12.0), "int_type", "depth"),
    (changed(("provenance", "corpusRevision"), "not-applicable"), "sentinel_not_allowed", ""),
    (changed(("provenance", "modelRevision"), "https://x"), "invalid_label", ""),
    (changed(("provenance", "modelRevision"), ...), "missing", "provenance.modelRevision"),
    (changed(("provenance",), ...), "missing", "provenance"),
    (changed(("retriever",), "a\0"), "invalid_text", ""),
    *(
        (changed(("idempotency_key",), wrong), "string_pattern_mismatch", "idempotency_key")
        for wrong in ("", "a b", "a\n", "\u00e9", "a/b", "x" * 129)
    ),
    (changed(("idempotency_key",), 1), "string_type", "idempotency_key"),
    (changed(("project_id",), None), "project_missing", "project_id"),
    # One way to say what was asked, one to say what came back.
    (changed(("golden_set",), None), "one_set", ""),
    (changed(("described_set",), DESCRIBED), "one_set", ""),
    (changed(("questions",), None), "one_result", ""),
    (changed(("outcomes",), ROWS), "one_result", ""),
    (changed(("outcomes",), None, rows_body(questions=a_body()["questions"])), "set_not_told", ""),
    (
        changed(("outcomes", 1, "targets"), None, rows_body()),
        "invalid_report",
        "outcomes.1.targets",
    ),
    (changed(("outcomes", 0), ..., rows_body()), "question_missing", "outcomes"),
    (
        changed(("outcomes", 0, "position"), 1, rows_body()),
        "question_repeated",
        "outcomes.1.position",
    ),
    (changed(("outcomes", 0, "retrieved"), 0, rows_body()), "invalid_report", "outcomes.0"),
    (
        changed(("described_set", "name"), "x" * 256, rows_body()),
        "string_too_long",
        "described_set.name",
    ),
    (
        changed(("described_set", "identifier"), "a.holdout", rows_body()),
        "invalid_report",
        "described_set.identifier",
    ),
]


@only_sqlite
@pytest.mark.parametrize(("body", "code", "field"), REFUSED)
def test_what_breaks_a_rule_is_refused_by_code_and_place_and_nothing_is_stored(
    hub: Hub, body: dict[str, Any], code: str, field: str
) -> None:
    answer = publish(hub, body)

    problem = answer.json()
    assert answer.status_code == 422, problem
    fields = {one["field"]: one["code"] for one in problem.get("fields", [])}
    assert code in (problem["code"], *fields.values())
    if field:
        assert fields == {f"body.{field}": code}
    assert stored(hub) == 0
    # A key after a refusal is free (B-086).
    assert publish(hub).status_code == 201


@only_sqlite
def test_every_question_failed_is_no_result(hub: Hub) -> None:
    body = a_body()
    for one in body["questions"]:
        one |= {"ranking": None, "error_code": "TIMEOUT", "latency_ms": None}

    answer = publish(hub, body)

    assert (answer.status_code, answer.json()["code"]) == (422, "nothing_scored")
    assert stored(hub) == 0


@only_sqlite
def test_numbers_sent_as_ids_are_refused_as_the_case_says(hub: Hub) -> None:
    stated = case("B-037")
    asked = a_set(a_question("q1", "7"))
    for given in stated["given"]["bodies"]:
        ranking = [one["chunk_id"] for one in given["ranked_results"]]
        body = a_body(asked)
        body["questions"][0] |= {"question_id": given["case_id"], "ranking": ranking}

        answer = publish(hub, body)

        assert answer.status_code in stated["expected"]["each"]["status_in"]
        assert answer.json()["fields"]
    assert stored(hub) == stated["expected"]["each"]["stored_rows"]


@only_sqlite
def test_ids_that_look_like_something_else_stay_what_they_are(hub: Hub) -> None:
    ids = case("B-038")["given"]["ids"]
    asked = a_set(*(a_question(one, one) for one in ids))

    found = publish(hub, a_body(asked)).json()["evaluation"]

    assert found["counts"]["answerable_top1_hits"] == len(ids) == found["counts"]["questions"]


@only_sqlite
def test_bytes_that_are_not_utf8_travel_in_a_tag(hub: Hub) -> None:
    asked = a_set(a_question(b"q\xff", b"d\xff", text=b"t\xfe"), a_question("q", "d"))

    found = publish(hub, a_body(asked)).json()["evaluation"]

    assert found["counts"]["answerable_top1_hits"] == 2
    assert found["identity"]["labels"] == asked.labels_fingerprint


# The same call again -------------------------------------------------------------------------


def spellings(body: dict[str, Any]) -> list[bytes]:
    """One meaning in other bytes."""
    turned = {key: body[key] for key in reversed(body)}
    moved = {**body, "questions": body["questions"][::-1]}
    moved["golden_set"] = {
        **body["golden_set"],
        "questions": body["golden_set"]["questions"][::-1],
        "description": "",
    }
    numbered = copy.deepcopy(body)
    for one in numbered["questions"]:
        one["latency_ms"] = 4.40
        one["error_code"] = None
    return [
        json.dumps(body).encode(),
        json.dumps(turned).encode(),
        json.dumps(body, indent=3).encode(),
        json.dumps(body, ensure_ascii=False).encode(),
        json.dumps(moved).encode(),
        json.dumps(numbered).encode(),
    ]


@pytest.mark.proves("G-44", "G-54")
def test_the_same_meaning_in_other_bytes_is_answered_with_the_same_record(hub: Hub) -> None:
    asked = a_set(a_question("caf\u00e9", "d1", "d2"), a_question("q2", "d2"))
    body = a_body(asked, retriever="\u00e9")

    answers = [
        hub.call("POST", PATH, "operator", content=content, headers=JSON)
        for content in spellings(body)
    ]

    assert [one.status_code for one in answers] == [201, 200, 200, 200, 200, 200]
    assert all(one.json() == answers[0].json() for one in answers)
    assert stored(hub) == 1


@only_sqlite
@pytest.mark.proves("G-54")
def test_a_latency_is_a_number_however_it_is_written(hub: Hub) -> None:
    for key, spelt in (("K1", ("14", "14.0", "1.4e1")), ("K2", ("0", "0.0", "-0.0"))):
        body = json.dumps(a_body(idempotency_key=key))
        answers = [
            hub.call(
                "POST",
                PATH,
                "operator",
                content=body.replace("4.4", text).encode(),
                headers=JSON,
            )
            for text in spelt
        ]

        assert [one.status_code for one in answers] == [201, 200, 200]


@pytest.mark.proves("G-44")
@pytest.mark.parametrize(
    "other",
    [
        changed((*QUESTION, "latency_ms"), 5),
        changed((*QUESTION, "ranking"), ["d3", "d2"]),
        changed(("depth",), 13),
        changed(("provenance",), None),
        changed(("golden_set", "name"), "Another"),
    ],
)
def test_another_input_under_the_key_conflicts_and_changes_nothing(
    hub: Hub, other: dict[str, Any]
) -> None:
    first = publish(hub)
    answer = publish(hub, other)

    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")
    assert stored(hub) == 1
    assert publish(hub).json() == first.json()


@pytest.mark.proves("G-44", "G-58")
def test_the_key_of_another_sender_conflicts_and_tells_nothing_of_what_was_sent(
    hub: Hub, project: str
) -> None:
    add_client(hub, project, "one")
    add_client(hub, project, "two")
    moved = a_body(provenance=a_provenance(corpus="corpus-2"), idempotency_key="K2")
    publish(hub, role="one")
    first = publish(hub, moved, role="one").json()
    person = publish(hub, idempotency_key="K3").json()

    for role, body in (("two", moved), ("two", a_body(idempotency_key="K3"))):
        same, other = publish(hub, body, role=role), publish(hub, body, role=role, depth=13)

        assert (same.status_code, same.json()["code"]) == (409, "idempotency_conflict")
        # Not even whether it was the same.
        assert same.json() == other.json()
    assert stored(hub) == 3
    assert publish(hub, moved, role="one").json() == first
    assert publish(hub, idempotency_key="K3").json() == person


@only_sqlite
@pytest.mark.proves("G-44")
def test_an_operator_may_send_again_what_a_client_sent(hub: Hub, project: str) -> None:
    client = add_client(hub, project)
    first = publish(hub, role="consumer")

    again, other = publish(hub), publish(hub, depth=13)

    assert (again.status_code, again.json()) == (200, first.json())
    assert again.json()["publication"]["client_id"] == client
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


@only_sqlite
def test_a_key_belongs_to_its_project(hub: Hub, project: str) -> None:
    add_project(hub, "other")

    answers = [publish(hub, project_id=name) for name in ("search", "other", project)]

    assert [one.status_code for one in answers] == [201, 201, 200]
    assert answers[0].json() == answers[2].json()
    assert stored(hub) == 2


@pytest.mark.proves("G-44")
def test_many_of_one_key_at_the_same_moment_end_in_one_record(hub: Hub) -> None:
    # Case B-085 for publications.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda _: publish(hub), range(AT_ONCE)))
    last = publish(hub)

    assert sorted(one.status_code for one in answers) == [200] * (AT_ONCE - 1) + [201]
    assert last.status_code == 200
    assert {one.json()["evaluation"]["id"] for one in (*answers, last)} == {
        last.json()["evaluation"]["id"]
    }
    assert stored(hub) == 1


def test_after_a_purge_the_key_is_free_and_nothing_of_the_publication_is_left(hub: Hub) -> None:
    first = publish(hub).json()["evaluation"]["id"]
    hub.parts.database.run(lambda uow: uow.evaluations.delete(first, actor="tester"))
    found = hub.parts.database.read(lambda uow: uow.publications.find_by_evaluation(first))

    again = publish(hub)

    assert found is None
    assert again.status_code == 201
    assert again.json()["evaluation"]["id"] != first


# Who may, and what is told -------------------------------------------------------------------


@pytest.mark.proves("G-58", "G-60")
def test_a_publication_is_told_to_the_audit_once_and_a_refusal_is_not(
    hub: Hub, project: str
) -> None:
    client = add_client(hub, project)
    done = publish(hub, role="consumer").json()
    publish(hub, role="consumer")
    publish(hub, changed(QUESTION, ...), role="consumer", idempotency_key="K2")

    entries = hub.parts.database.read(
        lambda uow: uow.audit.list_latest(object_kind="evaluation", limit=9)
    )

    assert [(one.action, one.object_id, one.code, one.related_id) for one in entries] == [
        ("publish", done["evaluation"]["id"], "reported", project)
    ]
    assert entries[0].actor.id == client == done["publication"]["client_id"]


@only_sqlite
@pytest.mark.proves("G-58")
def test_a_service_client_reads_what_it_sent_and_nothing_else(hub: Hub, project: str) -> None:
    add_client(hub, project, "one")
    add_client(hub, project, "two")
    own = publish(hub, role="one").json()["evaluation"]["id"]
    other = publish(hub, idempotency_key="K2").json()["evaluation"]["id"]

    for path in ("", "/outcomes"):
        assert hub.call("GET", f"{PATH}/{own}{path}", "one").status_code == 200
        for role, identifier in (("two", own), ("one", other), ("one", "nobody")):
            answer = hub.call("GET", f"{PATH}/{identifier}{path}", role)
            assert (answer.status_code, answer.json()["code"]) == (404, "evaluation_not_found")
    assert hub.call("GET", PATH, "one").status_code == 403


@only_sqlite
@pytest.mark.proves("G-58")
def test_a_service_client_sends_to_its_own_project_and_needs_the_capability(
    hub: Hub, project: str
) -> None:
    from evenhand.core.access.roles import Capability

    foreign = add_project(hub, "other")
    add_client(hub, project, "one")
    add_client(hub, project, "embedder", Capability.EMBEDDING)

    for wanted in (foreign, "other", "nobody"):
        answer = publish(hub, role="one", project_id=wanted)
        assert (answer.status_code, answer.json()["code"]) == (404, "project_not_found")
    assert publish(hub, role="one", project_id=None).status_code == 201
    assert publish(hub, role="one", project_id=project).status_code == 200
    answer = publish(hub, role="embedder")
    assert (answer.status_code, answer.json()["code"]) == (403, "capability_missing")
    assert publish(hub, role="viewer").status_code == 403


@only_sqlite
def test_a_project_that_is_not_active_takes_nothing_new_and_still_answers_a_retry(
    hub: Hub, project: str
) -> None:
    from evenhand.usecases.registry import projects
    from tests.hub.publishing import SOMEBODY

    first = publish(hub)
    hub.parts.database.run(
        lambda uow: projects.change(
            uow, project, expected_version=1, active=False, actor=SOMEBODY, ids=hub.parts.ids
        )
    )

    refused = publish(hub, idempotency_key="K2")

    assert (refused.status_code, refused.json()["code"]) == (422, "inactive_project")
    assert publish(hub).json() == first.json()
