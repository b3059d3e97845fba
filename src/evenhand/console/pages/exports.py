"""Questions of an evaluation and flips of a comparison as CSV, for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from evenhand.console.addresses import COMPARE, EVALUATIONS
from evenhand.console.downloads import download
from evenhand.console.navigation import Place
from evenhand.console.parts import parts_of
from evenhand.console.shown_questions import get_with_questions
from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.errors import Invalid, InvalidValue
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.reports.csv_exports import flip_header, flip_rows, question_header, question_rows
from evenhand.usecases import comparisons
from evenhand.usecases.ports import UnitOfWork, UnitOfWorkRunner

#: Outcomes that are read together.
_TOGETHER: Final = 5000
_HELD_OUT: Final = "questions: the set holds these questions out: none of them is shown"


def export_questions(request: Request) -> StreamingResponse:
    """Every question of an evaluation with what became of it."""
    database = parts_of(request).database
    evaluation_id: str = request.path_params["evaluation_id"]
    record, golden_set = database.read(lambda uow: _find(uow, evaluation_id))
    outcomes = _outcomes(database, record.id)
    name = f"questions-{record.id}.csv"
    return download(name, question_header(golden_set), question_rows(outcomes, golden_set))


def export_flips(request: Request) -> StreamingResponse:
    """Questions won and lost at top 1 between two results that may be compared."""
    query = request.query_params
    current, candidate = query.get("current", ""), query.get("candidate", "")
    for name, given in (("current", current), ("candidate", candidate)):
        if not given:
            raise InvalidValue(name, "must name a stored result")

    def work(uow: UnitOfWork) -> tuple[Comparison, GoldenSet | None]:
        sides, golden_set = comparisons.find_with_set(uow, current, candidate)
        return compare_sides(*sides), golden_set

    comparison, golden_set = parts_of(request).database.read(work)
    if comparison.is_holdout:
        raise Invalid(_HELD_OUT)
    labels = comparison.current.labels
    named = golden_set if golden_set and golden_set.labels_fingerprint == labels else None
    rows = flip_rows(comparison, named)
    return download(f"flips-{current}-{candidate}.csv", flip_header(named), rows)


def _find(uow: UnitOfWork, evaluation_id: str) -> tuple[EvaluationRecord, GoldenSet | None]:
    record = get_with_questions(uow, evaluation_id)
    golden_set = uow.golden_sets.find(record.set_identifier)
    labels = None if record.identity is None else record.identity.fingerprints.labels
    if golden_set is None or golden_set.labels_fingerprint != labels:
        return record, None
    # Unjudged questions take positions and are in no labels digest: with one nothing says which.
    has_unjudged = record.counts.unjudged or any(one.unjudged for one in golden_set.questions)
    return record, None if has_unjudged else golden_set


def _outcomes(database: UnitOfWorkRunner, evaluation_id: str) -> Iterator[Outcome]:
    """All outcomes, as they are asked for; an evaluation that is deleted meanwhile breaks off."""
    after = -1
    while True:
        read = partial(_page, evaluation_id=evaluation_id, after=after)
        page = database.read(read)
        yield from page
        if len(page) < _TOGETHER:
            return
        after = page[-1].position


def _page(uow: UnitOfWork, *, evaluation_id: str, after: int) -> tuple[Outcome, ...]:
    return uow.evaluations.list_outcomes(evaluation_id, after=after, limit=_TOGETHER) or ()


ROUTES: Final = (
    Route(f"{EVALUATIONS}/{{evaluation_id}}/questions.csv", export_questions),
    Route(f"{COMPARE}.csv", export_flips),
)
PLACES: Final[tuple[Place, ...]] = ()
