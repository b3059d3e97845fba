"""Events: the contract with its decisions, what was refused, and trusted answers over a window."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from evenhand.console.addresses import EVENTS, QUESTIONS, question_address, with_query
from evenhand.console.downloads import download
from evenhand.console.instants import read_window
from evenhand.console.navigation import TRAIL, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.answers import answer_view
from evenhand.console.present.events import events_view
from evenhand.console.rendering import render
from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.trusted import Question, TrustedAnswer, load_question, question_names
from evenhand.core.errors import EvenhandError
from evenhand.reports.csv_exports import answer_header, answer_rows
from evenhand.usecases import events as verbs
from evenhand.usecases.ports import UnitOfWork

KEY: Final = "events"
#: Days of a window of which nothing is said.
_DAYS: Final = 28


def show_events(request: Request) -> Response:
    """The contract, the questions that may be asked, and what was refused in a window."""
    parts, query = parts_of(request), request.query_params
    window = read_window(query.get("start"), query.get("end"), now=parts.clock.now(), days=_DAYS)
    rejected = parts.database.read(lambda uow: uow.events.count_rejections(window))
    questions = [(name, _question(name)) for name in question_names()]
    view = events_view(shipped_contract(), questions, rejected, window)
    return render(request, "events/show.html", view, here=KEY)


def show_answer(request: Request) -> Response:
    """What a reviewed question gives over a window: groups and no total."""
    answer = _answer(request)
    csv = with_query(
        question_address(f"{answer.question.name}.csv"),
        start=answer.window.start.isoformat(),
        end=answer.window.end.isoformat(),
    )
    return render(request, "events/answer.html", answer_view(answer, csv=csv), here=KEY)


def export_answer(request: Request) -> StreamingResponse:
    """The same as CSV."""
    answer = _answer(request)
    return download(f"{answer.question.name}.csv", answer_header(answer), answer_rows(answer))


def _answer(request: Request) -> TrustedAnswer:
    parts, query = parts_of(request), request.query_params
    name = request.path_params["question"]
    window = read_window(query.get("start"), query.get("end"), now=parts.clock.now(), days=_DAYS)
    return parts.database.read(lambda uow: verbs.answer(uow, name, window))


def _question(name: str) -> Question | EvenhandError:
    try:
        return load_question(name)
    except EvenhandError as error:
        # An edited or unreviewed text is not asked, and the page says so.
        return error


def _is_kept(uow: UnitOfWork) -> bool:
    return uow.events.has_any()


ROUTES: Final = (
    Route(EVENTS, show_events),
    Route(f"{QUESTIONS}/{{question}}.csv", export_answer),
    Route(f"{QUESTIONS}/{{question}}", show_answer),
)
PLACES: Final = (
    Place(key=KEY, name="Events", path=EVENTS, group=TRAIL, shortcut="v", is_kept=_is_kept),
)
