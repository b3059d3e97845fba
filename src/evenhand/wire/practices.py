"""What does the API tell of practices and their revisions, and how is one written down?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from evenhand.core.registry import practice as core
from evenhand.core.review.practice import MAX_CRITERIA, MAX_TITLE, Criteria
from evenhand.core.review.practice import PracticeRevision as CoreRevision
from evenhand.core.review.states import ArtifactKind
from evenhand.wire.registered import (
    Active,
    Change,
    Changeable,
    NewRegistered,
    registered_members,
)
from evenhand.wire.shapes import Answer, Strict

ArtifactKindName = Literal["rag.answer", "rag.retrieval_run"]
Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]


class NewPractice(NewRegistered):
    """What to make."""

    project_id: str


class PracticeChange(Change):
    """What to change."""

    active: Active = True


class Practice(Changeable):
    """A name under which criteria for reviews are kept."""

    project_id: str


class NewPracticeRevision(Strict):
    """Criteria to write down for good."""

    artifact_kind: ArtifactKindName = Field(description="What they judge.")
    title: Title
    group: Title = "general"
    text: Annotated[str, Field(min_length=1, max_length=MAX_CRITERIA)]

    def to_core(self) -> Criteria:
        """The value."""
        return Criteria(
            artifact_kind=ArtifactKind(self.artifact_kind),
            title=self.title,
            group=self.group,
            text=self.text,
        )


class MadeBy(Answer):
    """Who wrote criteria down."""

    kind: Literal["operator", "viewer", "service_client", "command_line", "hub"]
    id: str | None = Field(description="Null for the command line, which has none.")


class PracticeRevision(Answer):
    """Criteria as they are for good."""

    id: str = Field(description="What evidence and observations name.")
    practice_id: str
    practice: str
    project_id: str
    number: int = Field(description="1 for the first of its practice.")
    created_at: datetime
    made_by: MadeBy
    artifact_kind: ArtifactKindName
    title: str
    group: str
    text: str
    content_digest: str


def practice_to_wire(one: core.Practice) -> Practice:
    """All of it."""
    return Practice(**registered_members(one), project_id=one.project_id)


def revision_to_wire(one: CoreRevision) -> PracticeRevision:
    """All of it."""
    return PracticeRevision(
        id=one.id,
        practice_id=one.practice_id,
        practice=one.practice_name,
        project_id=one.project_id,
        number=one.number,
        created_at=one.created_at,
        made_by=MadeBy(kind=one.made_by.kind.value, id=one.made_by.id),
        artifact_kind=one.criteria.artifact_kind.value,
        title=one.criteria.title,
        group=one.criteria.group,
        text=one.criteria.text,
        content_digest=one.criteria.digest,
    )
