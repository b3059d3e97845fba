"""Reviews on pages: one trail, strata that nobody pools, unknown that stays unknown."""

import re

import pytest

from evenhand.core.review.job import AgentJob
from tests.console.conftest import Console, only_sqlite
from tests.console.rows import fill_reviews
from tests.usecases.reviews.conftest import World

REVIEWS, STRATA = "/console/reviews", "/console/review-strata"


@pytest.fixture
def kept(console: Console) -> tuple[World, AgentJob]:
    return fill_reviews(console.parts.database)


def test_the_list_is_by_project_and_state(console: Console, kept: tuple[World, AgentJob]) -> None:
    world, reviewed = kept

    everything = console.get(REVIEWS)
    waiting = console.get(f"{REVIEWS}?state=queued&project={world.project_id}")

    assert len([one for one in everything.links() if one.startswith(f"{REVIEWS}/")]) == 3
    [queued] = [one for one in waiting.links() if one.startswith(f"{REVIEWS}/")]
    assert queued != f"{REVIEWS}/{reviewed.id}"
    assert "1: none yet" in waiting.text


@only_sqlite
def test_a_trail_goes_from_configuration_to_reaction(
    console: Console, kept: tuple[World, AgentJob]
) -> None:
    page = console.get(f"{REVIEWS}/{kept[1].id}")

    parts = ["Asked for", "Ran with", "Criteria", "Attempts", "Observations", "Feedback"]
    places = [page.text.index(part) for part in (*parts, "Answer accepted", "Steps")]
    assert places == sorted(places)
    assert "grounded revision 1" in page.text
    assert "2 candidates, 1 refused" in page.text
    assert "absent, bad, major" in page.text
    assert "The passage says the contrary." in page.text
    assert "1: missing field" in page.text


@only_sqlite
def test_a_review_that_waits_has_found_nothing_yet(
    console: Console, kept: tuple[World, AgentJob]
) -> None:
    waiting = console.get(f"{REVIEWS}?state=queued&project={kept[0].project_id}")
    [queued] = [one for one in waiting.links() if one.startswith(f"{REVIEWS}/")]
    text = console.get(queued).text

    assert "Observations none yet" in text
    assert "Feedback none yet" in text


@only_sqlite
def test_what_nobody_said_is_unknown(console: Console, kept: tuple[World, AgentJob]) -> None:
    page = console.get(f"{REVIEWS}/{kept[1].id}")

    assert "Placement none" in page.text
    assert "Reaction unknown" in page.text
    assert "Answer accepted unknown" in page.text


@only_sqlite
def test_strata_stand_side_by_side_and_are_never_added_up(
    console: Console, kept: tuple[World, AgentJob]
) -> None:
    alone = console.get(f"{STRATA}?project={kept[0].project_id}")
    names = sorted({one["value"] for one in alone.all("option") if len(one["value"]) == 64})
    both = console.get(
        f"{STRATA}?project={kept[0].project_id}&current={names[0]}&candidate={names[1]}"
    )

    assert len(names) == 2
    assert len(alone.all("article")) == 2
    assert len(both.all("article")) == 2
    assert "Verdict: Comparable" in both.text
    assert not re.search(r"\btotal\b", both.text, re.IGNORECASE)


@only_sqlite
def test_one_stratum_is_not_set_beside_itself(
    console: Console, kept: tuple[World, AgentJob]
) -> None:
    page = console.get(f"{STRATA}?project={kept[0].project_id}&current=a&candidate=a")

    assert page.status == 422
    assert "candidate: must be another stratum than the current one" in page.text


@only_sqlite
def test_a_stratum_that_is_not_there_is_not_found(
    console: Console, kept: tuple[World, AgentJob]
) -> None:
    page = console.get(f"{STRATA}?project={kept[0].project_id}&current=a&candidate=b")

    assert (page.status, "stratum_not_found" in page.text) == (404, True)


@only_sqlite
@pytest.mark.parametrize("path", [REVIEWS, STRATA])
def test_without_a_review_the_page_says_what_to_do(console: Console, path: str) -> None:
    page = console.get(path)

    assert page.status == 200
    assert "yet" in page.text
    assert path not in console.get("/console/").links()
