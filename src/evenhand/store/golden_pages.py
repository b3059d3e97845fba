"""Imported golden sets as people look through them: a page at a time, without what is held out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.retrieval.golden import DocId, GoldenQuestion, QueryId
from evenhand.store.golden_sets import row_to_question
from evenhand.store.tables import golden_holdout, golden_question, golden_set, golden_target
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time
from evenhand.usecases.ports.browsing import SetEntry


class SqlGoldenSetPages:
    """The pages of one open transaction; implements `ports.GoldenSetPages`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find_entry(self, identifier: str) -> SetEntry | None:
        """One set without its questions."""
        if not is_storable(identifier):
            return None
        row = (
            self._connection.execute(
                sa.select(golden_set).where(golden_set.c.identifier == identifier)
            )
            .mappings()
            .one_or_none()
        )
        if row is None:
            return None
        asked = _asked(identifier)
        questions, unjudged = self._connection.execute(
            sa.select(
                sa.func.count(),
                sa.func.coalesce(sa.func.sum(sa.cast(asked.c.unjudged, sa.Integer)), 0),
            ).select_from(asked)
        ).one()
        holdout = self._connection.scalar(
            sa.select(sa.func.count())
            .select_from(golden_holdout)
            .where(golden_holdout.c.set_identifier == identifier)
        )
        return SetEntry(
            identifier=row["identifier"],
            name=row["name"],
            description=row["description"],
            imported_at=text_to_time(row["imported_at"]),
            labels_fingerprint=row["labels_fingerprint"],
            questions=questions,
            unjudged=unjudged,
            holdout=holdout or 0,
        )

    def list_questions(
        self, identifier: str, *, after: int, limit: int
    ) -> tuple[tuple[int, GoldenQuestion], ...]:
        """Ordinal and question in the set's order, behind an ordinal, at most ``limit``."""
        if not is_storable(identifier):
            return ()
        query = (
            _questions(identifier)
            .where(golden_question.c.ordinal > after)
            .order_by(golden_question.c.ordinal)
            .limit(limit)
        )
        return self._read(identifier, query)

    def find_ids_at(self, identifier: str, positions: Collection[int]) -> Mapping[int, QueryId]:
        """Ids of questions by position, which is their place in byte order of the ids."""
        if not positions or not is_storable(identifier):
            return {}
        asked = _asked(identifier)
        place = (sa.func.row_number().over(order_by=asked.c.id) - 1).label("place")
        placed = sa.select(asked.c.id, place).order_by(asked.c.id).limit(max(positions) + 1)
        numbered = placed.subquery()
        query = sa.select(numbered.c.place, numbered.c.id).where(numbered.c.place.in_(positions))
        return {
            position: QueryId(bytes(held)) for position, held in self._connection.execute(query)
        }

    def find_questions(
        self, identifier: str, ids: Sequence[QueryId]
    ) -> Mapping[QueryId, GoldenQuestion]:
        """Questions by id; those that the set does not have are missing."""
        if not ids or not is_storable(identifier):
            return {}
        query = _questions(identifier).where(golden_question.c.id.in_(ids))
        return {question.id: question for _, question in self._read(identifier, query)}

    def _read(
        self, identifier: str, query: sa.Select[Any]
    ) -> tuple[tuple[int, GoldenQuestion], ...]:
        rows = self._connection.execute(query).mappings().all()
        targets: dict[int, list[DocId]] = {}
        for ordinal, document in self._connection.execute(
            sa.select(golden_target.c.question_ordinal, golden_target.c.document_id)
            .where(
                golden_target.c.set_identifier == identifier,
                golden_target.c.question_ordinal.in_([row["ordinal"] for row in rows]),
            )
            .order_by(golden_target.c.question_ordinal, golden_target.c.ordinal)
        ):
            targets.setdefault(ordinal, []).append(DocId(bytes(document)))
        return tuple(
            (row["ordinal"], row_to_question(row, tuple(targets.get(row["ordinal"], ()))))
            for row in rows
        )


def _is_asked() -> sa.ColumnElement[bool]:
    """That a question is not held out."""
    held = golden_holdout.c
    return ~sa.exists().where(
        held.set_identifier == golden_question.c.set_identifier,
        held.question_ordinal == golden_question.c.ordinal,
    )


def _asked(identifier: str) -> sa.Subquery:
    """Ids of a set's questions that are not held out."""
    return (
        sa.select(golden_question.c.id, golden_question.c.unjudged)
        .where(golden_question.c.set_identifier == identifier, _is_asked())
        .subquery()
    )


def _questions(identifier: str) -> sa.Select[Any]:
    return sa.select(golden_question).where(
        golden_question.c.set_identifier == identifier, _is_asked()
    )
