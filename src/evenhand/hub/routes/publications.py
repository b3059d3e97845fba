"""Take in a run over HTTP: rankings or rows come in, the hub scores them, once for each key."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases import publications
from evenhand.wire import publications as wire
from evenhand.wire import published


def publish(
    request: Request, response: Response, body: wire.NewEvaluation
) -> published.PublishedEvaluation:
    """Store a run that was carried out elsewhere; 200 where this very call stored it before."""
    parts, principal = parts_of(request), principal_of(request)
    report = _report(body)
    done = publications.once(
        parts.database,
        lambda uow: publications.publish(
            uow,
            report,
            project=body.project_id,
            principal=principal,
            ids=parts.ids,
            policy=parts.policy,
            release=parts.release,
            emitter=parts.emitter,
        ),
    )
    if not done.is_new:
        response.status_code = OK
    return published.published_to_wire(done.record, done.publication, done.verdict, done.previous)


def _report(body: wire.NewEvaluation) -> publications.Report:
    return publications.Report(
        key=body.idempotency_key,
        digest=body.digest,
        asked=body.asked,
        suite_revision_id=body.suite_revision_id,
        stated=body.stated,
        answers=None
        if body.questions is None
        else tuple(one.to_core(body.depth) for one in body.questions),
        rows=None if body.outcomes is None else tuple(one.to_core() for one in body.outcomes),
    )


ENTRIES = (
    Entry(
        method="POST",
        path=f"{API}/evaluations",
        endpoint=publish,
        action=Action.PUBLISH_EVALUATION,
        summary="Publish an evaluation",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(404, 409),
    ),
)
