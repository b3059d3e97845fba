"""Every worked vector comes out, and an expectation that is wrong is found to be."""

import base64
import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.errors import InvalidFile
from evenhand.usecases.vectors.check import KINDS, FileResult, check_case, check_file, total

VECTORS = Path(__file__).parents[2] / "vectors"
DOCUMENTS = {path.stem: json.loads(path.read_bytes()) for path in sorted(VECTORS.glob("*.json"))}
CASES = [
    pytest.param(kind, case, id=f"{kind}-{case['name']}")
    for kind, document in DOCUMENTS.items()
    for case in document["cases"]
]
OWN = {"corpus_bytes_v1", "qrels_v1", "suite_revision_v1"}

Path_ = tuple[str | int, ...]

# Where a case of a kind states what it expects. A path that a case does not have is passed over.
EXPECTATIONS: dict[str, list[Path_]] = {
    "baseline_state": [
        ("state",),
        ("numeric_verdict",),
        ("exit_without_flag",),
        ("exit_with_flag",),
    ],
    "canonical_json": [("canonical",), ("sha256",), ("refused",)],
    "corpus_bytes_v1": [("manifest",), ("corpus_digest",), ("refused",)],
    "event_contract": [("accept",)],
    "inputs_digest": [("content_digests",), ("inputs_digest",)],
    "labels_bytes_v1": [("canonical",), ("labels_fingerprint",)],
    "lease": [
        ("final_state",),
        *(
            ("steps", step, key)
            for step in range(40)
            for key in ("result", "state", "expires_at", "deadline_at")
        ),
    ],
    "provenance_labels": [("accept",)],
    "qrels_v1": [("canonical",), ("qrels_digest",), ("scoring", "identity"), ("refused",)],
    "query_digest": [("canonical",), ("sha256",)],
    "recurrence_key": [("recurrence_key",)],
    "regression_arithmetic": [("top1_regressed",), ("top3_regressed",), ("regression",)],
    "retrieval_bytes_v1": [("expected",), ("bytes_b64",), ("refused",)],
    "root_digest": [("root_digest",), ("refused",)],
    "run_fingerprints": [
        ("benchmark_fingerprint",),
        ("variant_fingerprint",),
        ("benchmark_canonical",),
        ("variant_canonical",),
    ],
    "suite_revision_v1": [("canonical",), ("content_digest",), ("refused",)],
}


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_a_worked_case_comes_out(kind: str, case: dict[str, Any]) -> None:
    assert check_case(kind, case, DOCUMENTS[kind].get("defaults", {})) == []


def test_the_worked_vectors_are_230_and_our_own_come_in_addition() -> None:
    given = [kind for kind, _ in (param.values for param in CASES) if kind not in OWN]
    assert len(given) == 230
    assert set(DOCUMENTS) == set(KINDS)
    assert len(DOCUMENTS["corpus_bytes_v1"]["cases"]) == 5


def test_the_copies_equal_their_originals() -> None:
    default = Path(__file__).parents[4] / "shared"
    originals = Path(os.environ.get("EVENHAND_SHARED", default)) / "vectors"
    if not originals.is_dir():
        pytest.skip("the folder with the original vectors is not here (EVENHAND_SHARED)")
    for original in originals.glob("*.json"):
        assert (VECTORS / original.name).read_bytes() == original.read_bytes()


def altered(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case list():
            return [*value, "x"]
        case dict():
            return value | {"x": "y"}
        case _:
            return "x"


def alterations(kind: str, case: dict[str, Any]) -> Iterator[tuple[Path_, dict[str, Any]]]:
    for path in EXPECTATIONS[kind]:
        changed = copy.deepcopy(case)
        holder: Any = changed
        try:
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = altered(holder[path[-1]])
        except LookupError:
            continue
        # In an encoding, `bytes_b64` is what is given: changed bytes are a fair case as well.
        if path == ("bytes_b64",):
            if case["op"] == "encode_at_full":
                continue
            changed["bytes_b64"] = base64.b64encode(b"altered").decode()
        yield path, changed


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_an_altered_expectation_is_reported(kind: str, case: dict[str, Any]) -> None:
    found = {
        path: bool(check_case(kind, changed, DOCUMENTS[kind].get("defaults", {})))
        for path, changed in alterations(kind, case)
    }
    assert found
    assert all(found.values()), found


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_a_case_without_its_expectations_is_reported(kind: str, case: dict[str, Any]) -> None:
    keys = {path[0] for path in EXPECTATIONS[kind]}
    bare = {key: value for key, value in case.items() if key not in keys}
    assert check_case(kind, bare, DOCUMENTS[kind].get("defaults", {}))


@pytest.mark.parametrize("kind", list(DOCUMENTS))
def test_one_altered_case_of_a_file_is_one_failure_with_its_name(kind: str) -> None:
    document = copy.deepcopy(DOCUMENTS[kind])
    _, document["cases"][0] = next(alterations(kind, document["cases"][0]))
    result = check_file(f"{kind}.json", document)
    assert [failure.name for failure in result.failed] == [document["cases"][0]["name"]]
    assert result.failed[0].why
    assert result.passed == len(document["cases"]) - 1


@pytest.mark.parametrize(
    "value",
    [
        {"$py": "bytes_b64", "value": "YQ=="},
        {"$py": "int", "value": "7"},
        {"$py": "date", "value": "2026-09-09"},
        {"$py": "tuple", "value": [{"$py": "int", "value": "7"}]},
    ],
    ids=lambda value: value["$py"],
)
def test_each_python_spelling_is_built(value: object) -> None:
    texts = {"bytes_b64": "\"b'a'\"", "int": "7", "date": '"2026-09-09"', "tuple": "[7]"}
    assert isinstance(value, dict)
    case = {"name": "x", "settings": {"x": value}, "sha256": ""}
    (why,) = check_case(
        "canonical_json", case | {"canonical": f'{{"x":{texts[value["$py"]]}}}'}, {}
    )
    assert why.startswith("sha256: ")


def test_a_value_that_holds_itself_is_refused() -> None:
    cycle = {"name": "x", "settings": {"x": {"$py": "cycle"}}, "refused": "ValueError"}
    assert check_case("canonical_json", cycle, {}) == []


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"cases": {}},
        {"cases": []},
        {"cases": ["x"]},
        {"cases": [{}]},
        {"cases": [{"name": 7}]},
        {"cases": [{"name": "x"}, {"name": "x"}]},
        {"cases": [{"name": "x"}], "defaults": []},
    ],
    ids=repr,
)
def test_a_file_without_named_cases_is_refused(document: object) -> None:
    with pytest.raises(InvalidFile):
        check_file("lease.json", document)


def test_a_file_of_unknown_kind_is_refused() -> None:
    with pytest.raises(InvalidFile, match=r"leases\.json"):
        check_file("leases.json", DOCUMENTS["lease"])


def test_a_case_that_cannot_be_run_is_a_failure_and_not_an_error() -> None:
    result = check_file("lease.json", {"cases": [{"name": "empty", "steps": []}]})
    assert result.passed == 0
    assert "cannot be run" in result.failed[0].why


def test_a_sum_counts_passed_and_all() -> None:
    results = [check_file(f"{kind}.json", document) for kind, document in DOCUMENTS.items()]
    assert total(results) == (249, 249)
    assert total([FileResult(file="x.json", passed=2, failed=results[0].failed)]) == (2, 2)
