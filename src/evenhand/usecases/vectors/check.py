"""Does each case of a vector file come out as the file says?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evenhand.core.errors import InvalidFile
from evenhand.usecases.vectors import decisions, digests, json_forms, suites
from evenhand.usecases.vectors.expectation import Case, CaseCheck

KINDS: Final[Mapping[str, CaseCheck]] = {
    "baseline_state": decisions.check_baseline_state,
    "canonical_json": json_forms.check_canonical_json,
    "corpus_bytes_v1": digests.check_corpus_bytes,
    "event_contract": decisions.check_event_contract,
    "inputs_digest": digests.check_inputs_digest,
    "labels_bytes_v1": digests.check_labels_bytes,
    "lease": decisions.check_lease,
    "provenance_labels": decisions.check_provenance_labels,
    "qrels_v1": digests.check_qrels,
    "query_digest": json_forms.check_query_digest,
    "recurrence_key": digests.check_recurrence_key,
    "regression_arithmetic": decisions.check_regression_arithmetic,
    "retrieval_bytes_v1": digests.check_retrieval_bytes,
    "root_digest": digests.check_root_digest,
    "run_fingerprints": decisions.check_run_fingerprints,
    "suite_revision_v1": suites.check_suite_revision,
}
"""Which check runs the cases of which file; the key is the file's name without ``.json``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A case that did not come out.

    Attributes:
        name: the case's name, unique within its file.
        why: what differed, one line.
    """

    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileResult:
    """What became of one vector file.

    Attributes:
        file: its name.
        passed: how many cases came out.
        failed: the others, in the order of the file.
    """

    file: str
    passed: int
    failed: tuple[Failure, ...]

    @property
    def cases(self) -> int:
        """All cases of the file."""
        return self.passed + len(self.failed)


def check_file(name: str, document: object) -> FileResult:
    """Run each case of a vector file against this package.

    Args:
        name: the file's name, such as ``lease.json``; it decides which check runs.
        document: its decoded JSON: an object with a list ``cases`` and perhaps ``defaults``.

    Raises:
        InvalidFile: no check knows the file, it has no cases, or its cases are not objects with
            names of their own. Nothing is skipped in silence.
    """
    kind = name.removesuffix(".json")
    if kind not in KINDS:
        raise InvalidFile(name, "is no known kind of vector file")
    cases, defaults = _parts(name, document)
    failed: list[Failure] = []
    for case in cases:
        whys = check_case(kind, case, defaults)
        if whys:
            failed.append(Failure(name=case["name"], why="; ".join(whys)))
    return FileResult(file=name, passed=len(cases) - len(failed), failed=tuple(failed))


def check_case(kind: str, case: Case, defaults: Case) -> list[str]:
    """What did not come out of one case; empty where it passed.

    Args:
        kind: one of ``KINDS``.
        case: the case.
        defaults: the file's defaults, empty where it has none.
    """
    try:
        return list(KINDS[kind](case, defaults))
    except KeyError as error:
        return [f"cannot be run: {error.args[0]!r} is missing or not known"]
    except Exception as error:  # noqa: BLE001 -- whatever the package raises is the finding
        return [f"cannot be run: {type(error).__name__}: {error}"]


def total(results: Iterable[FileResult]) -> tuple[int, int]:
    """How many cases passed, and how many there are."""
    listed = list(results)
    return sum(result.passed for result in listed), sum(result.cases for result in listed)


def _parts(name: str, document: object) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    if not isinstance(document, dict):
        raise InvalidFile(name, "must hold one JSON object")
    cases, defaults = document.get("cases"), document.get("defaults", {})
    if not isinstance(cases, list) or not cases or not isinstance(defaults, dict):
        raise InvalidFile(name, "must hold a list of cases, and defaults only as an object")
    names: set[str] = set()
    for case in cases:
        if not isinstance(case, dict) or not isinstance(case.get("name"), str):
            raise InvalidFile(name, "has a case without a name")
        if case["name"] in names:
            raise InvalidFile(name, "has two cases of one name")
        names.add(case["name"])
    return cases, defaults
