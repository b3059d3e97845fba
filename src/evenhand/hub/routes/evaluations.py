"""Stored evaluations over HTTP: list, aggregates, outcomes; a service client sees its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from evenhand.core.access.roles import Action
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.hub.parts import parts_of, principal_of
from evenhand.hub.reading import page_of, place_of
from evenhand.hub.table import API, Entry
from evenhand.usecases import publications
from evenhand.usecases.ports import UnitOfWork
from evenhand.wire import evaluations as wire
from evenhand.wire.paging import Page

_PATH = f"{API}/evaluations"


def list_evaluations(
    request: Request, query: Annotated[wire.EvaluationsQuery, Query()]
) -> Page[wire.Evaluation]:
    """Newest first; those of a set or of a retriever, or all."""
    after = place_of(query)
    found = parts_of(request).database.read(
        lambda uow: uow.evaluations.list_latest(
            set_identifier=query.golden_set,
            retriever=query.retriever,
            # One more tells whether the list goes on.
            limit=query.limit + 1,
            after=after,
        )
    )
    return page_of(found, query.limit, wire.evaluation_to_wire)


def get_evaluation(request: Request, evaluation_id: str) -> wire.EvaluationDetail:
    """One evaluation by its whole id; to a service client, one that it sent."""
    principal = principal_of(request)
    record, scores = parts_of(request).database.read(
        lambda uow: publications.get_visible(uow, evaluation_id, principal=principal)
    )
    return wire.detail_to_wire(record, scores)


def list_outcomes(
    request: Request, evaluation_id: str, query: Annotated[wire.OutcomesQuery, Query()]
) -> wire.OutcomesPage:
    """What each question contributed, in order of position; nothing of a holdout part."""
    principal = principal_of(request)

    def work(uow: UnitOfWork) -> tuple[EvaluationRecord, Sequence[Outcome] | None]:
        record, _ = publications.get_visible(uow, evaluation_id, principal=principal)
        return record, uow.evaluations.list_outcomes(
            evaluation_id, after=query.after, limit=query.limit + 1
        )

    record, found = parts_of(request).database.read(work)
    if record.is_holdout:
        # Who knows which of its questions failed begins to tune on them (ADR-0008).
        return wire.OutcomesPage(items=[], next_after=None, reason="held_out")
    page = (found or ())[: query.limit]
    more = found is not None and len(found) > len(page)
    return wire.OutcomesPage(
        items=list(map(wire.outcome_to_wire, page)),
        next_after=page[-1].position if more else None,
        reason="not_kept" if found is None else None,
    )


ENTRIES = (
    Entry(
        method="GET",
        path=_PATH,
        endpoint=list_evaluations,
        action=Action.READ,
        summary="List evaluations",
        problems=(422,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/{{evaluation_id}}",
        endpoint=get_evaluation,
        action=Action.READ_OWN,
        summary="One evaluation",
        problems=(404,),
    ),
    Entry(
        method="GET",
        path=f"{_PATH}/{{evaluation_id}}/outcomes",
        endpoint=list_outcomes,
        action=Action.READ_OWN,
        summary="Outcomes of an evaluation",
        problems=(404, 422),
    ),
)
