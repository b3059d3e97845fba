"""The steps of whoever holds a review's attempt, over HTTP; each is fenced by its claim."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.core.review.states import AttemptOutcome
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.reviews import attempts, observations
from evenhand.usecases.reviews.attempts import Holder, Spent
from evenhand.wire import agent_jobs as jobs_wire
from evenhand.wire import review_attempts as wire

_ONE = f"{API}/agent-jobs/{{job_id}}"


def prepare_job(request: Request, job_id: str, body: wire.Preparation) -> jobs_wire.AgentJob:
    """Write down what the attempt is about to run with."""
    parts, principal = parts_of(request), principal_of(request)
    evidence = body.evidence.to_core()
    job = parts.database.run(
        lambda uow: attempts.prepare(
            uow,
            job_id,
            holder=_holder(body),
            evidence=evidence,
            prompt_digest=body.prompt_digest,
            inputs_digest=body.inputs_digest,
            principal=principal,
        )
    )
    return jobs_wire.job_to_wire(job)


def start_job(request: Request, job_id: str, body: wire.Start) -> jobs_wire.AgentJob:
    """Note that execution is about to begin."""
    parts, principal = parts_of(request), principal_of(request)
    job = parts.database.run(
        lambda uow: attempts.start(uow, job_id, holder=_holder(body), principal=principal)
    )
    return jobs_wire.job_to_wire(job)


def complete_job(request: Request, job_id: str, body: wire.Completion) -> jobs_wire.AgentJob:
    """End a review; the same end told again changes nothing."""
    parts, principal = parts_of(request), principal_of(request)
    spent = _spent(body.usage)
    job = parts.database.run(
        lambda uow: attempts.complete(
            uow,
            job_id,
            holder=_holder(body),
            outcome=AttemptOutcome(body.outcome),
            error_class=body.error_class,
            spent=spent,
            principal=principal,
            ids=parts.ids,
            emitter=parts.emitter,
        )
    )
    return jobs_wire.job_to_wire(job)


def requeue_job(request: Request, job_id: str, body: wire.Requeue) -> jobs_wire.AgentJob:
    """Give a review back, to be begun again after a while."""
    parts, principal = parts_of(request), principal_of(request)
    spent = _spent(body.usage)
    job = parts.database.run(
        lambda uow: attempts.requeue(
            uow,
            job_id,
            holder=_holder(body),
            error_class=body.error_class,
            spent=spent,
            principal=principal,
            ids=parts.ids,
        )
    )
    return jobs_wire.job_to_wire(job)


def admit_observations(
    request: Request, response: Response, job_id: str, body: wire.NewObservations
) -> wire.Admission:
    """Take in what the review found; 200 where this very payload was taken in before."""
    parts, principal = parts_of(request), principal_of(request)
    done = parts.database.run(
        lambda uow: observations.admit(
            uow,
            job_id,
            holder=_holder(body),
            candidates=body.candidates,
            payload_digest=body.payload_digest,
            principal=principal,
            ids=parts.ids,
            policy=parts.policy,
        )
    )
    if not done.is_new:
        response.status_code = OK
    return wire.Admission(
        payload_digest=done.admission.payload_digest,
        attempt=done.admission.attempt,
        observations=list(map(wire.observation_to_wire, done.observations)),
        rejections=[
            wire.RejectedCandidate(position=one.position, reason=one.reason.value)
            for one in done.rejections
        ],
    )


def _holder(body: wire.Held) -> Holder:
    return Holder(worker=body.worker, attempt=body.attempt, token=body.token)


def _spent(usage: wire.NewUsage | None) -> Spent | None:
    if usage is None:
        return None
    return Spent(
        calls=usage.calls,
        tokens=usage.core_tokens,
        source=usage.core_source,
        rates=usage.core_rates,
    )


ENTRIES = (
    Entry(
        method="POST",
        path=f"{_ONE}/prepare",
        endpoint=prepare_job,
        action=Action.RECORD_REVIEW,
        summary="Write down what an attempt runs with",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/start",
        endpoint=start_job,
        action=Action.RECORD_REVIEW,
        summary="Begin to execute a review",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/observations",
        endpoint=admit_observations,
        action=Action.RECORD_REVIEW,
        summary="Hand in what a review found",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/complete",
        endpoint=complete_job,
        action=Action.RECORD_REVIEW,
        summary="End a review",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/requeue",
        endpoint=requeue_job,
        action=Action.RECORD_REVIEW,
        summary="Give a review back",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
)
