"""Stored evaluations as people look through them: a page at a time, in either order of time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Basis, EvaluationRecord
from evenhand.store.baselines import BASELINE_DIGEST
from evenhand.store.evaluation_rankings import read_rankings
from evenhand.store.evaluation_rows import (
    row_to_conditions,
    row_to_counts,
    row_to_identity,
    row_to_record,
)
from evenhand.store.evaluations import EVALUATION_SUMMARY
from evenhand.store.pages import newest_first, page_before, page_behind
from evenhand.store.tables import baseline, evaluation
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time
from evenhand.usecases.ports.browsing import BaselineEntry, EvaluationFilter, Place

_PLACE: Final = (evaluation.c.created_at, evaluation.c.id)


class SqlEvaluationPages:
    """The pages of one open transaction; implements `ports.EvaluationPages`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list_newest(
        self, wanted: EvaluationFilter, *, limit: int, after: Place | None
    ) -> tuple[EvaluationRecord, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that place."""
        query = page_behind(sa.select(*EVALUATION_SUMMARY), *_PLACE, after)
        return self._all(query.limit(limit), wanted)

    def list_oldest(
        self, wanted: EvaluationFilter, *, limit: int, after: Place | None
    ) -> tuple[EvaluationRecord, ...]:
        """Oldest first, at most ``limit``; with ``after`` those behind that place."""
        query = page_before(sa.select(*EVALUATION_SUMMARY), *_PLACE, after)
        return self._all(query.limit(limit), wanted)

    def find_baseline(self, set_identifier: str, retriever: str) -> BaselineEntry | None:
        """The active baseline of a set and retriever."""
        row = (
            self._connection.execute(
                sa.select(baseline, BASELINE_DIGEST)
                .where(
                    baseline.c.set_identifier == set_identifier,
                    baseline.c.retriever == retriever,
                )
                .order_by(*newest_first(baseline.c.set_at, baseline.c.id))
                .limit(1)
            )
            .mappings()
            .first()
        )
        if row is None:
            return None
        return BaselineEntry(
            id=row["id"],
            evaluation_id=row["evaluation_id"],
            set_at=text_to_time(row["set_at"]),
            actor=row["actor"],
            note=row["note"],
            identity=row_to_identity(row),
            basis=Basis(row["basis"]),
            depth=row["depth"],
            conditions=row_to_conditions(row),
            counts=row_to_counts(row),
            qrels_digest=row["qrels_digest"],
        )

    def list_set_identifiers(self, limit: int) -> tuple[str, ...]:
        """Sets of which there is an evaluation, in order, at most ``limit``."""
        return self._distinct(evaluation.c.set_identifier, limit)

    def list_retrievers(self, limit: int) -> tuple[str, ...]:
        """Retrievers of which there is an evaluation, in order, at most ``limit``."""
        return self._distinct(evaluation.c.retriever, limit)

    def list_rankings_at(
        self, evaluation_id: str, positions: Collection[int]
    ) -> Mapping[int, StoredRanking]:
        """Rankings by position; those that were not kept are missing."""
        if not is_storable(evaluation_id):
            return {}
        found = read_rankings(self._connection, evaluation_id, positions)
        return {one.position: one for one in found}

    def _all(
        self, query: sa.Select[Any], wanted: EvaluationFilter
    ) -> tuple[EvaluationRecord, ...]:
        conditions = (
            (evaluation.c.set_identifier, wanted.set_identifier),
            (evaluation.c.retriever, wanted.retriever),
            (evaluation.c.benchmark_fingerprint, wanted.benchmark),
        )
        for column, value in conditions:
            if value is None:
                continue
            if not is_storable(value):
                # A text that no database can hold is equal to nothing that is stored.
                return ()
            query = query.where(column == value)
        return tuple(map(row_to_record, self._connection.execute(query).mappings()))

    def _distinct(self, column: sa.Column[Any], limit: int) -> tuple[str, ...]:
        """Each value once. From one to the next along the index, not over every row."""
        least = sa.select(sa.func.min(column).label("value")).cte("step", recursive=True)
        following = sa.select(sa.func.min(column)).where(column > least.c.value).scalar_subquery()
        steps = least.union_all(sa.select(following).where(least.c.value.is_not(None)))
        query = sa.select(steps.c.value).where(steps.c.value.is_not(None)).limit(limit)
        return tuple(self._connection.scalars(query))
