"""Candidates one by one: each is an observation or a refusal with its index and its reason."""

from typing import Any

import pytest

from evenhand.core.review.candidates import (
    MAX_RATIONALE,
    MAX_SUMMARY,
    UNREADABLE,
    RejectionReason,
    sort_candidates,
)
from evenhand.core.review.evidence import Admitted
from evenhand.core.review.observation import occurrence_key
from tests.review_builders import JOB, REVISION, a_candidate, an_evidence

UNREADY = Admitted(slug="cites", revision_id="r2", not_ready=("no_passages",))


@pytest.mark.proves("R-23", "R-10")
def test_an_accepted_candidate_bears_the_revision_that_was_admitted() -> None:
    sorted_ = sort_candidates([a_candidate()], an_evidence())
    (accepted,) = sorted_.accepted
    assert (accepted.revision_id, accepted.position) == (REVISION, 0)
    assert not sorted_.rejected


@pytest.mark.proves("BR-25", "G-28", "R-48")
@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        ("text", RejectionReason.NOT_AN_OBJECT),
        (a_candidate(confidence=1), RejectionReason.UNKNOWN_FIELD),
        ({"practice": "grounded", "presence": "absent"}, RejectionReason.MISSING_FIELD),
        (a_candidate(summary=" "), RejectionReason.INVALID_TEXT),
        (a_candidate(summary="x" * (MAX_SUMMARY + 1)), RejectionReason.INVALID_TEXT),
        (a_candidate(rationale="x" * (MAX_RATIONALE + 1)), RejectionReason.INVALID_TEXT),
        (a_candidate(summary=7), RejectionReason.INVALID_TEXT),
        (a_candidate(presence="maybe"), RejectionReason.INVALID_WORD),
        (a_candidate(presence=["absent"]), RejectionReason.INVALID_WORD),
        (a_candidate(severity="huge"), RejectionReason.INVALID_WORD),
        (a_candidate(evidence="a"), RejectionReason.INVALID_EVIDENCE),
        (a_candidate(evidence=[1]), RejectionReason.INVALID_EVIDENCE),
        (a_candidate(evidence=["elsewhere"]), RejectionReason.EVIDENCE_NOT_STAGED),
    ],
)
def test_a_bad_candidate_is_refused_by_itself_and_the_others_stay(
    candidate: object, reason: RejectionReason
) -> None:
    found = sort_candidates([a_candidate(), candidate, a_candidate()], an_evidence())
    assert [one.position for one in found.accepted] == [0, 2]
    assert [(one.position, one.reason) for one in found.rejected] == [(1, reason)]
    assert (found.counts.seen, found.counts.persisted, found.counts.rejected) == (3, 2, 1)


@pytest.mark.proves("BR-24")
@pytest.mark.parametrize(
    "changed",
    [
        {"assessment": None, "severity": None},
        {"presence": "not_applicable"},
        {"presence": "inconclusive", "assessment": "good", "severity": None},
        {"assessment": "good"},
        {"severity": None},
    ],
)
def test_assessment_and_severity_stand_exactly_where_they_belong(changed: dict[str, Any]) -> None:
    found = sort_candidates([a_candidate(**changed)], an_evidence())
    assert [one.reason for one in found.rejected] == [RejectionReason.CONTRADICTION]


@pytest.mark.proves("G-29", "BR-12")
@pytest.mark.parametrize("practice", ["other", "cites"])
def test_a_candidate_for_a_practice_that_was_not_admitted_is_refused(practice: str) -> None:
    evidence = an_evidence(Admitted(slug="grounded", revision_id=REVISION), UNREADY)
    found = sort_candidates([a_candidate(practice=practice), a_candidate()], evidence)
    assert [one.reason for one in found.rejected] == [RejectionReason.PRACTICE_NOT_ADMITTED]
    assert len(found.accepted) == 1


@pytest.mark.proves("BR-25")
def test_unreadable_output_is_one_refusal_and_no_candidate() -> None:
    found = sort_candidates(None, an_evidence())
    assert [(one.position, one.reason.value) for one in found.rejected] == [
        (UNREADABLE, "unreadable_output")
    ]
    assert (found.counts.seen, found.counts.unreadable) == (0, True)
    assert not sort_candidates([], an_evidence()).counts.unreadable


@pytest.mark.proves("BR-23")
def test_an_occurrence_is_a_place_in_the_output_of_one_job() -> None:
    fields: dict[str, Any] = {
        "practice_slug": "grounded",
        "position": 0,
        "artifact_kind": "rag.answer",
        "artifact_id": "a1",
        "job_id": JOB,
    }
    other = {"practice_slug": "b", "position": 1, "artifact_id": "a2", "job_id": JOB[:-1] + "2"}
    keys = {occurrence_key(**fields | {name: value}) for name, value in other.items()}
    assert len(keys | {occurrence_key(**fields)}) == 5
