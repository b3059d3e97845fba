"""Feedback on both databases: withheld is recorded, placement needs a proof, silence is unknown."""

from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.core.errors import InvalidValue
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import FeedbackConflict, ObservationsConflict, ReviewNotFound
from evenhand.core.review.feedback import FeedbackState, PlacementType, SuppressionReason
from evenhand.core.review.reaction import Resolution, Usefulness
from evenhand.usecases.registry import projects
from evenhand.usecases.reviews import feedback, reading, responses
from tests.review_builders import a_candidate
from tests.usecases.reviews.conftest import FULL, OPERATOR, SOMEBODY, World, stranger


def view(world: World, name: str) -> list[dict[str, Any]]:
    """The rows of one of the joins."""
    query = sa.text(f"SELECT * FROM {name}")  # noqa: S608 -- our own views
    with world.database.engine.connect() as connection:
        return [dict(row) for row in connection.execute(query).mappings()]


def place(world: World, one: Any, reference: str | None) -> Any:
    return world.run(
        lambda uow: feedback.place(
            uow,
            one.id,
            type=PlacementType.SUMMARY,
            path=None,
            line=None,
            channel_reference=reference,
            principal=OPERATOR,
            ids=world.ids,
        )
    )


def dispatch(world: World, one: Any, acknowledgement: str | None, attempt: int = 1) -> Any:
    return world.run(
        lambda uow: feedback.dispatch(
            uow,
            one.id,
            attempt=attempt,
            acknowledgement=acknowledgement,
            error_class=None,
            principal=OPERATOR,
            ids=world.ids,
        )
    )


def react(world: World, one: Any, **stated: Any) -> Any:
    given: dict[str, Any] = {
        "feedback_id": one.id,
        "reactor": "r1",
        "usefulness": None,
        "resolution": None,
        "explanation": None,
        "principal": OPERATOR,
        "policy": FULL,
    }
    world.later(seconds=1)
    return world.run(lambda uow: responses.react(uow, ids=world.ids, **given | stated))


@pytest.mark.proves("R-27", "BR-28")
def test_withheld_feedback_has_a_row_with_its_reason(world: World) -> None:
    job = world.review()
    one = world.compose(
        job,
        state=FeedbackState.SUPPRESSED,
        suppression_reason=SuppressionReason.RECIPIENT_OPTED_OUT,
        links=(),
    )
    (row,) = view(world, "feedback_placement_evidence")
    assert (row["feedback_id"], row["state"]) == (one.id, "suppressed")


@pytest.mark.proves("R-35", "R-36", "G-33")
def test_an_observation_leads_to_its_review_and_to_the_admitted_criteria(world: World) -> None:
    job = world.review(repository_revision="abc")
    (row,) = view(world, "observation_review")
    assert job.snapshot is not None
    assert (row["agent_job_id"], row["config_digest"]) == (job.id, job.snapshot.sha256)
    assert (row["repository_revision"], row["prompt_digest"]) == ("abc", "a" * 64)
    assert (row["practice"], row["practice_revision_digest"]) == (
        "grounded",
        world.revision.criteria.digest,
    )
    # Nobody told of usage, so it is unknown.
    assert (row["model"], row["cost_micros"]) == (None, None)


@pytest.mark.proves("R-37", "R-38", "R-39", "BR-29")
def test_feedback_is_reached_through_links_only_and_none_says_nothing_of_why(
    world: World,
) -> None:
    job = world.review(candidates=[a_candidate(), a_candidate()])
    composed = world.composed(job)
    one = world.compose(job, links=composed.links[:1])
    rows = {row["observation_id"]: row for row in view(world, "observation_feedback")}
    linked, unlinked = (link.observation_id for link in composed.links)
    assert (rows[linked]["feedback_id"], rows[linked]["role"]) == (one.id, "primary")
    assert {name for name, value in rows[unlinked].items() if value is not None} == {
        "observation_id",
        "agent_job_id",
    }
    assert not [name for name in rows[linked] if "absence" in name or "why" in name]


@pytest.mark.proves("R-31", "R-40", "R-41", "G-31")
def test_only_a_channel_s_word_proves_a_placement(world: World) -> None:
    job = world.review()
    one = world.move(world.compose(job), FeedbackState.DELIVERED)

    def evidence() -> tuple[Any, ...]:
        (row,) = view(world, "feedback_placement_evidence")
        names = ("state", "placements", "referenced_placements", "placement_evidence")
        return tuple(row[name] for name in names)

    assert evidence() == ("delivered", 0, 0, "none")
    place(world, one, None)
    place(world, one, "  ")
    dispatch(world, one, None)
    assert evidence() == ("delivered", 2, 0, "none")
    place(world, one, "comment-1")
    assert evidence() == ("delivered", 3, 1, "proven")


@pytest.mark.proves("R-31")
def test_an_acknowledged_dispatch_proves_a_placement_as_well(world: World) -> None:
    one = world.compose(world.review())
    dispatch(world, one, "taken")
    (row,) = view(world, "feedback_placement_evidence")
    assert (row["state"], row["placement_evidence"]) == ("prepared", "proven")
    with pytest.raises(FeedbackConflict) as error:
        dispatch(world, one, None)
    assert error.value.code == "feedback_exists"


@pytest.mark.proves("R-42", "R-43", "R-44", "G-32")
def test_the_newest_reaction_leads_to_the_observation_and_says_only_what_was_said(
    world: World,
) -> None:
    one = world.move(world.compose(world.review()), FeedbackState.DELIVERED)
    assert view(world, "reaction_observation") == []
    react(world, one, usefulness=Usefulness.USEFUL)
    newest = react(world, one, resolution=Resolution.ADDRESSED)
    rows = {row["reaction_id"]: row for row in view(world, "reaction_observation")}
    assert len(rows) == 2
    assert [row["reaction_id"] for row in rows.values() if row["is_current"]] == [newest.id]
    current = rows[newest.id]
    assert (current["resolution"], current["usefulness"]) == ("addressed", None)
    assert current["observation_id"] == one.links[0].observation_id


@pytest.mark.proves("BR-31")
def test_only_the_recipient_reacts_and_only_to_what_was_delivered(world: World) -> None:
    one = world.compose(world.review())
    with pytest.raises(FeedbackConflict) as error:
        react(world, one)
    assert error.value.code == "not_delivered"
    delivered = world.move(one, FeedbackState.DELIVERED)
    with pytest.raises(InvalidValue):
        react(world, delivered, reactor="r2")
    with pytest.raises(InvalidValue):
        react(world, delivered, resolution=Resolution.DISPUTED, explanation=" ")
    assert react(world, delivered, resolution=Resolution.DISPUTED, explanation="No.").is_explained


@pytest.mark.proves("BR-21", "BR-26")
def test_feedback_quotes_the_payload_and_has_a_place_of_its_own(world: World) -> None:
    job = world.review()
    with pytest.raises(ObservationsConflict):
        world.compose(job, admission_digest="0" * 64)
    one = world.compose(job)
    assert world.compose(job).id == one.id
    with pytest.raises(FeedbackConflict) as error:
        world.compose(job, recipient="r2")
    assert error.value.code == "feedback_exists"
    with pytest.raises(FeedbackConflict):
        world.compose(job, position=1, state=FeedbackState.DELIVERED)
    with pytest.raises(InvalidValue):
        world.compose(job, position=1, links=())
    other = world.composed(world.review())
    with pytest.raises(ReferenceRefused):
        world.compose(job, position=1, links=other.links)


@pytest.mark.proves("G-30")
def test_a_state_follows_only_from_the_one_that_the_caller_saw(world: World) -> None:
    one = world.compose(world.review())
    failed = world.move(one, FeedbackState.FAILED)
    with pytest.raises(FeedbackConflict):
        world.move(one, FeedbackState.DELIVERED)
    assert world.move(failed, FeedbackState.DELIVERED).delivered_at is not None


def test_an_answer_s_newest_acceptance_is_told_with_the_trail(world: World) -> None:
    job = world.review()
    for accepted in (True, False):
        world.later(seconds=1)
        world.accept(accepted)
    trail = world.database.read(lambda uow: reading.trail_of(uow, job))
    assert [one.accepted for one in trail.acceptances] == [True, False]
    assert [one.id for one in trail.revisions] == [world.revision.id]


def test_feedback_of_another_project_is_unknown_to_a_service_client(world: World) -> None:
    one = world.compose(world.review())
    by: Any = {"actor": SOMEBODY, "ids": world.ids}
    other = world.run(lambda uow: projects.create(uow, name="other", **by))
    with pytest.raises(ReviewNotFound) as error:
        react(world, one, principal=stranger(other.id))
    assert error.value.code == "feedback_not_found"
