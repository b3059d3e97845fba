"""The overview: what is new, and what to run where nothing is there yet."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import OVERVIEW
from evenhand.console.navigation import MEASURE, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.overview import build_overview
from evenhand.console.rendering import render

KEY: Final = "overview"
#: How many evaluations are shown.
LATEST: Final = 8


def show_overview(request: Request) -> Response:
    """What is new: the latest evaluations."""
    parts = parts_of(request)
    found = parts.database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=LATEST)
    )
    view = build_overview(found, now=parts.clock.now(), mode=parts.mode)
    return render(request, "overview/show.html", view, here=KEY)


ROUTES: Final = (Route(OVERVIEW, show_overview),)
PLACES: Final = (Place(key=KEY, name="Overview", path=OVERVIEW, group=MEASURE, shortcut="o"),)
