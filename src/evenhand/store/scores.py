"""Graded values of evaluations: added one by one, never changed, taken away with the evaluation."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.scoring.graded import GradedValue, StoredScore
from evenhand.store.tables import evaluation_score
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text


class SqlScores:
    """The graded values of one open transaction; implements `ports.ScoreRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, score: StoredScore) -> None:
        """Keep one value.

        Raises:
            ConstraintRefused: the measure has a value by these judgements already, or the
                numbers contradict each other.
            InvalidText: a text that a database cannot hold.
        """
        self._connection.execute(evaluation_score.insert(), _to_row(score))

    def list_of(self, evaluation_id: str) -> tuple[StoredScore, ...]:
        """The values of one evaluation, by protocol, judgements and measure."""
        if not is_storable(evaluation_id):
            return ()
        rows = self._connection.execute(scores_of(evaluation_id)).mappings()
        return tuple(map(row_to_score, rows))


def scores_of(evaluation_id: str) -> sa.Select[tuple[object]]:
    """The graded values of one evaluation, in the order of their key."""
    score = evaluation_score.c
    return (
        sa.select(evaluation_score)
        .where(score.evaluation_id == evaluation_id)
        .order_by(score.protocol, score.qrels_digest, score.measure)
    )


def row_to_score(row: RowMapping) -> StoredScore:
    """The value of a row."""
    return StoredScore(
        evaluation_id=row["evaluation_id"],
        protocol=row["protocol"],
        qrels_digest=row["qrels_digest"],
        depth=row["depth"],
        benchmark=row["benchmark_fingerprint"],
        scored_at=text_to_time(row["scored_at"]),
        value=GradedValue(
            measure=row["measure"],
            mean=row["mean"],
            questions=row["questions"],
            failed=row["failed"],
        ),
    )


def _to_row(score: StoredScore) -> dict[str, Any]:
    value = score.value
    for field, text in (("measure", value.measure), ("protocol", score.protocol)):
        require_storable(text, field)
    return {
        "evaluation_id": score.evaluation_id,
        "protocol": score.protocol,
        "qrels_digest": score.qrels_digest,
        "measure": value.measure,
        "depth": score.depth,
        "mean": value.mean,
        "questions": value.questions,
        "failed": value.failed,
        "benchmark_fingerprint": score.benchmark,
        "scored_at": time_to_text(score.scored_at),
    }
