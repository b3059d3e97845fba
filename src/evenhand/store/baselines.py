"""Pinned baselines: written once, never changed; the newest of a set and retriever is active."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.scoring.outcome import Outcome
from evenhand.store.bulk import insert_many
from evenhand.store.errors import DAMAGED
from evenhand.store.evaluation_rows import (
    grades_to_rows,
    identity_to_text,
    outcomes_to_rows,
    row_to_conditions,
    row_to_counts,
    row_to_identity,
    row_to_outcome,
)
from evenhand.store.tables import (
    baseline,
    baseline_grade,
    baseline_outcome,
    baseline_relevance,
)
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text

_NEWEST_FIRST: Final = (baseline.c.set_at.desc(), baseline.c.id.desc())
#: Of the judgements behind a baseline.
BASELINE_DIGEST: Final = (
    sa.select(baseline_relevance.c.qrels_digest)
    .where(baseline_relevance.c.baseline_id == baseline.c.id)
    .scalar_subquery()
    .label("qrels_digest")
)


class SqlBaselines:
    """The baselines of one open transaction; implements `ports.BaselineRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, added: PinnedBaseline) -> None:
        """Pin one; it is active from now on.

        Raises:
            ConstraintRefused: the id is taken, or the numbers contradict each other.
            InvalidText: a text that a database cannot hold.
        """
        self._connection.execute(baseline.insert(), _to_row(added))
        if added.qrels_digest is not None:
            self._connection.execute(
                baseline_relevance.insert().values(
                    baseline_id=added.id, qrels_digest=added.qrels_digest
                )
            )
        insert_many(self._connection, baseline_outcome, outcomes_to_rows(added.id, added.outcomes))
        insert_many(self._connection, baseline_grade, grades_to_rows(added.id, added.outcomes))

    def find(self, baseline_id: str) -> PinnedBaseline | None:
        """The one with this id; raises as `history`."""
        if not is_storable(baseline_id):
            return None
        query = sa.select(baseline, BASELINE_DIGEST).where(baseline.c.id == baseline_id)
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_baseline(row, self._outcomes(row["id"]))

    def find_active(self, set_identifier: str, retriever: str) -> PinnedBaseline | None:
        """The newest of a set and retriever, by time then id."""
        found = self.history(set_identifier=set_identifier, retriever=retriever, limit=1)
        return found[0] if found else None

    def list_active(self) -> tuple[PinnedBaseline, ...]:
        """The newest of each set and retriever, by these two."""
        series = self._connection.execute(
            sa.select(baseline.c.set_identifier, baseline.c.retriever)
            .distinct()
            .order_by(baseline.c.set_identifier, baseline.c.retriever)
        ).all()
        found = (self.find_active(identifier, retriever) for identifier, retriever in series)
        return tuple(one for one in found if one is not None)

    def history(
        self, *, set_identifier: str | None, retriever: str | None, limit: int
    ) -> tuple[PinnedBaseline, ...]:
        """Newest first, at most ``limit``.

        Raises:
            DatabaseUnavailable: code ``database_damaged``: the identity of one does not read
                back; nothing may be compared with it.
        """
        if not (is_storable(set_identifier or "") and is_storable(retriever or "")):
            return ()
        query = sa.select(baseline, BASELINE_DIGEST).order_by(*_NEWEST_FIRST).limit(limit)
        if set_identifier is not None:
            query = query.where(baseline.c.set_identifier == set_identifier)
        if retriever is not None:
            query = query.where(baseline.c.retriever == retriever)
        rows: Sequence[RowMapping] = self._connection.execute(query).mappings().all()
        return tuple(row_to_baseline(row, self._outcomes(row["id"])) for row in rows)

    def _outcomes(self, baseline_id: str) -> tuple[Outcome, ...]:
        rows = self._connection.execute(outcomes_of(baseline_id)).mappings()
        return tuple(map(row_to_outcome, rows))


def outcomes_of(baseline_id: str) -> sa.Select[tuple[object]]:
    """The outcomes of one baseline with their grades, in order of position."""
    outcome, grade = baseline_outcome.c, baseline_grade.c
    beside = sa.and_(grade.baseline_id == outcome.baseline_id, grade.position == outcome.position)
    return (
        sa.select(baseline_outcome, grade.grades)
        .outerjoin(baseline_grade, beside)
        .where(outcome.baseline_id == baseline_id)
        .order_by(outcome.position)
    )


def row_to_baseline(row: RowMapping, outcomes: tuple[Outcome, ...]) -> PinnedBaseline:
    """The baseline of its row and its outcomes; raises as `SqlBaselines.history`."""
    identity = row_to_identity(row)
    if identity is None:
        raise DatabaseUnavailable(_unreadable(row["id"]), code=DAMAGED)
    return PinnedBaseline(
        id=row["id"],
        set_at=text_to_time(row["set_at"]),
        actor=row["actor"],
        note=row["note"],
        set_identifier=row["set_identifier"],
        retriever=row["retriever"],
        evaluation_id=row["evaluation_id"],
        identity=identity,
        basis=Basis(row["basis"]),
        depth=row["depth"],
        conditions=row_to_conditions(row),
        counts=row_to_counts(row),
        outcomes=outcomes,
        qrels_digest=row["qrels_digest"],
    )


def _to_row(added: PinnedBaseline) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": added.id,
        "actor": added.actor,
        "note": added.note,
        "set_identifier": added.set_identifier,
        "retriever": added.retriever,
        "evaluation_id": added.evaluation_id,
        "basis": added.basis.value,
        "depth": added.depth,
        **asdict(added.conditions),
        **asdict(added.counts),
        "provenance": identity_to_text(added.identity),
        "benchmark_fingerprint": added.benchmark_fingerprint,
        "variant_fingerprint": added.variant_fingerprint,
    }
    for field, value in row.items():
        if isinstance(value, str):
            require_storable(value, field)
    return row | {"set_at": time_to_text(added.set_at)}


def _unreadable(baseline_id: str) -> str:
    return (
        f"baseline {baseline_id}: its fingerprints are not those of its declaration; "
        "evenhand db check says more"
    )
