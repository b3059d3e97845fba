"""Feedback over HTTP, where it was put, what was said of it; and which answers are accepted."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.core.review.feedback import (
    Channel,
    FeedbackState,
    Link,
    LinkRole,
    PlacementType,
    SuppressionReason,
)
from evenhand.core.review.reaction import Resolution, Usefulness
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.reviews import feedback, reading, responses
from evenhand.usecases.reviews.feedback import Composed
from evenhand.usecases.reviews.telling import find_project
from evenhand.wire import review_feedback as wire
from evenhand.wire.reviews import OfOneProject

_PATH = f"{API}/feedback"
_ONE = f"{_PATH}/{{feedback_id}}"
_ANSWER = f"{API}/answers/{{answer_id}}/acceptance"


def record_feedback(
    request: Request, response: Response, body: wire.NewFeedback
) -> wire.FeedbackAnswer:
    """Feedback that got as far as delivery; 200 where it was recorded before."""
    parts, principal = parts_of(request), principal_of(request)
    composed = _composed(body)
    done = parts.database.run(
        lambda uow: feedback.compose(
            uow, composed, principal=principal, ids=parts.ids, policy=parts.policy
        )
    )
    if not done.is_new:
        response.status_code = OK
    return wire.feedback_to_wire(done.feedback)


def get_feedback(request: Request, feedback_id: str) -> wire.FeedbackDetail:
    """One feedback with what is known of where it was put, and what was said of it."""
    principal = principal_of(request)
    found = parts_of(request).database.read(
        lambda uow: reading.get_feedback(uow, feedback_id, principal=principal)
    )
    return wire.detail_to_wire(found)


def move_feedback(
    request: Request, feedback_id: str, body: wire.FeedbackMove
) -> wire.FeedbackAnswer:
    """What the delivery policy decided next."""
    parts, principal = parts_of(request), principal_of(request)
    moved = parts.database.run(
        lambda uow: feedback.move(
            uow,
            feedback_id,
            expected_state=FeedbackState(body.expected_state),
            to=FeedbackState(body.state),
            reason=_reason(body.suppression_reason),
            principal=principal,
        )
    )
    return wire.feedback_to_wire(moved)


def place_feedback(
    request: Request, feedback_id: str, body: wire.NewPlacement
) -> wire.PlacementAnswer:
    """Where feedback was put."""
    parts, principal = parts_of(request), principal_of(request)
    made = parts.database.run(
        lambda uow: feedback.place(
            uow,
            feedback_id,
            type=PlacementType(body.type),
            path=body.path,
            line=body.line,
            channel_reference=body.channel_reference,
            principal=principal,
            ids=parts.ids,
        )
    )
    return wire.placement_to_wire(made)


def dispatch_feedback(
    request: Request, feedback_id: str, body: wire.NewDispatch
) -> wire.DispatchAnswer:
    """That feedback was handed to a channel."""
    parts, principal = parts_of(request), principal_of(request)
    made = parts.database.run(
        lambda uow: feedback.dispatch(
            uow,
            feedback_id,
            attempt=body.attempt,
            acknowledgement=body.acknowledgement,
            error_class=body.error_class,
            principal=principal,
            ids=parts.ids,
        )
    )
    return wire.dispatch_to_wire(made)


def record_reaction(request: Request, body: wire.NewReaction) -> wire.ReactionAnswer:
    """What the recipient said of delivered feedback."""
    parts, principal = parts_of(request), principal_of(request)
    usefulness, resolution = body.usefulness, body.resolution
    made = parts.database.run(
        lambda uow: responses.react(
            uow,
            feedback_id=body.feedback_id,
            reactor=body.reactor,
            usefulness=None if usefulness is None else Usefulness(usefulness),
            resolution=None if resolution is None else Resolution(resolution),
            explanation=body.explanation,
            principal=principal,
            ids=parts.ids,
            policy=parts.policy,
        )
    )
    return wire.reaction_to_wire(made)


def accept_answer(
    request: Request, answer_id: str, body: wire.NewAcceptance
) -> wire.AcceptanceAnswer:
    """That a person accepted an answer, or did not."""
    parts, principal = parts_of(request), principal_of(request)
    made = parts.database.run(
        lambda uow: responses.accept(
            uow,
            answer_id,
            project=body.project_id,
            accepted=body.accepted,
            principal=principal,
            ids=parts.ids,
            emitter=parts.emitter,
        )
    )
    return wire.acceptance_to_wire(made)


def get_acceptance(
    request: Request, answer_id: str, query: Annotated[OfOneProject, Query()]
) -> wire.Acceptances:
    """Whether an answer is accepted; null where nobody said anything."""
    principal = principal_of(request)

    def read(uow: UnitOfWork) -> wire.Acceptances:
        project = find_project(uow, query.project_id, principal, active=False)
        found = uow.feedback.list_acceptances(project.id, answer_id)
        return wire.Acceptances(
            accepted=found[-1].accepted if found else None,
            history=list(map(wire.acceptance_to_wire, found)),
        )

    return parts_of(request).database.read(read)


def _composed(body: wire.NewFeedback) -> Composed:
    return Composed(
        job_id=body.agent_job_id,
        admission_digest=body.admission_digest,
        recipient=body.recipient,
        channel=Channel(body.channel),
        position=body.position,
        state=FeedbackState(body.state),
        suppression_reason=_reason(body.suppression_reason),
        body=body.body,
        replaces_id=body.replaces_id,
        kind=body.thread_kind,
        locus=body.thread_locus,
        links=tuple(
            Link(observation_id=one.observation_id, role=LinkRole(one.role), ordinal=ordinal)
            for ordinal, one in enumerate(body.observations)
        ),
    )


def _reason(named: str | None) -> SuppressionReason | None:
    return None if named is None else SuppressionReason(named)


ENTRIES = (
    Entry(
        method="POST",
        path=_PATH,
        endpoint=record_feedback,
        action=Action.RECORD_REVIEW,
        summary="Record feedback",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404, 409),
    ),
    Entry(
        method="GET",
        path=_ONE,
        endpoint=get_feedback,
        action=Action.READ_OWN,
        summary="One feedback, and what came of it",
        problems=(404,),
    ),
    Entry(
        method="PATCH",
        path=_ONE,
        endpoint=move_feedback,
        action=Action.RECORD_REVIEW,
        summary="Record what the delivery policy decided",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/placements",
        endpoint=place_feedback,
        action=Action.RECORD_REVIEW,
        summary="Record a placement",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404,),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/dispatches",
        endpoint=dispatch_feedback,
        action=Action.RECORD_REVIEW,
        summary="Record a dispatch",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=f"{API}/reactions",
        endpoint=record_reaction,
        action=Action.RECORD_REVIEW,
        summary="Record a reaction",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=_ANSWER,
        endpoint=accept_answer,
        action=Action.RECORD_REVIEW,
        summary="Record whether an answer is accepted",
        body=Body.OBJECT,
        status=CREATED,
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=_ANSWER,
        endpoint=get_acceptance,
        action=Action.READ_OWN,
        summary="Whether an answer is accepted",
        problems=(404, 422),
    ),
)
