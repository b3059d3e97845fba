"""Suites, revisions and cases as rows, and rows as these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

import msgspec
from sqlalchemy import RowMapping

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.identity.settings_digest import read_settings
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.golden import GoldenQuestion, LabelProvenance
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase, SuiteRevision
from evenhand.store.registry.registered import Row, registered_row, registered_values
from evenhand.store.text import require_storable
from evenhand.store.times import text_to_time, time_to_text

_provenance_decoder: Final = msgspec.json.Decoder(LabelProvenance)


def row_to_suite(row: RowMapping) -> Suite:
    """The suite of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Suite(**registered_values(row), project_id=row["project_id"])


def suite_to_row(one: Suite) -> Row:
    """A suite as a row."""
    return {**registered_row(one), "project_id": one.project_id}


def revision_to_row(revision: SuiteRevision) -> dict[str, str | int | None]:
    """A revision as a row.

    Raises:
        InvalidText: a name or description that a database cannot hold.
    """
    return {
        "id": revision.id,
        "suite_id": revision.suite_id,
        "number": revision.number,
        "created_at": time_to_text(revision.created_at),
        "frozen_by_kind": revision.frozen_by.kind.value,
        "frozen_by_id": revision.frozen_by.id,
        "set_identifier": revision.set_identifier,
        "set_name": require_storable(revision.set_name, "name"),
        "set_description": require_storable(revision.set_description, "description"),
        "corpus_sha256": revision.corpus_sha256,
        "retrieval_settings": revision.settings.text,
        "retrieval_config_sha256": revision.retrieval_config_sha256,
        "content_digest": revision.content_digest,
        "labels_fingerprint": revision.labels_fingerprint,
        "case_count": revision.case_count,
        "critical_count": revision.critical_count,
    }


def row_to_revision(row: RowMapping) -> SuiteRevision:
    """The revision of a row that also has the project of its suite.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return SuiteRevision(
        id=row["id"],
        suite_id=row["suite_id"],
        project_id=row["project_id"],
        number=row["number"],
        created_at=text_to_time(row["created_at"]),
        frozen_by=Actor(kind=ActorKind(row["frozen_by_kind"]), id=row["frozen_by_id"]),
        set_identifier=row["set_identifier"],
        set_name=row["set_name"],
        set_description=row["set_description"],
        corpus_sha256=row["corpus_sha256"],
        settings=read_settings(row["retrieval_settings"]),
        content_digest=row["content_digest"],
        labels_fingerprint=row["labels_fingerprint"],
        case_count=row["case_count"],
        critical_count=row["critical_count"],
    )


def row_to_case(
    row: RowMapping, targets: Sequence[RowMapping], grades: Sequence[RowMapping]
) -> SuiteCase:
    """The case of a row, with the rows of its targets and grades.

    Raises:
        EvenhandError, msgspec.DecodeError: it is not what was written.
    """
    question = GoldenQuestion(
        id=bytes(row["question_id"]),
        question=bytes(row["question"]),
        form=row["form"],
        expected_document_ids=[bytes(one["document_id"]) for one in targets],
        hard_class=None if row["hard_class"] is None else bytes(row["hard_class"]),
        answer_gist=None if row["answer_gist"] is None else bytes(row["answer_gist"]),
        critical=row["critical"],
        reviewed=row["reviewed"],
        label_provenance=_provenance_decoder.decode(row["label_provenance"]),
        grades=[(bytes(one["document_id"]), one["grade"]) for one in grades],
    )
    return SuiteCase(case_id=row["case_id"], position=row["position"], question=question)


def case_rows(frozen: FrozenSuite) -> Iterator[tuple[object, ...]]:
    """The cases as tuples in the order of the table's columns."""
    for case in frozen.cases:
        question = case.question
        yield (
            frozen.revision.id,
            case.position,
            frozen.revision.case_count,
            case.case_id,
            question.id,
            question.question,
            question.form.value,
            question.hard_class,
            question.answer_gist,
            question.critical,
            question.reviewed,
            msgspec.json.encode(asdict(case.label_provenance)).decode(),
            len(question.expected_document_ids),
            len(question.grades),
        )


def target_rows(frozen: FrozenSuite) -> Iterator[tuple[object, ...]]:
    """The targets of the cases, in byte order of their ids."""
    for case in frozen.cases:
        targets = case.question.expected_document_ids
        for ordinal, document in enumerate(targets):
            yield frozen.revision.id, case.position, ordinal, len(targets), document


def grade_rows(frozen: FrozenSuite) -> Iterator[tuple[object, ...]]:
    """The grades of the cases, in byte order of the ids."""
    for case in frozen.cases:
        grades = case.question.grades
        for ordinal, (document, grade) in enumerate(grades):
            yield frozen.revision.id, case.position, ordinal, len(grades), document, grade
