"""Find out to which case of which run an answer belongs whose review is submitted."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.errors import InvalidValue
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.review.answer import AnswerPlace
from evenhand.core.review.job import Submission
from evenhand.core.review.states import ArtifactKind
from evenhand.usecases.ports import UnitOfWork

_FIELD = "answer_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOf:
    """What a submission says of where its answer belongs.

    Attributes:
        evaluation_id: the candidate run; None where its key names it.
        publication_key: under which the run was published or will be; None where its id names it.
        position: of the question; None where the submission names a case of a suite revision.
        prompt_version: of the prompt that made the answer; None is unknown.
        awaits_acceptance: whether the result is final only once a person has spoken.
    """

    evaluation_id: str | None
    publication_key: str | None
    position: int | None
    prompt_version: str | None
    awaits_acceptance: bool


def find_place(
    uow: UnitOfWork,
    stated: AnswerOf,
    asked: Submission,
    *,
    suite_revision_id: str | None,
    project_id: str,
) -> AnswerPlace:
    """Where the answer of a submission belongs.

    Args:
        uow: the open transaction.
        stated: what the submission says of it.
        asked: the submission.
        suite_revision_id: of the project; None where none is named.
        project_id: whose the review is.

    Raises:
        InvalidValue: the review is of no answer; no run or two are named; a position beside a
            suite revision, or neither a position nor a case.
        ReferenceRefused: no such evaluation in the project or no such case in the suite revision,
            or the evaluation is not of that suite revision.
    """
    if asked.artifact_kind is not ArtifactKind.ANSWER:
        raise InvalidValue(_FIELD, "belongs to the review of an answer")
    if (stated.position is None) is (suite_revision_id is None):
        raise InvalidValue(_FIELD, "names a position, or the case of a suite revision")
    if stated.position is None and asked.case_id is None:
        raise InvalidValue("case_id", "is needed where a suite revision is named")
    case_id = None if stated.position is not None else asked.case_id
    position = stated.position
    if position is None:
        position = _position(uow, suite_revision_id, case_id)
    place = AnswerPlace(
        evaluation_id=stated.evaluation_id,
        publication_key=stated.publication_key,
        suite_revision_id=suite_revision_id,
        case_id=case_id,
        position=position,
        prompt_version=stated.prompt_version,
        awaits_acceptance=stated.awaits_acceptance,
    )
    if place.evaluation_id is not None:
        _require_run(uow, place.evaluation_id, place, project_id)
    return place


def _position(uow: UnitOfWork, suite_revision_id: str | None, case_id: str | None) -> int:
    found = uow.suites.find_position(suite_revision_id or "", case_id or "")
    if found is None:
        raise ReferenceRefused("case")
    return found


def _require_run(uow: UnitOfWork, evaluation_id: str, place: AnswerPlace, project_id: str) -> None:
    """Nothing, where the run is the project's and of the same suite revision or of none."""
    run = uow.reviewed_answers.find_run(evaluation_id)
    if run is None or run.project_id != project_id:
        raise ReferenceRefused("evaluation", field=f"{_FIELD}.evaluation_id")
    if run.suite_revision_id != place.suite_revision_id:
        raise ReferenceRefused("case", field=f"{_FIELD}.evaluation_id")
    if not uow.evaluations.list_outcomes(evaluation_id, after=place.position - 1, limit=1):
        raise ReferenceRefused("case", field=f"{_FIELD}.position")
