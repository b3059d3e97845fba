"""What was found, and which observations of different runs are about the same concern?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.errors import InvalidText
from evenhand.core.identity.canonical import sha256_hex, to_bytes

_SEPARATOR: Final = "\x1f"
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_BLANKS: Final = re.compile(r" +")


class Presence(StrEnum):
    """Whether what the practice asks about was found."""

    PRESENT = "present"
    ABSENT = "absent"
    NOT_APPLICABLE = "not_applicable"
    INCONCLUSIVE = "inconclusive"

    @property
    def is_assessed(self) -> bool:
        """Whether it is good or bad (BR-24)."""
        return self in (Presence.PRESENT, Presence.ABSENT)


class Assessment(StrEnum):
    """Whether what was found is as the practice wants it."""

    GOOD = "good"
    BAD = "bad"


class Severity(StrEnum):
    """How bad."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an observation says, before it is anybody's.

    Attributes:
        practice: name of the practice it is about.
        presence: whether what is asked about was found.
        assessment: good or bad exactly where that was decided, else None.
        severity: of what is bad, else None.
        summary: 1 to 255 characters.
        rationale: at most 10000 characters, or None.
        paths: of staged files that it rests on, in order.
    """

    practice: str
    presence: Presence
    assessment: Assessment | None
    severity: Severity | None
    summary: str
    rationale: str | None
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A finding that was persisted; it never changes.

    Attributes:
        id: UUIDv7 text.
        job_id, attempt: which review found it.
        practice_revision_id: by which criteria, as its evidence snapshot admitted them (R-23).
        position: index in the output, from 0.
        occurrence_key: the same for the same place of the same job.
        recurrence_key: the same for the same concern of any job.
        presence, assessment, severity: as of the `Finding`.
        summary, rationale: what privacy keeps of them, None for nothing.
        paths: the same, of the staged files.
        created_at: aware UTC.
    """

    id: str
    job_id: str
    attempt: int
    practice_revision_id: str
    position: int
    occurrence_key: str
    recurrence_key: str
    presence: Presence
    assessment: Assessment | None
    severity: Severity | None
    summary: str | None
    rationale: str | None
    paths: tuple[str, ...] | None
    created_at: datetime


def occurrence_key(
    *, practice_slug: str, position: int, artifact_kind: str, artifact_id: str, job_id: str
) -> str:
    """Key of one place in one job's output: to insert it again is to insert it once.

    Returns:
        64 lowercase hex digits.

    Raises:
        InvalidText: a field holds the separator U+001F, or a lone surrogate.

    Source: statement BR-23.
    """
    fields = (practice_slug, str(position), artifact_kind, artifact_id, job_id)
    if any(_SEPARATOR in value for value in fields):
        raise InvalidText("occurrence key", "must not hold U+001F")
    return sha256_hex(to_bytes(_SEPARATOR.join(fields), field="occurrence key"))


def recurrence_key(
    *,
    practice_slug: str,
    artifact_kind: str,
    artifact_id: int | str,
    subject_id: int | str,
    first_evidence_path: str | None,
) -> str:
    """Key that an observation shares with the same concern in other runs.

    It says what the observation is about, never when or by which job it was made: no job, line,
    time or summary text goes in, for those differ from run to run. The path is normalised, so
    that case and spacing do not split a concern: ASCII controls are deleted, runs of blanks
    become one, blanks at the ends go, letters become lowercase.

    Args:
        practice_slug: stable name of the practice.
        artifact_kind: for example ``rag.answer``.
        artifact_id: the artifact under review.
        subject_id: whom or what the observation is about.
        first_evidence_path: path of the first evidence, without a line; None where there is none.

    Returns:
        64 lowercase hex digits.

    Raises:
        InvalidText: a field holds the separator U+001F, or a lone surrogate.

    Source: statement BR-23.
    """
    fields = {
        "practice_slug": practice_slug,
        "artifact_kind": artifact_kind,
        "artifact_id": str(artifact_id),
        "subject_id": str(subject_id),
    }
    for field, value in fields.items():
        if _SEPARATOR in value:
            raise InvalidText(field, "must not hold U+001F")
    path = "" if first_evidence_path is None else _normalised(first_evidence_path)
    key = _SEPARATOR.join([*fields.values(), path])
    return sha256_hex(to_bytes(key, field="recurrence key"))


def _normalised(path: str) -> str:
    # Controls go first: a tab is deleted, not turned into a blank.
    return _BLANKS.sub(" ", _CONTROLS.sub("", path)).strip(" ").lower()
