"""Golden sets: the list, and one with its questions, its ledger and what lint finds."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import SETS
from evenhand.console.listing import read_place
from evenhand.console.navigation import MEASURE, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.sets import (
    Ledger,
    SetParts,
    SetRow,
    build_parts,
    build_set,
    set_rows,
)
from evenhand.console.remembered import remembered_of
from evenhand.console.rendering import render, stream
from evenhand.core.errors.retrieval import GoldenSetNotFound
from evenhand.core.retrieval.golden import GoldenQuestion
from evenhand.core.retrieval.lint import lint
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.reports.golden_sets import build_facts
from evenhand.usecases.golden_sets import list_sets
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.ports.browsing import SetEntry

KEY: Final = "sets"
#: How many sets that have results are looked for.
_SETS: Final = 200
_QUESTIONS: Final = 25
_RESULTS: Final = 5
_DECISIONS: Final = 10

_Found = tuple[
    SetEntry | None,
    tuple[EvaluationRecord, ...],
    Ledger,
    tuple[tuple[int, GoldenQuestion], ...],
]


def list_golden_sets(request: Request) -> Response:
    """Every set that is imported or has a result."""
    parts = parts_of(request)
    now = parts.clock.now()

    def work(uow: UnitOfWork) -> tuple[SetRow, ...]:
        evaluated = uow.evaluation_pages.list_set_identifiers(_SETS)
        imported = list_sets(uow)
        identifiers = {*evaluated, *(one.identifier for one in imported)}
        newest = {
            one: uow.evaluations.list_latest(set_identifier=one, retriever=None, limit=1)
            for one in identifiers
        }
        latest = {one: found[0] for one, found in newest.items() if found}
        return set_rows(imported, evaluated, latest, now=now)

    return render(request, "sets/list.html", parts.database.read(work), here=KEY)


def show_set(request: Request) -> Response:
    """One set by its identifier."""
    parts = parts_of(request)
    identifier: str = request.path_params["identifier"]
    after = read_place(request)
    entry, records, ledger, questions = parts.database.read(
        lambda uow: _find(uow, identifier, after)
    )
    view = build_set(
        identifier,
        entry,
        records=records,
        ledger=ledger,
        questions=questions,
        after=after,
        size=_QUESTIONS,
        typed=parts.recall(identifier),
        now=parts.clock.now(),
        parts=lambda: _parts(request, identifier, entry),
    )
    return stream(request, "sets/show.html", view, here=KEY)


def _find(uow: UnitOfWork, identifier: str, after: int) -> _Found:
    entry = uow.golden_set_pages.find_entry(identifier)
    records = uow.evaluations.list_latest(
        set_identifier=identifier, retriever=None, limit=_RESULTS
    )
    if entry is None and not records:
        raise GoldenSetNotFound(identifier, tuple(one.identifier for one in list_sets(uow)))
    stated = [one.identity.fingerprints.labels for one in records if one.identity is not None]
    labels = entry.labels_fingerprint if entry is not None else next(iter(stated), None)
    ledger = Ledger(counts=None, latest=())
    if labels is not None:
        ledger = Ledger(
            counts=uow.set_uses.count(labels), latest=uow.set_uses.list_latest(labels, _DECISIONS)
        )
    questions = uow.golden_set_pages.list_questions(identifier, after=after, limit=_QUESTIONS + 1)
    return entry, records, ledger, questions


def _parts(request: Request, identifier: str, entry: SetEntry | None) -> SetParts:
    """What rests on every question; a set that is imported again is another one."""
    database = parts_of(request).database
    imported_at = None if entry is None else entry.imported_at

    def make() -> SetParts:
        golden_set = database.read(lambda uow: uow.golden_sets.find(identifier))
        if golden_set is None:
            raise GoldenSetNotFound(identifier, ())
        return build_parts(build_facts(golden_set, origin="imported"), lint(golden_set))

    return remembered_of(request).get(("set", identifier, imported_at), make)


ROUTES: Final = (
    Route(SETS, list_golden_sets),
    Route(f"{SETS}/{{identifier}}", show_set),
)
PLACES: Final = (Place(key=KEY, name="Sets", path=SETS, group=MEASURE, shortcut="s"),)
