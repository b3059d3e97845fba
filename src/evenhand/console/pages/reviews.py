"""Reviews: a list of jobs, and the one trail from configuration to reaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evenhand.console.addresses import REVIEWS
from evenhand.console.listing import Listing, Paged, page_of, read_listing
from evenhand.console.names import choices_of, names_of
from evenhand.console.navigation import TRAIL, Place
from evenhand.console.parts import parts_of
from evenhand.console.present.review_trail import trail_view
from evenhand.console.present.reviews import ReviewRow, review_row
from evenhand.console.rendering import render
from evenhand.core.errors import InvalidValue
from evenhand.core.review.states import JobState
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.reviews import reading

KEY: Final = "reviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewsView:
    """A page of the list.

    Attributes:
        listing: what was asked for.
        page: the rows.
        projects: id and name of what can be chosen.
        states: what can be chosen.
    """

    listing: Listing
    page: Paged[ReviewRow]
    projects: tuple[tuple[str, str], ...]
    states: tuple[str, ...]


def list_reviews(request: Request) -> Response:
    """Newest first, those that are asked for."""
    parts = parts_of(request)
    listing = read_listing(request, filters=("project", "state"))
    state = _state(listing.filter("state"))

    def read(uow: UnitOfWork) -> ReviewsView:
        found = uow.review_jobs.list_latest(
            project_id=listing.filter("project"),
            state=state,
            limit=listing.size + 1,
            after=_edge(uow, listing.after, "after"),
            before=_edge(uow, listing.before, "before"),
        )
        names = names_of(uow.projects, (one.submission.project_id for one in found))
        now = parts.clock.now()
        rows = [review_row(one, names, now=now) for one in found]
        return ReviewsView(
            listing=listing,
            page=page_of(listing, rows, id_of=lambda row: row.id),
            projects=choices_of(uow.projects),
            states=tuple(one.value for one in JobState),
        )

    view = parts.database.read(read)
    return render(request, "reviews/list.html", view, here=KEY)


def show_review(request: Request) -> Response:
    """One review, from its configuration to what came back."""
    job_id = request.path_params["job_id"]
    trail = parts_of(request).database.read(lambda uow: reading.find_trail(uow, job_id))
    return render(request, "reviews/show.html", trail_view(trail), here=KEY)


def _state(stated: str | None) -> JobState | None:
    if stated is None:
        return None
    try:
        return JobState(stated)
    except ValueError:
        known = ", ".join(one.value for one in JobState)
        raise InvalidValue("state", f"must be one of {known}") from None


def _edge(uow: UnitOfWork, job_id: str | None, name: str) -> tuple[datetime, str] | None:
    if job_id is None:
        return None
    found = uow.review_jobs.find(job_id)
    if found is None:
        raise InvalidValue(name, "names a review that is not kept any more")
    return found.created_at, found.id


def _is_kept(uow: UnitOfWork) -> bool:
    return bool(uow.review_jobs.list_latest(limit=1))


ROUTES: Final = (
    Route(REVIEWS, list_reviews),
    Route(f"{REVIEWS}/{{job_id}}", show_review),
)
PLACES: Final = (
    Place(key=KEY, name="Reviews", path=REVIEWS, group=TRAIL, shortcut="r", is_kept=_is_kept),
)
