"""The consumer's side of selected model comparisons: assigned, claim, progress, result, finish.

Only the service client that a comparison was prepared for may call these, an operator never. No
body is logged, and nothing here is to be kept by whoever stands between (G-40).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Annotated, Final

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action, Principal
from evenhand.core.comparison.holder import Outcome
from evenhand.core.comparison.intent import Intent, IntentState
from evenhand.hub.parts import HubParts, parts_of, principal_of
from evenhand.hub.reconciled import read_reconciled
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.intents import claiming, publishing, reading
from evenhand.usecases.ports import Refused, UnitOfWork
from evenhand.wire import claims as wire
from evenhand.wire import intents
from evenhand.wire.intent_answers import comparison_to_wire

_ONE: Final = f"{API}{intents.PATH}/{{comparison_id}}"


async def list_assigned(
    request: Request, query: Annotated[intents.AssignedQuery, Query()]
) -> intents.Assigned:
    """What the caller has to do, oldest first."""
    client_id = principal_of(request).client_id or ""
    found = await read_reconciled(
        request, lambda uow: reading.list_assigned(uow, client_id, limit=query.limit)
    )
    return intents.Assigned(items=[comparison_to_wire(one, None) for one in found])


def claim(request: Request, response: Response, comparison_id: str) -> wire.Claimed:
    """Take a comparison, for the only time; its token is told this once."""
    parts, principal = parts_of(request), principal_of(request)
    token = base64.urlsafe_b64encode(parts.secrets.new()).rstrip(b"=").decode("ascii")
    claimed = parts.database.run(
        lambda uow: claiming.claim_intent(
            uow, comparison_id, token=token, principal=principal, ids=parts.ids
        )
    )
    _keep_private(response)
    comparison = comparison_to_wire(claimed.intent, None)
    assert comparison.claim_expires_at is not None  # noqa: S101 -- it was claimed just now
    return wire.Claimed(
        comparison=comparison,
        claim_token=token,
        claim_expires_at=comparison.claim_expires_at,
        cases=wire.cases_to_wire(claimed.cases),
    )


def progress(
    request: Request, response: Response, comparison_id: str, body: wire.Progress
) -> wire.Progressed:
    """Renew the lease and say how many cases are done."""
    made = _as_holder(
        request,
        comparison_id,
        body.claim_token,
        lambda uow, held, _: claiming.report_progress(
            uow,
            held,
            current=body.current_completed_cases,
            candidate=body.candidate_completed_cases,
        ),
    )
    _keep_private(response)
    assert made.claim_expires_at is not None  # noqa: S101 -- it is under a claim
    return wire.Progressed(
        comparison=made,
        claim_expires_at=made.claim_expires_at,
        cancel_requested=made.state == "cancel_requested",
    )


def publish(
    request: Request, response: Response, comparison_id: str, body: wire.Result
) -> intents.Comparison:
    """Publish both sides at once; sent again it changes nothing and gives the same record."""
    parts, report = parts_of(request), wire.report_to_core(body)
    made = _as_holder(
        request,
        comparison_id,
        body.claim_token,
        lambda uow, held, principal: publishing.publish_result(
            uow,
            held,
            report,
            principal=principal,
            ids=parts.ids,
            policy=parts.policy,
            release=parts.release,
            emitter=parts.emitter,
        ),
    )
    _keep_private(response)
    return made


def finish(
    request: Request, response: Response, comparison_id: str, body: wire.Finish
) -> intents.Comparison:
    """Say that it failed, or acknowledge that it was to be cancelled."""
    parts = parts_of(request)
    outcome: Outcome = IntentState.FAILED if body.outcome == "failed" else IntentState.CANCELLED
    made = _as_holder(
        request,
        comparison_id,
        body.claim_token,
        lambda uow, held, principal: claiming.finish_intent(
            uow,
            held,
            outcome=outcome,
            error_code=body.error_code,
            principal=principal,
            ids=parts.ids,
        ),
    )
    _keep_private(response)
    return made


def _as_holder(
    request: Request,
    comparison_id: str,
    token: str,
    step: Callable[[UnitOfWork, claiming.Held, Principal], Intent],
) -> intents.Comparison:
    """The comparison after a step of its claim's holder, in one transaction."""
    parts: HubParts = parts_of(request)
    principal = principal_of(request)

    def work(uow: UnitOfWork) -> reading.Told | Refused:
        held = claiming.hold(uow, comparison_id, token=token, principal=principal, ids=parts.ids)
        if isinstance(held, Refused):
            return held
        return reading.tell_one(uow, step(uow, held, principal))

    told = parts.database.run(work)
    return comparison_to_wire(told.intent, told.concluded)


def _keep_private(response: Response) -> None:
    response.headers["Cache-Control"] = "no-store"


ENTRIES = (
    # Before the route of one comparison, whose pattern fits this address too.
    Entry(
        method="GET",
        path=f"{API}{intents.PATH}/assigned",
        endpoint=list_assigned,
        action=Action.CONSUME_COMPARISON,
        summary="List the comparisons that the caller is to carry out",
        problems=(422,),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/claim",
        endpoint=claim,
        action=Action.CONSUME_COMPARISON,
        summary="Claim a comparison",
        body=Body.EMPTY,
        problems=(404, 409),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/progress",
        endpoint=progress,
        action=Action.CONSUME_COMPARISON,
        summary="Renew the claim and report progress",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/result",
        endpoint=publish,
        action=Action.CONSUME_COMPARISON,
        summary="Publish both sides of a comparison",
        body=Body.OBJECT,
        most_bytes=wire.RESULT_BYTES,
        problems=(404, 409, 410),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/finish",
        endpoint=finish,
        action=Action.CONSUME_COMPARISON,
        summary="End a claim without a result",
        body=Body.OBJECT,
        problems=(404, 409, 410),
    ),
)
