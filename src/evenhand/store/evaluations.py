"""Stored evaluations: written once, read often, taken away only by retention."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.store.bulk import insert_many
from evenhand.store.evaluation_rankings import read_rankings
from evenhand.store.evaluation_rows import (
    documents_to_rows,
    grades_to_rows,
    outcomes_to_rows,
    rankings_to_rows,
    record_to_row,
    row_to_outcome,
    row_to_record,
)
from evenhand.store.pages import is_behind
from evenhand.store.retention import delete_evaluations, retention
from evenhand.store.tables import (
    evaluation,
    evaluation_grade,
    evaluation_outcome,
    evaluation_ranked_document,
    evaluation_ranking,
    evaluation_relevance,
)
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import time_to_text

_DIGEST: Final = (
    sa.select(evaluation_relevance.c.qrels_digest)
    .where(evaluation_relevance.c.evaluation_id == evaluation.c.id)
    .scalar_subquery()
    .label("qrels_digest")
)
#: Every column of an evaluation but its details.
EVALUATION_SUMMARY: Final = (
    *(column for column in evaluation.c if column.name != "details"),
    _DIGEST,
)
_NEWEST_FIRST: Final = (evaluation.c.created_at.desc(), evaluation.c.id.desc())
#: Greater than every character of an id, smaller than nothing that follows one.
_AFTER_ANY_ID: Final = "~"


class SqlEvaluations:
    """The evaluations of one open transaction; implements `ports.EvaluationRepository`.

    Args:
        connection: in a transaction.
        now: the transaction's time.
        new_id: where ids of retention actions come from.
    """

    def __init__(
        self, connection: Connection, *, now: Callable[[], datetime], new_id: Callable[[], str]
    ) -> None:
        self._connection = connection
        self._now = now
        self._new_id = new_id
        #: Whether rows were taken away, whose bytes should leave the files too.
        self.has_deleted = False

    def add(
        self,
        record: EvaluationRecord,
        *,
        outcomes: tuple[Outcome, ...] | None,
        rankings: tuple[StoredRanking, ...] | None,
        details: str | None,
    ) -> None:
        """Insert one evaluation with what its privacy level keeps.

        Raises:
            ConstraintRefused: the id is taken, or the numbers contradict each other.
            InvalidText: a text that a database cannot hold.
            ValueError: more, or less, was given than the privacy level keeps.
        """
        _require_permitted(record.privacy, outcomes, rankings, details)
        self._connection.execute(evaluation.insert(), record_to_row(record, details))
        if record.qrels_digest is not None:
            self._connection.execute(
                evaluation_relevance.insert().values(
                    evaluation_id=record.id, qrels_digest=record.qrels_digest
                )
            )
        for table, rows in (
            (evaluation_outcome, outcomes_to_rows(record.id, outcomes or ())),
            (evaluation_grade, grades_to_rows(record.id, outcomes or ())),
            (evaluation_ranking, rankings_to_rows(record.id, rankings or ())),
            (evaluation_ranked_document, documents_to_rows(record.id, rankings or ())),
        ):
            insert_many(self._connection, table, rows)

    def get(self, evaluation_id: str) -> EvaluationRecord:
        """One evaluation; raises EvaluationNotFound."""
        found = self._first(
            sa.select(*EVALUATION_SUMMARY).where(evaluation.c.id == evaluation_id), evaluation_id
        )
        if found is None:
            raise EvaluationNotFound(evaluation_id)
        return found

    def find_previous(
        self, set_identifier: str, retriever: str, grader: str
    ) -> EvaluationRecord | None:
        """The latest stored evaluation of a series, by time then id (G-11).

        It is the preceding one as it is, not the latest that could be compared.
        """
        return self._first(
            sa.select(*EVALUATION_SUMMARY)
            .where(
                evaluation.c.set_identifier == set_identifier,
                evaluation.c.retriever == retriever,
                evaluation.c.grader == grader,
            )
            .order_by(*_NEWEST_FIRST)
            .limit(1),
            set_identifier,
            retriever,
            grader,
        )

    def find_by_prefix(self, prefix: str, limit: int) -> tuple[EvaluationRecord, ...]:
        """Evaluations whose id starts so, newest first, at most ``limit``."""
        # A range, not LIKE: its wildcards could be in the prefix, and no index serves it here.
        return self._all(
            sa.select(*EVALUATION_SUMMARY)
            .where(evaluation.c.id >= prefix, evaluation.c.id < prefix + _AFTER_ANY_ID)
            .order_by(*_NEWEST_FIRST)
            .limit(limit),
            prefix,
        )

    def list_latest(
        self,
        *,
        set_identifier: str | None,
        retriever: str | None,
        limit: int,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[EvaluationRecord, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""
        query = sa.select(*EVALUATION_SUMMARY).order_by(*_NEWEST_FIRST).limit(limit)
        if after is not None:
            query = query.where(is_behind(evaluation.c.created_at, evaluation.c.id, after))
        if set_identifier is not None:
            query = query.where(evaluation.c.set_identifier == set_identifier)
        if retriever is not None:
            query = query.where(evaluation.c.retriever == retriever)
        return self._all(query, set_identifier or "", retriever or "")

    def get_outcomes(self, evaluation_id: str) -> tuple[Outcome, ...] | None:
        """In order of position; None where the privacy level kept none.

        Raises:
            EvaluationNotFound: there is no such evaluation.
        """
        if not self._level(evaluation_id).keeps_outcomes:
            return None
        rows = self._connection.execute(outcomes_of(evaluation_id)).mappings()
        return tuple(map(row_to_outcome, rows))

    def list_outcomes(
        self, evaluation_id: str, *, after: int, limit: int
    ) -> tuple[Outcome, ...] | None:
        """Those behind a position, in order, at most ``limit``; None where none were kept.

        Raises:
            EvaluationNotFound: there is no such evaluation.
        """
        if not self._level(evaluation_id).keeps_outcomes:
            return None
        query = outcomes_of(evaluation_id).where(evaluation_outcome.c.position > after)
        rows = self._connection.execute(query.limit(limit)).mappings()
        return tuple(map(row_to_outcome, rows))

    def get_rankings(self, evaluation_id: str) -> tuple[StoredRanking, ...] | None:
        """In order of position; None below ``full``.

        Raises:
            EvaluationNotFound: there is no such evaluation.
        """
        if not self._level(evaluation_id).keeps_run:
            return None
        return read_rankings(self._connection, evaluation_id)

    def get_details(self, evaluation_id: str) -> str | None:
        """The details payload, for export at ``full`` only; None or empty text without one.

        Raises:
            EvaluationNotFound: there is no such evaluation.
        """
        self._level(evaluation_id)
        details: str | None = self._connection.scalar(
            sa.select(evaluation.c.details).where(evaluation.c.id == evaluation_id)
        )
        return details

    def purge(self, *, before: datetime, category: str, actor: str) -> int:
        """Delete evaluations created strictly before; returns how many, leaves a trace."""
        chosen = evaluation.c.created_at < time_to_text(before)
        return self._delete(chosen, rule=f"purge:{category}", actor=actor)

    def delete(self, evaluation_id: str, *, actor: str) -> None:
        """Delete one evaluation, leaving a trace; raises EvaluationNotFound."""
        self._level(evaluation_id)
        self._delete(evaluation.c.id == evaluation_id, rule="delete:evaluation", actor=actor)

    def _delete(self, chosen: sa.ColumnElement[bool], *, rule: str, actor: str) -> int:
        require_storable(actor, "actor")
        require_storable(rule, "rule")
        with retention(
            self._connection, id=self._new_id(), at=self._now(), actor=actor, rule=rule
        ) as tally:
            tally.rows = delete_evaluations(self._connection, chosen)
        self.has_deleted = self.has_deleted or tally.rows > 0
        return tally.rows

    def _level(self, evaluation_id: str) -> PrivacyLevel:
        level: str | None = None
        if is_storable(evaluation_id):
            level = self._connection.scalar(
                sa.select(evaluation.c.privacy).where(evaluation.c.id == evaluation_id)
            )
        if level is None:
            raise EvaluationNotFound(evaluation_id)
        return PrivacyLevel(level)

    def _first(self, query: sa.Select[tuple[object]], *asked: str) -> EvaluationRecord | None:
        found = self._all(query, *asked)
        return found[0] if found else None

    def _all(self, query: sa.Select[tuple[object]], *asked: str) -> tuple[EvaluationRecord, ...]:
        # A text that no database can hold is equal to nothing that is stored.
        if not all(map(is_storable, asked)):
            return ()
        return tuple(map(row_to_record, self._connection.execute(query).mappings()))


def outcomes_of(evaluation_id: str) -> sa.Select[tuple[object]]:
    """The outcomes of one evaluation with their grades, in order of position."""
    outcome, grade = evaluation_outcome.c, evaluation_grade.c
    beside = sa.and_(
        grade.evaluation_id == outcome.evaluation_id, grade.position == outcome.position
    )
    return (
        sa.select(evaluation_outcome, grade.grades)
        .outerjoin(evaluation_grade, beside)
        .where(outcome.evaluation_id == evaluation_id)
        .order_by(outcome.position)
    )


def _require_permitted(
    level: PrivacyLevel,
    outcomes: tuple[Outcome, ...] | None,
    rankings: tuple[StoredRanking, ...] | None,
    details: str | None,
) -> None:
    # The use case filters; this is the last place before the rows.
    if (outcomes is not None) != level.keeps_outcomes:
        raise ValueError("outcomes are given from privacy level metadata up, and only then")
    if (rankings is not None) != level.keeps_run:
        raise ValueError("rankings are given at privacy level full, and only then")
    if details and level in (PrivacyLevel.NONE, PrivacyLevel.METADATA):
        raise ValueError("details are never kept at this privacy level")
