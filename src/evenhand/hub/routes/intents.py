"""Selected model comparisons for people: operators prepare and cancel, viewers look.

Nothing here starts an evaluator: a comparison waits until its consumer claims it (C-03).
"""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from evenhand.core.access.roles import Action
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.problems import CREATED, OK
from evenhand.hub.reconciled import read_reconciled
from evenhand.hub.table import API, Body, Entry
from evenhand.usecases.intents import preparing, reading
from evenhand.usecases.ports import Refused, UnitOfWork
from evenhand.wire import intents as wire
from evenhand.wire.intent_answers import comparison_to_wire, history_to_wire, request_to_core

_ALL: Final = f"{API}{wire.PATH}"
_ONE: Final = f"{_ALL}/{{comparison_id}}"


def prepare(request: Request, response: Response, body: wire.NewIntent) -> wire.Comparison:
    """A comparison that waits for its consumer; 200 where this very call prepared it before."""
    parts, actor = parts_of(request), principal_of(request).actor
    wanted = request_to_core(body)

    def work(uow: UnitOfWork) -> tuple[bool, reading.Told] | Refused:
        done = preparing.prepare_intent(
            uow, wanted, key=body.idempotency_key, actor=actor, ids=parts.ids
        )
        if isinstance(done, Refused):
            return done
        return done.is_new, reading.tell_one(uow, done.intent)

    is_new, told = preparing.once(parts.database, work)
    if not is_new:
        response.status_code = OK
    return comparison_to_wire(told.intent, told.concluded)


async def list_history(
    request: Request, query: Annotated[wire.HistoryQuery, Query()]
) -> wire.History:
    """Newest first; those of a binding, or all."""
    found = await read_reconciled(
        request,
        lambda uow: reading.list_history(
            uow,
            binding_id=query.project_binding_id,
            # One more tells whether the history goes on.
            limit=query.limit + 1,
            offset=query.offset,
        ),
    )
    shown = [comparison_to_wire(told.intent, told.concluded) for told in found]
    return history_to_wire(shown, query)


async def get_comparison(request: Request, comparison_id: str) -> wire.Comparison:
    """One comparison, with what came of it."""
    told = await read_reconciled(request, lambda uow: reading.get_intent(uow, comparison_id))
    return comparison_to_wire(told.intent, told.concluded)


def cancel(request: Request, comparison_id: str, body: wire.Cancellation) -> wire.Comparison:
    """Cancel it, or ask its consumer to stop; no program is stopped by it."""
    parts, actor = parts_of(request), principal_of(request).actor

    def work(uow: UnitOfWork) -> reading.Told | Refused:
        made = preparing.cancel_intent(
            uow,
            comparison_id,
            expected_version=body.expected_version,
            actor=actor,
            ids=parts.ids,
        )
        return made if isinstance(made, Refused) else reading.tell_one(uow, made)

    told = parts.database.run(work)
    return comparison_to_wire(told.intent, told.concluded)


ENTRIES = (
    Entry(
        method="POST",
        path=_ALL,
        endpoint=prepare,
        action=Action.WRITE,
        summary="Prepare a comparison of two deployments",
        body=Body.OBJECT,
        status=CREATED,
        also=(OK,),
        problems=(409,),
    ),
    Entry(
        method="GET",
        path=_ALL,
        endpoint=list_history,
        action=Action.READ,
        summary="List comparisons of deployments",
        problems=(422,),
    ),
    Entry(
        method="GET",
        path=_ONE,
        endpoint=get_comparison,
        action=Action.READ,
        summary="One comparison of deployments",
        problems=(404,),
    ),
    Entry(
        method="POST",
        path=f"{_ONE}/cancel",
        endpoint=cancel,
        action=Action.WRITE,
        summary="Cancel a comparison of deployments",
        body=Body.OBJECT,
        problems=(404, 409),
    ),
)
