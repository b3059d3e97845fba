"""Runs the public cases of ``tests/cases``: one adapter a kind, the cases stay as they came.

Those that need commands and a database are in `cases_product`, those of files in `cases_sets`.
An adapter gives what did not hold; nothing where all of it did. A part of ``expected`` that it
does not know is a finding too, so that nothing passes unseen.
"""

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evenhand.core.comparison.baseline import baseline_verdict
from evenhand.core.identity.canonical import json_ascii_v1, json_ascii_v1_digest
from evenhand.core.identity.labels_bytes import LabelRow, labels_fingerprint
from evenhand.core.identity.provenance import RetrievalProvenance, build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from tests import cases_compare, cases_files, cases_metrics

FOLDER = Path(__file__).parent / "cases"
Case = dict[str, Any]


def load(case_id: str) -> Case:
    """The case of an id such as ``B-070``."""
    (path,) = FOLDER.glob(f"{case_id}-*.json")
    case: Case = json.loads(path.read_bytes())
    return case


def run(case: Case) -> list[str]:
    """What did not hold of a case; empty where it passed."""
    return list(_ADAPTERS[case["kind"]](case["given"], case["expected"]))


def _digest(given: Case, expected: Case) -> Iterator[str]:
    values = [json.loads(base64.b64decode(text)) for text in given["values_b64"]]
    found: Case = {"sha256": [json_ascii_v1_digest(value) for value in values]}
    if "refused_b64" in given:
        refused = [_is_refused(base64.b64decode(text)) for text in given["refused_b64"]]
        found["refused"] = "each" if all(refused) else "not each"
    yield from _unequal(expected, found)
    if "canonical" in given:
        texts = [json_ascii_v1(value) for value in values]
        yield from _unequal({"canonical": given["canonical"]}, {"canonical": texts})


def _is_refused(content: bytes) -> bool:
    try:
        json_ascii_v1_digest(json.loads(content))
    except ValueError:
        return True
    return False


def _property(given: Case, expected: Case) -> Iterator[str]:
    if "measures" in given:
        return cases_metrics.check_measures(given, expected)
    return cases_compare.check_compare(given, expected)


def _store(given: Case, expected: Case) -> Iterator[str]:
    """The digest half of a revision's life; what needs a store is not looked at here."""
    suites: dict[str, list[Case]] = {}
    runs: dict[str, StoredIdentity] = {}
    found: Case = {}
    for verb, *arguments in given["steps"]:
        match verb, arguments:
            case "create_suite", [name, revision]:
                suites[f"{name}@{revision}"] = _numbered_questions(9)
            case "edit_target", [question, before, after]:
                (first,) = suites
                suites["S@r2"] = _edited(suites[first], question, before, after)
            case "run", [name, suite]:
                runs[name] = _identity(suites[suite])
            case "compare", [one, other]:
                verdict = baseline_verdict(runs[other], runs[one], has_previous=True)
                found["compare"] = {
                    "comparable": verdict.is_comparable,
                    "names": [reason.dimension.value for reason in verdict.reasons],
                }
    r1, r2 = (_labels(suite) for suite in suites.values())
    found["r1_digest != r2_digest"] = r1 != r2
    yield from _unequal({key: expected.get(key) for key in found}, found)


def _numbered_questions(count: int) -> list[Case]:
    return [
        {
            "id": f"q{n}",
            "text": f"t{n}",
            "form": "match",
            "hard_class": None,
            "target_ids": [f"d{n}"],
        }
        for n in range(1, count + 1)
    ]


def _edited(questions: list[Case], name: str, before: str, after: str) -> list[Case]:
    return [
        question
        | {
            "target_ids": [
                after if question["id"] == name and target == before else target
                for target in question["target_ids"]
            ]
        }
        for question in questions
    ]


def _identity(questions: list[Case]) -> StoredIdentity:
    provenance = RetrievalProvenance("corpus-v1", "embed-v1", "chunk-v1", "pipeline-v1")
    fingerprints = build_fingerprints(provenance, _labels(questions), "scoring-v1")
    return StoredIdentity(provenance=provenance, fingerprints=fingerprints)


def _labels(questions: list[Case]) -> str:
    return labels_fingerprint(
        LabelRow(
            id=question["id"].encode(),
            question=question["text"].encode(),
            form=question["form"],
            hard_class=None if question["hard_class"] is None else question["hard_class"].encode(),
            targets=tuple(target.encode() for target in question["target_ids"]),
        )
        for question in questions
    )


def _unequal(expected: Case, found: Case) -> Iterator[str]:
    for key in expected.keys() | found.keys():
        if key not in expected or key not in found or expected[key] != found[key]:
            yield f"{key}: expected {expected.get(key)!r}, found {found.get(key)!r}"


_ADAPTERS: dict[str, Callable[[Case, Case], Iterator[str]]] = {
    "digest": _digest,
    "property": _property,
    "store": _store,
    "compare": cases_compare.check_compare,
    "import": cases_files.check_import,
    "metric": cases_metrics.check_measures,
}
