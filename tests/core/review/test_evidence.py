"""What was at hand: each source says its state, each practice its very revision."""

import json
from typing import Any

import pytest

from evenhand.core.errors.identity import InvalidPath
from evenhand.core.errors.review import InvalidEvidence
from evenhand.core.review.evidence import (
    Admitted,
    Completeness,
    Source,
    SourceState,
    StagedFile,
)
from tests.builders import START
from tests.review_builders import REVISION, an_evidence

THERE: dict[str, Any] = {
    "kind": "k",
    "state": SourceState.AVAILABLE,
    "completeness": Completeness.COMPLETE,
    "is_empty": False,
}
A_FILE = StagedFile(path="a", sha256="0" * 64)


@pytest.mark.proves("R-22", "R-10", "BR-12")
def test_the_snapshot_holds_the_very_revision_of_each_admitted_practice() -> None:
    stored = json.loads(an_evidence().text)
    assert stored["practices"] == [{"slug": "grounded", "revision_id": REVISION}]
    assert stored["manifest"]["captured_at"] == START.isoformat()


@pytest.mark.proves("R-24")
def test_the_admitted_revision_does_not_depend_on_a_time() -> None:
    early, late = an_evidence(), an_evidence(captured_at=START.replace(year=2020))
    assert early.admits("grounded") == late.admits("grounded")


@pytest.mark.proves("R-09")
def test_a_checkout_s_revision_is_in_the_manifest() -> None:
    stored = json.loads(an_evidence(repository_revision="abc").text)
    assert stored["manifest"]["repository_revision"] == "abc"


@pytest.mark.proves("BR-13")
def test_a_practice_is_ready_exactly_without_a_reason() -> None:
    unready = Admitted(slug="cites", revision_id=REVISION[:-1] + "2", not_ready=("no_passages",))
    evidence = an_evidence(Admitted(slug="grounded", revision_id=REVISION), unready)
    assert [one["ready"] for one in json.loads(evidence.readiness)] == [True, False]
    assert [one.slug for one in evidence.ready] == ["grounded"]
    assert evidence.admits("cites") is evidence.admits("other") is None


@pytest.mark.proves("BR-11")
@pytest.mark.parametrize(
    "changed",
    [
        {"reason": "why"},
        {"completeness": None},
        {"is_empty": None},
        {"limitations": ("half",)},
        {"state": SourceState.REDACTED},
        {"state": SourceState.UNAVAILABLE, "completeness": None, "is_empty": None},
        {
            "state": SourceState.NOT_COLLECTED,
            "completeness": None,
            "is_empty": None,
            "reason": "why",
            "files": (A_FILE,),
        },
    ],
)
def test_a_source_is_looked_at_or_says_why_not(changed: dict[str, Any]) -> None:
    assert Source(**THERE, files=(A_FILE,)).reason is None
    with pytest.raises(InvalidEvidence):
        Source(**THERE | changed)


@pytest.mark.proves("BR-11")
@pytest.mark.parametrize(
    "changed",
    [
        {"catalogue_digest": "x"},
        {"practices": ()},
        {"sources": (Source(**THERE), Source(**THERE))},
        {"sources": (Source(**THERE, files=(A_FILE, A_FILE)),)},
        {"sources": (Source(**THERE, files=(StagedFile(path="a", sha256="x"),)),)},
        {"practices": (Admitted(slug="a", revision_id="1"), Admitted(slug="a", revision_id="2"))},
        {"practices": (Admitted(slug="a", revision_id="1"), Admitted(slug="b", revision_id="1"))},
    ],
)
def test_no_kind_path_practice_or_revision_occurs_twice(changed: dict[str, Any]) -> None:
    with pytest.raises(InvalidEvidence):
        an_evidence(**changed)


@pytest.mark.proves("G-22")
def test_a_staged_path_is_a_safe_one() -> None:
    with pytest.raises(InvalidPath):
        an_evidence(sources=(Source(**THERE, files=(StagedFile(path="../a", sha256="0" * 64),)),))
