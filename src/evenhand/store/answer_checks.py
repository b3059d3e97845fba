"""Do stored answers belong to a question, and may what is kept of them be? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.privacy import PrivacyLevel
from evenhand.store.tables import evaluation, evaluation_answer


def answer_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with answers beside evaluations."""
    for row in connection.execute(_by_evaluation()).mappings():
        subject, level = f"evaluation {row['id']}", PrivacyLevel(row["privacy"])
        if row["last"] >= row["questions"] + row["unjudged"]:
            yield "answer_position", subject, "an answer is stored to a question that it has not"
        if not level.keeps_outcomes or (row["texts"] and not level.keeps_run):
            message = "more is stored of its answers than its privacy level keeps"
            yield "answer_permitted", subject, message


def _by_evaluation() -> sa.Select[tuple[object, ...]]:
    """Each evaluation with answers: the last position, and how many texts there are."""
    kept = evaluation_answer.c
    held = evaluation.c
    return (
        sa.select(
            held.id,
            held.privacy,
            held.questions,
            held.unjudged,
            sa.func.max(kept.position).label("last"),
            sa.func.count(kept.answer).label("texts"),
        )
        .join(evaluation_answer, kept.evaluation_id == held.id)
        .group_by(held.id, held.privacy, held.questions, held.unjudged)
        .order_by(held.id)
    )
