"""What does the API tell of a suite revision and its cases, and how is one frozen?

Labels are for people: a consumer gets the cases of its claim without them (statement G-49).
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from evenhand.core.retrieval import suite_revision as core
from evenhand.wire.golden_sets import GoldenSet, Grade, LabelProvenance, Text, text_to_wire
from evenhand.wire.paging import WholeNumber
from evenhand.wire.shapes import Answer, Sha256, Strict


class NewRevision(Strict):
    """What to freeze: a golden set over a corpus, with retrieval settings."""

    corpus_sha256: Sha256
    retrieval_settings: dict[str, Any] = Field(
        description="Frozen with the cases; at most 16 levels and 65536 characters."
    )
    retrieval_config_sha256: Sha256 | None = Field(
        default=None, description="Refused where it is not the digest of the settings."
    )
    golden_set: GoldenSet | None = Field(default=None, description="The set itself.")
    golden_set_identifier: str | None = Field(
        default=None, min_length=1, max_length=255, description="Or one imported into the store."
    )

    @model_validator(mode="after")
    def _one_set(self) -> NewRevision:
        if (self.golden_set is None) is (self.golden_set_identifier is None):
            code, rule = "one_golden_set", "exactly one of the two ways to name a golden set"
            raise PydanticCustomError(code, rule)
        return self


class CasesQuery(BaseModel):
    """Which cases of a revision a page is of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: WholeNumber = Field(default=100, ge=1, le=100, description="How many cases at most.")
    after: WholeNumber = Field(
        default=-1, ge=-1, le=2**31 - 1, description="Cases behind this position; -1 is all."
    )


class FrozenBy(Answer):
    """Who froze a revision."""

    kind: Literal["operator", "viewer", "service_client", "command_line", "hub"]
    id: str | None = Field(description="Null for the command line, which has none.")


class RevisionSet(Answer):
    """The golden set that was frozen."""

    identifier: str
    name: str
    description: str


class SuiteRevision(Answer):
    """An immutable revision: identities and numbers."""

    id: str
    suite_id: str
    project_id: str
    number: int = Field(description="1 for the first of its suite.")
    created_at: datetime
    frozen_by: FrozenBy
    golden_set: RevisionSet
    corpus_sha256: str
    retrieval_config_sha256: str
    content_digest: str
    labels_fingerprint: str
    case_count: int
    critical_count: int


class SuiteRevisionDetail(SuiteRevision):
    """The same with its retrieval settings."""

    retrieval_settings: dict[str, Any]


class SuiteCase(Answer):
    """A case with its labels."""

    case_id: str
    position: int
    question_id: Text
    query: Text
    query_digest: str = Field(description="By which a gateway request proves that it was sent.")
    form: Literal["match", "gap"]
    critical: bool
    hard_class: Text | None
    answer_gist: Text | None
    expected_document_ids: list[Text]
    grades: list[Grade] = Field(description="Empty where they say no more than the targets.")
    label_provenance: LabelProvenance


class CasesPage(Answer):
    """Some cases, in order of position, which is byte order of the question ids."""

    items: list[SuiteCase]
    next_after: int | None = Field(description="Null on the last page.")


def revision_to_wire(revision: core.SuiteRevision) -> SuiteRevision:
    """Identities and numbers."""
    return SuiteRevision(**_members(revision))


def detail_to_wire(revision: core.SuiteRevision) -> SuiteRevisionDetail:
    """The same with its settings."""
    return SuiteRevisionDetail(**_members(revision), retrieval_settings=revision.settings.value)


def case_to_wire(case: core.SuiteCase) -> SuiteCase:
    """A case with its labels."""
    question = case.question
    return SuiteCase(
        case_id=case.case_id,
        position=case.position,
        question_id=text_to_wire(question.id),
        query=text_to_wire(question.question),
        query_digest=case.query_digest,
        form=question.form.value,
        critical=question.critical,
        hard_class=_optional(question.hard_class),
        answer_gist=_optional(question.answer_gist),
        expected_document_ids=list(map(text_to_wire, question.expected_document_ids)),
        grades=[Grade(id=text_to_wire(one), grade=grade) for one, grade in question.grades],
        label_provenance=LabelProvenance(**asdict(case.label_provenance)),
    )


def _members(revision: core.SuiteRevision) -> dict[str, Any]:
    return {
        "id": revision.id,
        "suite_id": revision.suite_id,
        "project_id": revision.project_id,
        "number": revision.number,
        "created_at": revision.created_at,
        "frozen_by": FrozenBy(kind=revision.frozen_by.kind.value, id=revision.frozen_by.id),
        "golden_set": RevisionSet(
            identifier=revision.set_identifier,
            name=revision.set_name,
            description=revision.set_description,
        ),
        "corpus_sha256": revision.corpus_sha256,
        "retrieval_config_sha256": revision.retrieval_config_sha256,
        "content_digest": revision.content_digest,
        "labels_fingerprint": revision.labels_fingerprint,
        "case_count": revision.case_count,
        "critical_count": revision.critical_count,
    }


def _optional(content: bytes | None) -> Text | None:
    return None if content is None else text_to_wire(content)
