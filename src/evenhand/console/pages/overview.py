"""The overview: what is new, and what to run where nothing is there yet."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import OVERVIEW
from evenhand.console.navigation import MEASURE, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.overview import New, build_overview
from evenhand.console.rendering import render
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "overview"
#: How many evaluations are shown.
LATEST: Final = 8
#: How far back the result before one is looked for; a set and retriever seldom have two graders.
_REACH: Final = 10


def show_overview(request: Request) -> Response:
    """What is new: the latest evaluations, each with its verdicts."""
    parts = parts_of(request)
    view = build_overview(parts.database.read(_find), now=parts.clock.now(), mode=parts.mode)
    return render(request, "overview/show.html", view, here=KEY)


def _find(uow: UnitOfWork) -> tuple[New, ...]:
    found = uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=LATEST)
    return tuple(_new(uow, record) for record in found)


def _new(uow: UnitOfWork, record: EvaluationRecord) -> New:
    earlier = uow.evaluations.list_latest(
        set_identifier=record.set_identifier,
        retriever=record.retriever,
        limit=_REACH,
        after=(record.created_at, record.id),
    )
    return New(
        record=record,
        previous=next((one for one in earlier if one.grader == record.grader), None),
        baseline=uow.evaluation_pages.find_baseline(record.set_identifier, record.retriever),
    )


ROUTES: Final = (Route(OVERVIEW, show_overview),)
PLACES: Final = (Place(key=KEY, name="Overview", path=OVERVIEW, group=MEASURE, shortcut="o"),)
