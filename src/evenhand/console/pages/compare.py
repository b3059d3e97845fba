"""Two stored results: may they be compared, and which is better?"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import COMPARE
from evenhand.console.navigation import MEASURE, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.choosing import choose_candidate, choose_current
from evenhand.console.present.comparison import (
    ComparisonParts,
    baseline_side,
    build_comparison,
    build_parts,
)
from evenhand.console.remembered import remembered_of
from evenhand.console.rendering import render, stream
from evenhand.core.comparison.comparison import compare_sides
from evenhand.core.comparison.side import Side, stored_side
from evenhand.core.errors.evaluation import BaselineNotFound
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.usecases import comparisons
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "compare"
#: How many results are proposed.
_PROPOSED: Final = 50
_NO_BASELINE: Final = "none is set for the candidate's set and retriever"


def compare(request: Request) -> Response:
    """The comparison of a candidate with a current side, or what to choose them from."""
    current = request.query_params.get("current")
    candidate = request.query_params.get("candidate")
    if not candidate:
        return _choose_candidate(request)
    if not current:
        return _choose_current(request, candidate)
    return _show(request, current, candidate)


def _choose_candidate(request: Request) -> Response:
    parts = parts_of(request)
    records = parts.database.read(
        lambda uow: uow.evaluations.list_latest(
            set_identifier=None, retriever=None, limit=_PROPOSED
        )
    )
    view = choose_candidate(records, limit=_PROPOSED, now=parts.clock.now())
    return render(request, "compare/choose.html", view, here=KEY)


def _choose_current(request: Request, candidate_id: str) -> Response:
    parts = parts_of(request)
    now = parts.clock.now()

    def work(uow: UnitOfWork) -> object:
        candidate = uow.evaluations.get(candidate_id)
        others = uow.evaluations.list_latest(
            set_identifier=candidate.set_identifier, retriever=None, limit=_PROPOSED
        )
        baseline = uow.evaluation_pages.find_baseline(
            candidate.set_identifier, candidate.retriever
        )
        return choose_current(candidate, others, baseline, limit=_PROPOSED, now=now)

    return render(request, "compare/choose.html", parts.database.read(work), here=KEY)


def _show(request: Request, current_id: str, candidate_id: str) -> Response:
    parts = parts_of(request)
    current, candidate = parts.database.read(lambda uow: _find(uow, current_id, candidate_id))
    view = build_comparison(
        current,
        candidate,
        golden_set=parts.recall(candidate.set_identifier),
        parts=lambda: _parts(request, current, candidate),
    )
    return stream(request, "compare/show.html", view, here=KEY)


def _find(uow: UnitOfWork, current_id: str, candidate_id: str) -> tuple[Side, EvaluationRecord]:
    """Both sides without outcomes: what a verdict needs."""
    candidate = uow.evaluations.get(candidate_id)
    if current_id != comparisons.BASELINE:
        return stored_side(uow.evaluations.get(current_id), None), candidate
    entry = uow.evaluation_pages.find_baseline(candidate.set_identifier, candidate.retriever)
    if entry is None:
        raise BaselineNotFound(_NO_BASELINE)
    return baseline_side(entry, candidate), candidate


def _parts(request: Request, current: Side, candidate: EvaluationRecord) -> ComparisonParts:
    """What rests on every outcome. Neither side ever changes; the set and its ledger may."""
    database = parts_of(request).database
    one = comparisons.BASELINE if current.is_baseline else str(current.evaluation_id)

    def work(uow: UnitOfWork) -> ComparisonParts:
        sides, golden_set = comparisons.find_with_set(uow, one, candidate.id)
        compared = compare_sides(*sides, golden_set=golden_set)
        return build_parts(compared, golden_set, comparisons.count_uses(uow, sides[0].labels))

    entry, uses = database.read(
        lambda uow: (
            uow.golden_set_pages.find_entry(candidate.set_identifier),
            comparisons.count_uses(uow, current.labels),
        )
    )
    imported_at = None if entry is None else entry.imported_at
    key = (
        "comparison",
        one,
        current.created_at,
        candidate.id,
        imported_at,
        None if uses is None else uses.total,
    )
    return remembered_of(request).get(key, lambda: database.read(work))


ROUTES: Final = (Route(COMPARE, compare),)
PLACES: Final = (Place(key=KEY, name="Compare", path=COMPARE, group=MEASURE, shortcut="c"),)
