"""The questions of one evaluation, a page at a time: what became of each, failures as such."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import EVALUATIONS
from evenhand.console.listing import read_place
from evenhand.console.navigation import Place
from evenhand.console.parts import parts_of
from evenhand.console.present.questions import SHOWS, Joined, QuestionsView, build_questions
from evenhand.console.rendering import render
from evenhand.console.shown_questions import get_with_questions
from evenhand.core.errors import Invalid
from evenhand.core.retrieval.golden import QueryId
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.usecases.ports import UnitOfWork

_KEY: Final = "evaluations"
_SIZE: Final = 25
#: Outcomes that are read together, and how many a page looks at before it says how far it came.
_TOGETHER: Final = 1000
_REACH: Final = 10_000


def list_questions(request: Request) -> Response:
    """Questions of an evaluation in order of position: all, missed, failed or unjudged ones."""
    evaluation_id: str = request.path_params["evaluation_id"]
    show = request.query_params.get("show") or next(iter(SHOWS))
    if show not in SHOWS:
        rule = f"show: must be one of {', '.join(SHOWS)}"
        raise Invalid(rule)
    after = read_place(request)
    view = parts_of(request).database.read(lambda uow: _view(uow, evaluation_id, show, after))
    return render(request, "evaluations/questions.html", view, here=_KEY)


def _view(uow: UnitOfWork, evaluation_id: str, show: str, after: int) -> QuestionsView:
    record = get_with_questions(uow, evaluation_id)
    found, reached = _find(uow, record, show, after)
    joined = _join(uow, record, [one.position for one in found])
    return build_questions(record, found, joined, show=show, after=after, reached=reached)


def _find(
    uow: UnitOfWork, record: EvaluationRecord, show: str, after: int
) -> tuple[list[Outcome], int | None]:
    """A page of outcomes, and the last position that was looked at; None at the end."""
    is_shown, found, place = SHOWS[show], [], after
    while place - after < _REACH:
        read = uow.evaluations.list_outcomes(record.id, after=place, limit=_TOGETHER) or ()
        for outcome in read:
            place = outcome.position
            if is_shown(outcome):
                found.append(outcome)
            if len(found) == _SIZE:
                return found, place if place + 1 < record.counts.attempted else None
        if len(read) < _TOGETHER:
            return found, None
    return found, place


def _join(uow: UnitOfWork, record: EvaluationRecord, positions: list[int]) -> Joined:
    """What is known of the questions at these positions.

    Ids come with rankings where those were kept. Else they are the set's at these positions, which
    holds where its labels are those of the result and no question is unjudged: unjudged ones take
    positions and are in no labels digest.
    """
    rankings = uow.evaluation_pages.list_rankings_at(record.id, positions)
    ids: dict[int, QueryId] = {place: one.query_id for place, one in rankings.items()}
    entry = uow.golden_set_pages.find_entry(record.set_identifier)
    labels = None if record.identity is None else record.identity.fingerprints.labels
    not_joined = ""
    if entry is None:
        not_joined = "The texts of questions are not known here: the golden set is not imported."
    elif labels is None:
        not_joined = (
            "The imported set is not joined: this result does not say which labels it was scored "
            "with."
        )
    elif labels != entry.labels_fingerprint:
        not_joined = "The imported set is not joined: its labels are not those of this result."
    elif not (record.counts.unjudged or entry.unjudged):
        missing = [place for place in positions if place not in ids]
        ids |= uow.golden_set_pages.find_ids_at(record.set_identifier, missing)
    questions = (
        {}
        if not_joined
        else uow.golden_set_pages.find_questions(record.set_identifier, list(ids.values()))
    )
    return Joined(ids=ids, questions=questions, rankings=rankings, not_joined=not_joined)


ROUTES: Final = (Route(f"{EVALUATIONS}/{{evaluation_id}}/questions", list_questions),)
PLACES: Final[tuple[Place, ...]] = ()
