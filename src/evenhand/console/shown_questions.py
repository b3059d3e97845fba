"""Of which evaluations may questions be shown? Of none that kept none, or whose set holds them out."""

from __future__ import annotations

from typing import Final

from evenhand.core.errors import Invalid
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases.ports import UnitOfWork

_NOT_KEPT: Final = (
    "questions: nothing is stored question by question, or its set holds the questions out"
)


def get_with_questions(uow: UnitOfWork, evaluation_id: str) -> EvaluationRecord:
    """An evaluation whose questions may be shown.

    Raises:
        EvaluationNotFound: there is no such evaluation.
        Invalid: none of its questions may be shown.
    """
    record = uow.evaluations.get(evaluation_id)
    if record.is_holdout or not record.privacy.keeps_outcomes:
        raise Invalid(_NOT_KEPT)
    return record
