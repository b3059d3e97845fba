"""Answers beside stored evaluations: added once, never changed, taken away with the evaluation."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.review.given_answer import KeptAnswer
from evenhand.store.bulk import insert_many
from evenhand.store.tables import evaluation, evaluation_answer
from evenhand.store.text import is_storable


class SqlAnswers:
    """The answers of one open transaction; implements `ports.AnswerRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, evaluation_id: str, answers: Sequence[KeptAnswer]) -> None:
        """Insert the answers of one evaluation.

        Raises:
            EvaluationNotFound: there is no such evaluation.
            ConstraintRefused: a question is answered already.
            ValueError: more was given than the evaluation's privacy level keeps.
        """
        level = self._level(evaluation_id)
        # The use case filters; this is the last place before the rows.
        if answers and not level.keeps_outcomes:
            raise ValueError("answers are kept from privacy level metadata up")
        if not level.keeps_run and any(one.text is not None for one in answers):
            raise ValueError("texts of answers are kept at privacy level full, and only then")
        rows = (
            (
                evaluation_id,
                one.position,
                one.answer_sha256,
                one.characters,
                one.text,
                one.prompt,
                one.model,
            )
            for one in answers
        )
        insert_many(self._connection, evaluation_answer, rows)

    def list_of(self, evaluation_id: str) -> tuple[KeptAnswer, ...]:
        """The answers of one evaluation, in order of position; none for one that is not there."""
        if not is_storable(evaluation_id):
            return ()
        answer = evaluation_answer.c
        found = self._connection.execute(
            sa.select(evaluation_answer)
            .where(answer.evaluation_id == evaluation_id)
            .order_by(answer.position)
        )
        return tuple(
            KeptAnswer(
                position=row["position"],
                answer_sha256=row["answer_sha256"],
                characters=row["characters"],
                text=row["answer"],
                prompt=row["prompt"],
                model=row["model"],
            )
            for row in found.mappings()
        )

    def _level(self, evaluation_id: str) -> PrivacyLevel:
        level: str | None = None
        if is_storable(evaluation_id):
            level = self._connection.scalar(
                sa.select(evaluation.c.privacy).where(evaluation.c.id == evaluation_id)
            )
        if level is None:
            raise EvaluationNotFound(evaluation_id)
        return PrivacyLevel(level)
