"""Strata of reviews: each by itself, and two of them side by side; nothing adds two up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import STRATA
from evenhand.console.names import choices_of
from evenhand.console.navigation import TRAIL, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.strata import SidesView, StrataView, sides_view, strata_view
from evenhand.console.rendering import render
from evenhand.core.errors import InvalidValue
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.registry.finding import find_project
from evenhand.usecases.reviews import reading

KEY: Final = "strata"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataPage:
    """Strata of a project.

    Attributes:
        projects: id and name of what can be chosen.
        project: id of the chosen one; empty where there is none to choose.
        strata: of it; None without a project.
        sides: two of them side by side; None where no two are asked for.
        current, candidate: names of the two; empty for none.
    """

    projects: tuple[tuple[str, str], ...]
    project: str
    strata: StrataView | None
    sides: SidesView | None
    current: str
    candidate: str


def show_strata(request: Request) -> Response:
    """Every stratum of a project by itself; two of them side by side where two are named."""
    query = request.query_params
    current, candidate = query.get("current", ""), query.get("candidate", "")
    if current and current == candidate:
        raise InvalidValue("candidate", "must be another stratum than the current one")

    def read(uow: UnitOfWork) -> StrataPage:
        projects = choices_of(uow.projects)
        asked = query.get("project") or (projects[0][0] if projects else "")
        project = find_project(uow, asked).id if asked else ""
        sides = None
        if project and current and candidate:
            sides = sides_view(reading.stratum_rates(uow, project, (current,), (candidate,)))
        return StrataPage(
            projects=projects,
            project=project,
            strata=strata_view(reading.strata_of(uow, project)) if project else None,
            sides=sides,
            current=current,
            candidate=candidate,
        )

    view = parts_of(request).database.read(read)
    return render(request, "reviews/strata.html", view, here=KEY)


def _is_kept(uow: UnitOfWork) -> bool:
    return bool(uow.review_jobs.list_latest(limit=1))


ROUTES: Final = (Route(STRATA, show_strata),)
PLACES: Final = (
    Place(key=KEY, name="Review strata", path=STRATA, group=TRAIL, shortcut="t", is_kept=_is_kept),
)
