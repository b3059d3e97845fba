"""One stored evaluation: numbers, verdicts, provenance, history, splits, latency."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import EVALUATIONS
from evenhand.console.navigation import Place
from evenhand.console.parts import parts_of
from evenhand.console.present.evaluation import (
    Around,
    EvaluationParts,
    build_evaluation,
    build_parts,
)
from evenhand.console.remembered import remembered_of
from evenhand.console.rendering import stream
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports.subject import Subject, stored_subject
from evenhand.usecases.ports import UnitOfWork

_KEY: Final = "evaluations"
#: Earlier results that are drawn.
_HISTORY: Final = 30


def show_evaluation(request: Request) -> Response:
    """One evaluation by its whole id."""
    parts = parts_of(request)
    evaluation_id: str = request.path_params["evaluation_id"]
    record, around = parts.database.read(lambda uow: _find(uow, evaluation_id))
    view = build_evaluation(
        record,
        around,
        golden_set=parts.recall(record.set_identifier),
        now=parts.clock.now(),
        parts=lambda: _parts(request, record),
    )
    return stream(request, "evaluations/show.html", view, here=_KEY)


def _find(uow: UnitOfWork, evaluation_id: str) -> tuple[EvaluationRecord, Around]:
    record = uow.evaluations.get(evaluation_id)
    earlier = uow.evaluations.list_latest(
        set_identifier=record.set_identifier,
        retriever=record.retriever,
        limit=_HISTORY,
        after=(record.created_at, record.id),
    )
    # A series has one grader.
    series = [one for one in earlier if one.grader == record.grader]
    around = Around(
        scores=uow.scores.list_of(record.id),
        previous=series[0] if series else None,
        baseline=uow.evaluation_pages.find_baseline(record.set_identifier, record.retriever),
        history=(record, *series),
    )
    return record, around


def _parts(request: Request, record: EvaluationRecord) -> EvaluationParts:
    """What rests on every outcome; an evaluation never changes, and its set is named in the key."""
    database = parts_of(request).database
    entry = database.read(lambda uow: uow.golden_set_pages.find_entry(record.set_identifier))
    imported_at = None if entry is None else entry.imported_at
    key = ("evaluation", record.id, imported_at)
    return remembered_of(request).get(
        key, lambda: build_parts(database.read(lambda uow: _subject(uow, record)))
    )


def _subject(uow: UnitOfWork, record: EvaluationRecord) -> Subject:
    return stored_subject(
        record,
        uow.evaluations.get_outcomes(record.id),
        None if record.is_holdout else uow.golden_sets.find(record.set_identifier),
    )


ROUTES: Final = (Route(f"{EVALUATIONS}/{{evaluation_id}}", show_evaluation),)
PLACES: Final[tuple[Place, ...]] = ()
