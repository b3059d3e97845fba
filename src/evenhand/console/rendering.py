"""How does a view become a page? Templates only; no HTML is made in Python.

Templates escape every value, and an undefined one is an error, never an empty place. Those of
`reports` are at hand too, so that a verdict looks the same in a report and here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, StreamingResponse

from evenhand.console.addresses import STATIC, with_query
from evenhand.console.guard import form_token_of, may, principal_of
from evenhand.console.navigation import MenuGroup, Place, grouped, kept_places
from evenhand.console.parts import Mode, parts_of
from evenhand.core.errors import EvenhandError
from evenhand.reports.environment import build_environment
from evenhand.reports.numbers import short_id
from evenhand.reports.safe_text import shown_text

_OK: Final = 200
#: Where a template writes this, what came before it is sent while the rest is being made.
PAUSE: Final = Markup("<!--more-->")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands around a page.

    Attributes:
        menu: the places that this person sees.
        here: key of the place that the page belongs to; empty for none.
        title: of what the console shows.
        mode: whose console it is.
        release: version of Evenhand.
        role: of who is signed in on a hub; empty for nobody, and on a laptop.
        form_token: what the form that signs out holds; empty for nobody.
    """

    menu: tuple[MenuGroup, ...]
    here: str
    title: str
    mode: Mode
    release: str
    role: str
    form_token: str

    def static(self, name: str) -> str:
        """Address of a file of this release; it may be kept for ever."""
        return with_query(f"{STATIC}/{name}", v=self.release)


def render(
    request: Request, template: str, view: object, *, here: str = "", status: int = _OK
) -> HTMLResponse:
    """A page.

    Args:
        request: to which it answers.
        template: name of the template, such as ``sets/list.html``.
        view: what it shows, as ``view``.
        here: key of the place in the menu that it belongs to.
        status: of the answer.
    """
    return HTMLResponse(_text(template, view, frame_of(request, here=here)), status_code=status)


def stream(request: Request, template: str, view: object, *, here: str) -> StreamingResponse:
    """A page whose beginning is sent before its end is made, up to each `PAUSE` of its template.

    What is costly stands at the end, and the view makes it when the template asks for it; so the
    answer to what somebody came for does not wait for it, with or without script.

    Args:
        request: to which it answers.
        template: name of the template.
        view: what it shows, as ``view``.
        here: key of the place in the menu that it belongs to.
    """
    pieces = (
        environment()
        .get_template(template)
        .generate(view=view, frame=frame_of(request, here=here))
    )
    return StreamingResponse(_joined(pieces), media_type="text/html")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a page made at its end.

    Attributes:
        value: what was made; None where it was refused.
        problem: why; empty where it was made.
    """

    value: object
    problem: str = ""


def attempt(make: Callable[[], object]) -> Attempt:
    """What ``make`` gives, or why it is refused: the status of the answer was sent before."""
    try:
        return Attempt(value=make())
    except EvenhandError as error:
        return Attempt(value=None, problem=shown_text(str(error), limit=None))


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces up to each pause as one: each that is sent costs a change of threads."""
    held: list[str] = []
    for piece in pieces:
        if piece == PAUSE:
            yield "".join(held)
            held.clear()
        else:
            held.append(piece)
    yield "".join(held)


def render_bare(request: Request, template: str, view: object, *, status: int) -> HTMLResponse:
    """A page for which the store is not asked, because that may be what is wrong."""
    frame = _frame(request, _fixed(request), here="")
    return HTMLResponse(_text(template, view, frame), status_code=status)


def fragment(template: str, view: object) -> str:
    """A part of a page, to take the place of the same part in one that is open."""
    return environment().get_template(template).render(view=view)


def frame_of(request: Request, *, here: str) -> Frame:
    """What stands around a page; on a laptop without places of which the store holds nothing."""
    parts, places = parts_of(request), _places(request)
    if parts.mode is Mode.LAPTOP:
        places = parts.database.read(lambda uow: kept_places(uow, places))
    return _frame(request, places, here=here)


def _frame(request: Request, places: tuple[Place, ...], *, here: str) -> Frame:
    parts, principal = parts_of(request), principal_of(request)
    return Frame(
        menu=grouped(place for place in places if may(request, place.action)),
        here=here,
        title=parts.title,
        mode=parts.mode,
        release=parts.release,
        role="" if principal is None else principal.role.value,
        form_token=form_token_of(request),
    )


def _places(request: Request) -> tuple[Place, ...]:
    places: tuple[Place, ...] = request.app.state.places
    return places


def _fixed(request: Request) -> tuple[Place, ...]:
    return tuple(place for place in _places(request) if place.is_kept is None)


def _text(template: str, view: object, frame: Frame) -> str:
    return environment().get_template(template).render(view=view, frame=frame)


@cache
def environment() -> Environment:
    """The templates' environment, made once."""
    made = build_environment(
        ChoiceLoader(
            [
                PackageLoader("evenhand.console", "templates"),
                PackageLoader("evenhand.reports", "templates"),
            ]
        )
    )
    made.filters["short_id"] = short_id
    made.globals["PAUSE"] = PAUSE
    made.globals["attempt"] = attempt
    return made
