"""How are the pages put together into one application?"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from evenhand.console.addresses import OVERVIEW, ROOT, STATIC
from evenhand.console.guard import FormThreads, guarded
from evenhand.console.pages import (
    audit,
    compare,
    deployments,
    evaluation,
    evaluations,
    events,
    exports,
    gateway_requests,
    intent_form,
    intents,
    overview,
    questions,
    reviews,
    routes,
    sets,
    sign_in,
    strata,
)
from evenhand.console.parts import ConsoleParts
from evenhand.console.problems import domain_problem, http_problem, unforeseen_problem
from evenhand.console.remembered import Remembered
from evenhand.console.security import Secured
from evenhand.core.errors import EvenhandError

#: Modules of pages, each with ROUTES and PLACES, in the order of the menu.
_PAGES: Final = (
    overview,
    sets,
    evaluations,
    evaluation,
    questions,
    exports,
    compare,
    intents,
    deployments,
    routes,
    gateway_requests,
    reviews,
    strata,
    events,
    audit,
)
#: Every page behind its guard; the form of a comparison comes before the page of one, whose
#: pattern fits its address too.
GUARDED: Final = tuple(guarded(route) for page in (intent_form, *_PAGES) for route in page.ROUTES)


def build_console(parts: ConsoleParts) -> Starlette:
    """The console; its pages lie below ``/console``, and what leads there is redirected.

    Args:
        parts: what it is made of.
    """
    listed: list[BaseRoute] = [
        Route("/", _to_overview),
        Route(ROOT, _to_overview),
        *sign_in.ROUTES,
        *GUARDED,
        Mount(STATIC, StaticFiles(directory=str(files("evenhand.console") / "static"))),
    ]
    app = Starlette(
        routes=listed,
        middleware=[Middleware(Secured, parts=parts, failed_page=unforeseen_problem)],
        exception_handlers={EvenhandError: domain_problem, HTTPException: http_problem},
    )
    app.router.redirect_slashes = False
    app.state.parts = parts
    app.state.form_threads = FormThreads()
    app.state.remembered = Remembered()
    app.state.places = tuple(place for page in _PAGES for place in page.PLACES)
    return app


def _to_overview(request: Request) -> RedirectResponse:
    del request
    return RedirectResponse(OVERVIEW, status_code=303)
