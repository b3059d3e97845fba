"""What is frozen in a revision of a suite, and which digest says what was frozen?

A suite is a name in a project (`core.registry.suite`); its revisions hold the questions and never
change. Whether a set may be frozen at all is `core.retrieval.suite`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import Invalid
from evenhand.core.errors.registry import InvalidSuite
from evenhand.core.identity.canonical import b64, json_ascii_v1_digest, query_digest
from evenhand.core.identity.settings_digest import RetrievalSettings, hold_settings
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.core.retrieval.suite import SuiteContent

#: The name of the shape that the content digest covers; another shape gets another name.
CONTENT_SCHEMA: Final = "evenhand.suite-revision/1"

_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCase:
    """One question of a revision.

    Attributes:
        case_id: UUIDv7 text, made when the revision was frozen; what the wire calls a case.
        position: its place in byte order of the question ids, from 0, which is also the position
            of its outcome in an evaluation.
        question: what is asked and its labels.
    """

    case_id: str
    position: int
    question: GoldenQuestion

    @property
    def query_digest(self) -> str:
        """By which a gateway request proves that it embedded this query (statement C-95)."""
        return query_digest(self.question.question)

    @property
    def label_provenance(self) -> LabelProvenance:
        """Against which corpus its labels were made.

        Raises:
            Invalid: nobody said, so it is no case of a suite.
        """
        if self.question.label_provenance is None:
            raise Invalid("label_provenance: every case of a suite has one")
        return self.question.label_provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRevision:
    """An immutable revision of a suite: its identities and numbers, without its cases.

    Attributes:
        id: UUIDv7 text.
        suite_id, project_id: whose it is.
        number: 1 for the first of its suite, without a gap.
        created_at: aware UTC; when it was frozen.
        frozen_by: by whom.
        set_identifier, set_name, set_description: of the golden set that was frozen.
        corpus_sha256: the corpus that its labels are about.
        settings: the retrieval settings that a consumer runs it with.
        content_digest: `content_digest` of what was frozen.
        labels_fingerprint: of its questions (`labels-bytes-v1`), as an evaluation bears it.
        case_count: 1 to 100.
        critical_count: how many of them are critical.
    """

    id: str
    suite_id: str
    project_id: str
    number: int
    created_at: datetime
    frozen_by: Actor
    set_identifier: str
    set_name: str
    set_description: str
    corpus_sha256: str
    settings: RetrievalSettings
    content_digest: str
    labels_fingerprint: str
    case_count: int
    critical_count: int

    @property
    def retrieval_config_sha256(self) -> str:
        """Digest of the retrieval settings (statement C-91)."""
        return self.settings.sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSuite:
    """A revision with its cases.

    Attributes:
        revision: identities and numbers.
        cases: by position.

    Raises:
        Invalid: cases that are not those of the revision, by number, place or id.
    """

    revision: SuiteRevision
    cases: tuple[SuiteCase, ...]

    def __post_init__(self) -> None:
        if len(self.cases) != self.revision.case_count:
            raise Invalid("cases: must be as many as the revision says")
        if [one.position for one in self.cases] != list(range(len(self.cases))):
            raise Invalid("cases: positions must run from 0 without a gap")
        ids = {one.case_id for one in self.cases}
        if len(ids) != len(self.cases) or not all(map(_UUID.fullmatch, ids)):
            raise Invalid("cases: each needs a UUID of its own")

    @property
    def project_id(self) -> str:
        """Whose it is."""
        return self.revision.project_id

    @property
    def golden_set(self) -> GoldenSet:
        """The questions as a set, in order of position."""
        return GoldenSet(
            identifier=self.revision.set_identifier,
            name=self.revision.set_name,
            description=self.revision.set_description,
            questions=tuple(one.question for one in self.cases),
        )

    @property
    def content(self) -> FrozenContent:
        """What was frozen, without ids of rows and time."""
        return FrozenContent(
            golden_set=self.golden_set,
            corpus_sha256=self.revision.corpus_sha256,
            settings=self.revision.settings,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenContent:
    """What a revision is made of; equal content has one digest in every suite.

    Attributes:
        golden_set: questions and targets in byte order of their ids, nothing held out.
        corpus_sha256: the corpus that the labels are about.
        settings: the retrieval settings.
    """

    golden_set: GoldenSet
    corpus_sha256: str
    settings: RetrievalSettings

    @property
    def critical_count(self) -> int:
        """How many cases are critical."""
        return sum(one.critical for one in self.golden_set.questions)

    @property
    def document(self) -> dict[str, object]:
        """What the digest covers: ids and texts of questions and documents as Base64."""
        frozen = self.golden_set
        return {
            "schema": CONTENT_SCHEMA,
            "corpus_sha256": self.corpus_sha256,
            "retrieval_config_sha256": self.settings.sha256,
            "golden_set": {
                "identifier": frozen.identifier,
                "name": frozen.name,
                "description": frozen.description,
            },
            "cases": list(map(_case_document, frozen.questions)),
        }

    @property
    def digest(self) -> str:
        """The content digest: ``json-ascii-v1`` over the document, 64 lowercase hex digits."""
        return json_ascii_v1_digest(self.document)


def freeze_content(
    golden_set: GoldenSet,
    *,
    corpus_sha256: str,
    retrieval_settings: object,
    retrieval_config_sha256: str | None = None,
) -> FrozenContent:
    """What a revision of this set over that corpus is made of.

    Order of questions and targets is no content, so it is that of their bytes. Questions that
    are held out are asked by nobody but the gate, so they are left out (ADR-0008).

    Args:
        golden_set: any set.
        corpus_sha256: digest of the corpus at hand.
        retrieval_settings: an object as decoded from JSON.
        retrieval_config_sha256: what the caller takes the digest of the settings for; None
            where it makes none of its own.

    Raises:
        InvalidSuite: the set may not be frozen, or the digest is another.
        InvalidRetrievalSettings: the settings cannot be digested.

    Source: statements C-16 to C-20, C-91 to C-93, G-47, G-72, G-74.
    """
    settings = hold_settings(retrieval_settings)
    if retrieval_config_sha256 not in (None, settings.sha256):
        rule = "retrieval_config_sha256 is not the digest of the retrieval settings"
        raise InvalidSuite("retrieval_config_digest", rule)
    content = SuiteContent(golden_set=golden_set, corpus_sha256=corpus_sha256)
    asked = GoldenSet(
        identifier=golden_set.identifier,
        name=golden_set.name,
        description=golden_set.description,
        questions=tuple(map(_in_byte_order, golden_set.by_position)),
    )
    return FrozenContent(golden_set=asked, corpus_sha256=content.corpus_sha256, settings=settings)


def number_cases(questions: Iterable[GoldenQuestion], ids: Iterable[str]) -> tuple[SuiteCase, ...]:
    """The cases of a new revision, each with an id of its own."""
    return tuple(
        SuiteCase(case_id=case_id, position=position, question=question)
        for position, (question, case_id) in enumerate(zip(questions, ids, strict=True))
    )


def _in_byte_order(question: GoldenQuestion) -> GoldenQuestion:
    return replace(question, expected_document_ids=tuple(sorted(question.expected_document_ids)))


def _case_document(question: GoldenQuestion) -> dict[str, object]:
    provenance = question.label_provenance
    return {
        "question_id": b64(question.id),
        "query": b64(question.question),
        "form": question.form.value,
        "hard_class": _b64_or_none(question.hard_class),
        "expected_document_ids": [b64(one) for one in question.expected_document_ids],
        "grades": [[b64(document), grade] for document, grade in question.grades],
        "answer_gist": _b64_or_none(question.answer_gist),
        "critical": question.critical,
        "reviewed": question.reviewed,
        "label_provenance": None if provenance is None else asdict(provenance),
    }


def _b64_or_none(content: bytes | None) -> str | None:
    return None if content is None else b64(content)
