"""Golden sets that were imported: read and replaced as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.retrieval.golden import DocId, GoldenQuestion, GoldenSet, LabelProvenance
from evenhand.store import tables
from evenhand.store.bulk import insert_many
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import time_to_text

_provenance_decoder: Final = msgspec.json.Decoder(LabelProvenance)


class SqlGoldenSets:
    """The golden sets of one open transaction; implements `ports.GoldenSetRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        #: Whether rows were taken away, whose bytes should leave the files too.
        self.has_deleted = False

    def save(self, golden_set: GoldenSet, *, imported_at: datetime) -> None:
        """Insert the set, or replace the one of the same identifier, as a whole.

        Raises:
            InvalidText: a name or description that a database cannot hold.
        """
        saved = golden_set
        self.delete(saved.identifier)
        self._connection.execute(
            tables.golden_set.insert().values(
                identifier=saved.identifier,
                name=require_storable(saved.name, "name"),
                description=require_storable(saved.description, "description"),
                imported_at=time_to_text(imported_at),
                labels_fingerprint=saved.labels_fingerprint,
            )
        )
        insert_many(self._connection, tables.golden_question, _questions_to_rows(saved))
        insert_many(self._connection, tables.golden_target, _targets_to_rows(saved))
        insert_many(self._connection, tables.golden_grade, _grades_to_rows(saved))
        insert_many(self._connection, tables.golden_holdout, _held_out_to_rows(saved))

    def find(self, identifier: str) -> GoldenSet | None:
        """One set with its questions in the set's order."""
        if not is_storable(identifier):
            return None
        row = (
            self._connection.execute(
                sa.select(tables.golden_set).where(tables.golden_set.c.identifier == identifier)
            )
            .mappings()
            .one_or_none()
        )
        if row is None:
            return None
        targets = {
            ordinal: tuple(DocId(bytes(target["document_id"])) for target in group)
            for ordinal, group in groupby(
                self._connection.execute(_targets_of(identifier)).mappings(),
                key=lambda target: target["question_ordinal"],
            )
        }
        grades: dict[int, list[tuple[bytes, int]]] = {}
        for ordinal, document, grade in self._connection.execute(_grades_of(identifier)):
            grades.setdefault(ordinal, []).append((bytes(document), grade))
        questions = self._connection.execute(_questions_of(identifier)).mappings()
        held_out = set(self._connection.scalars(_held_out_of(identifier)))
        parts: tuple[list[GoldenQuestion], list[GoldenQuestion]] = ([], [])
        for question in questions:
            ordinal = question["ordinal"]
            found = row_to_question(question, targets.get(ordinal, ()), grades.get(ordinal, ()))
            parts[ordinal in held_out].append(found)
        return GoldenSet(
            identifier=row["identifier"],
            name=row["name"],
            description=row["description"],
            questions=tuple(parts[False]),
            holdout=tuple(parts[True]),
        )

    def list_all(self) -> tuple[tuple[str, str, int, int], ...]:
        """Identifier, name, number of questions and of those held out, by identifier."""
        rows = self._connection.execute(
            sa.select(
                tables.golden_set.c.identifier,
                tables.golden_set.c.name,
                _number_in(tables.golden_question),
                _number_in(tables.golden_holdout),
            ).order_by(tables.golden_set.c.identifier)
        )
        return tuple(
            (identifier, name, all_ - held, held) for identifier, name, all_, held in rows
        )

    def delete(self, identifier: str) -> bool:
        """Whether a set was there to delete."""
        if not is_storable(identifier):
            return False
        for table in (
            tables.golden_holdout,
            tables.golden_target,
            tables.golden_grade,
            tables.golden_question,
        ):
            self._connection.execute(table.delete().where(table.c.set_identifier == identifier))
        deleted = self._connection.execute(
            tables.golden_set.delete().where(tables.golden_set.c.identifier == identifier)
        ).rowcount
        self.has_deleted = self.has_deleted or deleted > 0
        return deleted > 0


def row_to_question(
    row: RowMapping, targets: tuple[DocId, ...], grades: Sequence[tuple[bytes, int]] = ()
) -> GoldenQuestion:
    """The question of a row, its targets and its grades."""
    provenance = row["label_provenance"]
    return GoldenQuestion(
        id=bytes(row["id"]),
        question=bytes(row["question"]),
        form=row["form"],
        expected_document_ids=targets,
        hard_class=None if row["hard_class"] is None else bytes(row["hard_class"]),
        answer_gist=None if row["answer_gist"] is None else bytes(row["answer_gist"]),
        critical=row["critical"],
        reviewed=row["reviewed"],
        label_provenance=None if provenance is None else _provenance_decoder.decode(provenance),
        unjudged=row["unjudged"],
        grades=grades,
    )


def _questions_to_rows(saved: GoldenSet) -> Iterator[tuple[object, ...]]:
    for ordinal, question in enumerate(saved.with_holdout):
        provenance = question.label_provenance
        yield (
            saved.identifier,
            ordinal,
            question.id,
            question.question,
            question.form.value,
            question.hard_class,
            question.answer_gist,
            question.critical,
            question.reviewed,
            question.unjudged,
            None if provenance is None else msgspec.json.encode(asdict(provenance)).decode(),
        )


def _targets_to_rows(saved: GoldenSet) -> Iterator[tuple[object, ...]]:
    for question_ordinal, question in enumerate(saved.with_holdout):
        for ordinal, document in enumerate(question.expected_document_ids):
            yield saved.identifier, question_ordinal, ordinal, document


def _grades_to_rows(saved: GoldenSet) -> Iterator[tuple[object, ...]]:
    for question_ordinal, question in enumerate(saved.with_holdout):
        for ordinal, (document, grade) in enumerate(question.grades):
            yield saved.identifier, question_ordinal, ordinal, document, grade


def _held_out_to_rows(saved: GoldenSet) -> Iterator[tuple[object, ...]]:
    """The questions that are held out come last."""
    for ordinal in range(len(saved.questions), len(saved.with_holdout)):
        yield saved.identifier, ordinal


def _number_in(table: sa.Table) -> sa.ScalarSelect[int]:
    """How many rows of a table belong to a set."""
    return (
        sa.select(sa.func.count())
        .where(table.c.set_identifier == tables.golden_set.c.identifier)
        .scalar_subquery()
    )


def _questions_of(identifier: str) -> sa.Select[tuple[object]]:
    """The questions of one set, in the set's order."""
    return (
        sa.select(tables.golden_question)
        .where(tables.golden_question.c.set_identifier == identifier)
        .order_by(tables.golden_question.c.ordinal)
    )


def _held_out_of(identifier: str) -> sa.Select[tuple[int]]:
    """Which questions of one set are held out, by their place in it."""
    return sa.select(tables.golden_holdout.c.question_ordinal).where(
        tables.golden_holdout.c.set_identifier == identifier
    )


def _grades_of(identifier: str) -> sa.Select[int, bytes, int]:
    """The grades of one set: the question's place, document id, grade."""
    grade = tables.golden_grade.c
    return sa.select(grade.question_ordinal, grade.document_id, grade.grade).where(
        grade.set_identifier == identifier
    )


def _targets_of(identifier: str) -> sa.Select[tuple[object]]:
    """The targets of one set, by question, in the question's order."""
    return (
        sa.select(tables.golden_target)
        .where(tables.golden_target.c.set_identifier == identifier)
        .order_by(tables.golden_target.c.question_ordinal, tables.golden_target.c.ordinal)
    )
