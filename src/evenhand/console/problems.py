"""What does somebody see when a page cannot be shown? What is wrong, and where it goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from evenhand.console.rendering import render_bare
from evenhand.core.errors import Conflict, EvenhandError, Fenced, Invalid, NotFound
from evenhand.core.errors.access import Forbidden, Unauthenticated
from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable
from evenhand.reports.safe_text import shown_text

_TEMPLATE: Final = "problem.html"
_NOT_FOUND: Final = 404
_INTERNAL: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemView:
    """One thing that is wrong.

    Attributes:
        status: of the answer.
        title: for people.
        detail: which thing and which rule; empty where nothing more is known.
        code: stable name; empty for what no use case was asked about.
        back: address of the page whose form was refused; empty for what was no form.
    """

    status: int
    title: str
    detail: str = ""
    code: str = ""
    back: str = ""


#: Family of the domain's errors → status and title; the first that fits.
_FAMILIES: Final[Sequence[tuple[type[EvenhandError], int, str]]] = (
    (Unauthenticated, 401, "You are not signed in"),
    (Forbidden, 403, "You may not do this"),
    (NotFound, 404, "There is no such thing"),
    (Conflict, 409, "It was changed meanwhile, or contradicts what is stored"),
    (Fenced, 409, "Its state does not allow this"),
    (Invalid, 422, "A value breaks a rule"),
    (DatabaseUnavailable, 503, "The database does not answer"),
    (DatabaseNotReady, 503, "The database cannot be used as it is"),
)
_OF_HTTP: Final = {
    404: "There is no page at this address",
    405: "This address does not take what was sent",
}


def domain_problem(request: Request, error: Exception) -> Response:
    """The page for what a use case or the store refused.

    Raises:
        Exception: the error itself, where it is of no family that a reader can act on.
    """
    if not isinstance(error, EvenhandError):
        raise error
    for family, status, title in _FAMILIES:
        if isinstance(error, family):
            view = ProblemView(
                status=status,
                title=title,
                detail=shown_text(str(error), limit=None),
                code=error.code,
                back=_page_of(request),
            )
            return render_bare(request, _TEMPLATE, view, status=status)
    raise error


def _page_of(request: Request) -> str:
    """The page that a form is on: forms are sent to what lies below its address."""
    return request.url.path.rpartition("/")[0] if request.method == "POST" else ""


def http_problem(request: Request, error: Exception) -> Response:
    """The page for what the framework itself refuses."""
    status = error.status_code if isinstance(error, HTTPException) else _NOT_FOUND
    view = ProblemView(status=status, title=_OF_HTTP.get(status, "The request was not understood"))
    page = render_bare(request, _TEMPLATE, view, status=status)
    page.headers.update(getattr(error, "headers", None) or {})
    return page


def unforeseen_problem(request: Request) -> Response:
    """The page for an error that nobody foresaw; it says nothing of itself."""
    view = ProblemView(
        status=_INTERNAL,
        title="Something went wrong in Evenhand",
        detail="Its log says where it happened.",
    )
    return render_bare(request, _TEMPLATE, view, status=_INTERNAL)
