"""Stored evaluations: the list, one of them, and its questions."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import EVALUATIONS
from evenhand.console.listing import Listing, page_of, read_listing
from evenhand.console.navigation import MEASURE, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.evaluations import SORTS, Choices, build_list
from evenhand.console.rendering import render
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.ports.browsing import EvaluationFilter

KEY: Final = "evaluations"
_FILTERS: Final = ("set", "retriever", "benchmark")
#: How many names a filter proposes.
_PROPOSED: Final = 200


def list_evaluations(request: Request) -> Response:
    """Evaluations in the order of time, those of a set, retriever or benchmark, or all."""
    parts = parts_of(request)
    listing = read_listing(request, filters=_FILTERS, sorts=tuple(SORTS))

    def work(uow: UnitOfWork) -> tuple[tuple[EvaluationRecord, ...], Choices]:
        choices = Choices(
            sets=uow.evaluation_pages.list_set_identifiers(_PROPOSED),
            retrievers=uow.evaluation_pages.list_retrievers(_PROPOSED),
        )
        return _find(uow, listing), choices

    found, choices = parts.database.read(work)
    paged = page_of(listing, found, id_of=lambda record: record.id)
    view = build_list(listing, paged, choices, now=parts.clock.now())
    return render(request, "evaluations/list.html", view, here=KEY)


def _find(uow: UnitOfWork, listing: Listing) -> tuple[EvaluationRecord, ...]:
    """A page and one row more, in the list's order."""
    wanted = EvaluationFilter(
        set_identifier=listing.filter("set"),
        retriever=listing.filter("retriever"),
        benchmark=listing.filter("benchmark"),
    )
    edge = listing.after or listing.before
    record = None if edge is None else uow.evaluations.get(edge)
    place = None if record is None else (record.created_at, record.id)
    limit = listing.size + 1
    is_newest_first = (listing.sort == "newest") is (listing.before is None)
    pages = uow.evaluation_pages
    read = pages.list_newest if is_newest_first else pages.list_oldest
    found = read(wanted, limit=limit, after=place)
    return found if listing.before is None else found[::-1]


ROUTES: Final = (Route(EVALUATIONS, list_evaluations),)
PLACES: Final = (
    Place(key=KEY, name="Evaluations", path=EVALUATIONS, group=MEASURE, shortcut="e"),
)
