"""Reviews over HTTP: submitted, claimed, cancelled and read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import ALLOWED, Action
from evenhand.core.review.states import CancelReason
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import publications
from evenhand.usecases.reviews import jobs, reading
from evenhand.usecases.reviews.answers import AnswerOf
from evenhand.wire import agent_jobs as wire
from evenhand.wire.paging import Page

_PATH = f"{API}/agent-jobs"
_ONE = f"{_PATH}/{{job_id}}"


def submit_job(request: Request, response: Response, body: wire.NewAgentJob) -> wire.AgentJob:
    """A review that waits for a worker; 200 where this very call stored it before."""
    parts, principal = parts_of(request), principal_of(request)
    asked = body.to_core()
    answer_of = None if body.answer_of is None else AnswerOf(**body.answer_of.model_dump())
    done = publications.once(
        parts.database,
        lambda uow: jobs.submit(
            uow,
            asked,
            project=body.project_id,
            suite_revision_id=body.suite_revision_id,
            principal=principal,
            ids=parts.ids,
            answer_of=answer_of,
        ),
    )
    if not done.is_new:
        response.status_code = OK
    return wire.job_to_wire(done.job)


def claim_job(request: Request, response: Response, body: wire.JobClaim) -> wire.ClaimedJob:
    """The next review that waits, or a named one, with the token of its attempt."""
    parts, principal = parts_of(request), principal_of(request)
    claimed = parts.database.run(
        lambda uow: jobs.claim(
            uow,
            project=body.project_id,
            job_id=body.job_id,
            worker=body.worker,
            resolved=body.resolved,
            principal=principal,
            ids=parts.ids,
            secrets=parts.secrets,
        )
    )
    response.headers["Cache-Control"] = "no-store"
    if claimed is None:
        return wire.ClaimedJob(job=None, token=None)
    return wire.ClaimedJob(job=wire.job_to_wire(claimed.job), token=claimed.token)


def cancel_job(request: Request, job_id: str, body: wire.JobCancel) -> wire.AgentJob:
    """Cancel a review that waits or runs."""
    parts, principal = parts_of(request), principal_of(request)
    reason = CancelReason(body.reason)
    cancelled = parts.database.run(
        lambda uow: jobs.cancel(uow, job_id, reason=reason, principal=principal, ids=parts.ids)
    )
    return wire.job_to_wire(cancelled)


def list_jobs(request: Request, query: Annotated[wire.JobsQuery, Query()]) -> Page[wire.AgentJob]:
    """Newest first; to a service client those that it submitted."""
    after, principal = place_of(query), principal_of(request)
    is_reader = Action.READ in ALLOWED[principal.role]
    found = parts_of(request).database.read(
        lambda uow: uow.review_jobs.list_latest(
            project_id=query.project_id,
            client_id=None if is_reader else principal.client_id,
            state=query.core_state,
            limit=query.limit + 1,
            after=after,
        )
    )
    return page_of(found, query.limit, wire.job_to_wire)


def get_job(request: Request, job_id: str) -> wire.AgentJob:
    """One review; to a service client, one that it submitted."""
    principal = principal_of(request)
    found = parts_of(request).database.read(
        lambda uow: reading.get_visible(uow, job_id, principal=principal)
    )
    return wire.job_to_wire(found)


ENTRIES = (
    Entry(
        method="POST",
        path=_PATH,
        endpoint=submit_job,
        action=Action.RECORD_REVIEW,
        summary="Submit a review",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404, 409),
    ),
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_jobs,
        action=Action.READ_OWN,
        summary="List reviews",
        problems=(422,),
    ),
    Entry(
        method="POST",
        path=f"{_PATH}/claim",
        endpoint=claim_job,
        action=Action.RECORD_REVIEW,
        summary="Claim a review",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
    Entry(
        method="GET",
        path=_ONE,
        endpoint=get_job,
        action=Action.READ_OWN,
        summary="One review",
        problems=(404,),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/cancel",
        endpoint=cancel_job,
        action=Action.RECORD_REVIEW,
        summary="Cancel a review",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
)
