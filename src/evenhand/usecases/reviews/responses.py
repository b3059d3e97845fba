"""Record what people said: of delivered feedback, and of answers."""

from __future__ import annotations

from dataclasses import replace

from evenhand.core.access.roles import Principal
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.review import FeedbackConflict
from evenhand.core.privacy import PrivacyPolicy, kept_text
from evenhand.core.review.feedback import FeedbackState
from evenhand.core.review.reaction import Acceptance, Reaction, Resolution, Usefulness
from evenhand.usecases.ports import Ids, ResultEmitter, UnitOfWork
from evenhand.usecases.reviews.feedback import of_project
from evenhand.usecases.reviews.telling import find_project


def react(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    feedback_id: str,
    reactor: str,
    usefulness: Usefulness | None,
    resolution: Resolution | None,
    explanation: str | None,
    principal: Principal,
    ids: Ids,
    policy: PrivacyPolicy,
) -> Reaction:
    """Record what the recipient said of delivered feedback.

    Raises:
        ReviewNotFound: there is none.
        FeedbackConflict: it is not delivered (``not_delivered``).
        InvalidValue: somebody else than the recipient, or disputed without a reason.
    """
    found = of_project(uow, feedback_id, principal)
    if found.state is not FeedbackState.DELIVERED:
        raise FeedbackConflict("only delivered feedback is reacted to", code="not_delivered")
    if reactor != found.recipient:
        raise InvalidValue("reactor", "must be the recipient of the feedback")
    made = Reaction(
        id=ids.new(),
        feedback_id=found.id,
        reactor=reactor,
        usefulness=usefulness,
        resolution=resolution,
        is_explained=explanation is not None and bool(explanation.strip()),
        explanation=None,
        created_at=uow.now(),
    )
    if made.is_explained:
        made = replace(made, explanation=kept_text(policy, explanation))
    uow.feedback.add_reaction(made)
    return made


def accept(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    answer_id: str,
    *,
    project: str | None,
    accepted: bool,
    principal: Principal,
    ids: Ids,
    emitter: ResultEmitter,
) -> Acceptance:
    """Record that a person accepted an answer, or did not.

    A result that waited for it is final now, and emitted; one that was emitted stays (ADR-0038).

    Raises:
        InvalidReport, RegisteredNotFound, ReferenceRefused: see `telling.find_project`.
    """
    owner = find_project(uow, project, principal)
    made = Acceptance(
        id=ids.new(),
        project_id=owner.id,
        answer_id=answer_id,
        accepted=accepted,
        by=principal.actor,
        created_at=uow.now(),
    )
    uow.feedback.add_acceptance(made)
    emitter.answer_accepted(uow, made)
    return made
