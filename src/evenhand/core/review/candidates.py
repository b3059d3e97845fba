"""Which of a reviewer's candidates become observations, and why does each other one not?

Every candidate is looked at by itself: one that breaks a rule is refused with a reason and its
index, and the others stay. Nothing is guessed, mended or filled in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.evidence import Admitted, Evidence
from evenhand.core.review.observation import Assessment, Finding, Presence, Severity

MAX_SUMMARY: Final = 255
MAX_RATIONALE: Final = 10_000
MAX_EVIDENCE_BYTES: Final = 65_536
UNREADABLE: Final = -1
"""The index of the one discard that stands for output that could not be read (BR-25)."""
_MEMBERS: Final = frozenset(
    {"practice", "presence", "assessment", "severity", "summary", "rationale", "evidence"}
)
_NEEDED: Final = frozenset({"practice", "presence", "summary"})

Word = TypeVar("Word", bound=StrEnum)


class RejectionReason(StrEnum):
    """Why a candidate was refused."""

    UNREADABLE_OUTPUT = "unreadable_output"
    NOT_AN_OBJECT = "not_an_object"
    UNKNOWN_FIELD = "unknown_field"
    MISSING_FIELD = "missing_field"
    INVALID_TEXT = "invalid_text"
    INVALID_WORD = "invalid_word"
    CONTRADICTION = "contradiction"
    INVALID_EVIDENCE = "invalid_evidence"
    EVIDENCE_NOT_STAGED = "evidence_not_staged"
    PRACTICE_NOT_ADMITTED = "practice_not_admitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A candidate that was refused; nothing of its content is kept.

    Attributes:
        position: its index, from 0; `UNREADABLE` for output that could not be read.
        reason: why.
    """

    position: int
    reason: RejectionReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A candidate that becomes an observation.

    Attributes:
        position: its index, from 0.
        revision_id: of the practice that the evidence snapshot admitted.
        finding: what it says.
    """

    position: int
    revision_id: str
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """A whole output, each candidate in one of two places, by position."""

    accepted: tuple[Accepted, ...]
    rejected: tuple[Rejection, ...]
    is_unreadable: bool = False

    @property
    def counts(self) -> CandidateCounts:
        """How many of each; unreadable output holds no candidate that could be seen."""
        persisted = len(self.accepted)
        rejected = 0 if self.is_unreadable else len(self.rejected)
        return CandidateCounts(
            seen=persisted + rejected,
            persisted=persisted,
            rejected=rejected,
            unreadable=self.is_unreadable,
        )


class _Refused(Exception):
    def __init__(self, reason: RejectionReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


def sort_candidates(candidates: Sequence[object] | None, evidence: Evidence) -> Sorted:
    """Each candidate as what becomes of it.

    Args:
        candidates: as decoded from JSON; None for output that could not be read.
        evidence: of the attempt: which practices were admitted, which files were staged.

    Source: statements BR-24, BR-25, G-28, G-29.
    """
    if candidates is None:
        unreadable = Rejection(position=UNREADABLE, reason=RejectionReason.UNREADABLE_OUTPUT)
        return Sorted(accepted=(), rejected=(unreadable,), is_unreadable=True)
    staged = frozenset(file.path for source in evidence.sources for file in source.files)
    accepted, rejected = [], []
    for position, candidate in enumerate(candidates):
        try:
            finding = _finding(candidate, staged)
            admitted = _admitted(evidence, finding)
        except _Refused as refused:
            rejected.append(Rejection(position=position, reason=refused.reason))
            continue
        accepted.append(
            Accepted(position=position, revision_id=admitted.revision_id, finding=finding)
        )
    return Sorted(accepted=tuple(accepted), rejected=tuple(rejected))


def _admitted(evidence: Evidence, finding: Finding) -> Admitted:
    admitted = evidence.admits(finding.practice)
    if admitted is None:
        raise _Refused(RejectionReason.PRACTICE_NOT_ADMITTED)
    return admitted


def _finding(candidate: object, staged: frozenset[str]) -> Finding:
    if not isinstance(candidate, dict):
        raise _Refused(RejectionReason.NOT_AN_OBJECT)
    if candidate.keys() - _MEMBERS:
        raise _Refused(RejectionReason.UNKNOWN_FIELD)
    if _NEEDED - candidate.keys():
        raise _Refused(RejectionReason.MISSING_FIELD)
    presence = _word(Presence, candidate["presence"])
    assessment = _optional_word(Assessment, candidate.get("assessment"))
    severity = _optional_word(Severity, candidate.get("severity"))
    if presence.is_assessed is (assessment is None):
        raise _Refused(RejectionReason.CONTRADICTION)
    if (assessment is Assessment.BAD) is (severity is None):
        raise _Refused(RejectionReason.CONTRADICTION)
    rationale = candidate.get("rationale")
    return Finding(
        practice=_text(candidate["practice"], MAX_SUMMARY),
        presence=presence,
        assessment=assessment,
        severity=severity,
        summary=_text(candidate["summary"], MAX_SUMMARY),
        rationale=None if rationale is None else _text(rationale, MAX_RATIONALE),
        paths=_paths(candidate.get("evidence", []), staged),
    )


def _paths(evidence: Any, staged: frozenset[str]) -> tuple[str, ...]:
    if not isinstance(evidence, list) or len(json_ascii_v1(evidence)) > MAX_EVIDENCE_BYTES:
        raise _Refused(RejectionReason.INVALID_EVIDENCE)
    if not all(isinstance(path, str) for path in evidence):
        raise _Refused(RejectionReason.INVALID_EVIDENCE)
    if not staged.issuperset(evidence):
        raise _Refused(RejectionReason.EVIDENCE_NOT_STAGED)
    return tuple(evidence)


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > most or "\0" in value:
        raise _Refused(RejectionReason.INVALID_TEXT)
    return value


def _word(words: type[Word], value: Any) -> Word:
    try:
        return words(value)
    except ValueError:
        raise _Refused(RejectionReason.INVALID_WORD) from None


def _optional_word(words: type[Word], value: Any) -> Word | None:
    return None if value is None else _word(words, value)
