"""By which criteria is reviewed? A practice is a name; what is judged by is a revision of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue
from evenhand.core.identity.canonical import json_ascii_v1_digest, sha256_hex, to_bytes
from evenhand.core.review.states import ArtifactKind

MAX_TITLE: Final = 255
MAX_CRITERIA: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What a revision of a practice says.

    Attributes:
        artifact_kind: what it judges.
        title: for people, 1 to 255 characters.
        group: of practices that belong together.
        text: the rubric itself, 1 to 65536 characters.

    Raises:
        InvalidValue: a text that is too short or too long.
    """

    artifact_kind: ArtifactKind
    title: str
    group: str
    text: str

    def __post_init__(self) -> None:
        for name, most in (("title", MAX_TITLE), ("group", MAX_TITLE), ("text", MAX_CRITERIA)):
            if not 1 <= len(getattr(self, name)) <= most:
                raise InvalidValue(name, _length(most))

    @property
    def text_sha256(self) -> str:
        """SHA-256 of the rubric's UTF-8 without blanks around, as whoever judges states it."""
        return sha256_hex(to_bytes(self.text.strip(), field="text"))

    @property
    def digest(self) -> str:
        """Digest of all of it (the C-92 rule), 64 lowercase hex digits."""
        return json_ascii_v1_digest(
            {
                "schema": "practice-revision-v1",
                "artifact_kind": self.artifact_kind.value,
                "title": self.title,
                "group": self.group,
                "text": self.text,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeRevision:
    """An immutable revision of a practice.

    Attributes:
        id: UUIDv7 text; what observations name.
        practice_id, practice_name, project_id: whose.
        number: 1 for the first of its practice.
        created_at: aware UTC.
        made_by: who.
        criteria: what it says.
    """

    id: str
    practice_id: str
    practice_name: str
    project_id: str
    number: int
    created_at: datetime
    made_by: Actor
    criteria: Criteria


def _length(most: int) -> str:
    return f"must have 1 to {most} characters"
