"""Which reviews a purge takes, which it must not, and that nothing of one that went remains."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.registry import RegisteredNotFound
from evenhand.core.review.feedback import FeedbackState
from evenhand.core.review.reaction import Usefulness
from evenhand.core.review.states import AttemptOutcome
from evenhand.store.engine import database_file
from evenhand.store.retention import PURGED
from evenhand.store.tables import metadata
from evenhand.store.uow import Database
from evenhand.usecases.reviews import keeping
from tests.review_builders import a_candidate, an_answer
from tests.store.conftest import only_sqlite
from tests.usecases.conftest import SettableClock
from tests.usecases.reviews.conftest import SOMEBODY, World, made_world
from tests.usecases.reviews.test_attempts import SPENT
from tests.usecases.reviews.test_feedback import dispatch, place, react
from tests.usecases.reviews.test_grounding import label, only_stratum, record, said, waive

CANARY = "CANARY-51b0"


@pytest.fixture
def world(database: Database) -> World:
    return made_world(database, SettableClock())


def full_review(world: World, answer: str = "answer-1", **stated: Any) -> str:
    """A review with a row in every table; gives its id."""
    job = world.review(
        spent=SPENT,
        candidates=[a_candidate(summary=CANARY), 7],
        artifact_id=answer,
        case_id="c1",
        answer_of=an_answer(publication_key=f"K-{answer}"),
        **stated,
    )
    one = world.move(world.compose(job, body=CANARY), FeedbackState.DELIVERED)
    place(world, one, "comment-1")
    dispatch(world, one, "taken")
    react(world, one, usefulness=Usefulness.USEFUL, explanation=CANARY)
    world.accept(True, answer)
    return job.id


def purge_before(world: World, before: datetime) -> int:
    found: int = world.run(
        lambda uow: uow.review_retention.delete_older(
            before, row_id=world.ids.new(), at=uow.now(), actor="tester"
        )
    )
    return found


def purge_all(world: World) -> int:
    """Delete whatever has ended by now, by the clock of the database."""
    now = world.database.read(lambda uow: uow.now())
    return purge_before(world, now + timedelta(minutes=1))


def rows(world: World, query: str) -> list[tuple[Any, ...]]:
    with world.database.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text(query))]


def counts(world: World) -> dict[str, int]:
    return {
        table.name: rows(world, f"SELECT count(*) FROM {table.name}")[0][0]  # noqa: S608 -- ours
        for table in PURGED["review"]
    }


def dump(world: World) -> str:
    return repr([rows(world, f"SELECT * FROM {table}") for table in metadata.tables])  # noqa: S608


@pytest.mark.proves("BR-22")
def test_a_purged_review_leaves_nothing_but_a_trace(world: World) -> None:
    job_id = full_review(world)
    assert 0 not in counts(world).values()
    before = dump(world)
    assert job_id in before
    assert CANARY in before

    assert purge_all(world) == 1

    assert set(counts(world).values()) == {0}
    after = dump(world)
    assert job_id not in after
    assert CANARY not in after
    trace = "SELECT actor, rule, rows, open_marker FROM retention_action"
    assert rows(world, trace) == [("tester", "purge:review", 1, None)]


@pytest.mark.proves("BR-22", "BR-20")
def test_what_has_not_ended_or_is_still_to_be_delivered_stays(world: World) -> None:
    waiting = world.submit()
    held = world.claim(world.submit())
    states = {}
    for state in (FeedbackState.AWAITING_APPROVAL, FeedbackState.PREPARED):
        job = world.review()
        world.compose(job, state=state)
        states[job.id] = state
    delivered = world.review()
    world.move(world.compose(delivered), FeedbackState.DELIVERED)
    # A job that nothing was composed from has no delivery that could be pending.
    without = world.review()

    assert purge_all(world) == 2

    left = world.database.read(lambda uow: uow.review_jobs.list_latest(limit=9))
    kept = {job.id for job in left}
    assert kept == {waiting.id, held.job.id, *states}
    assert not kept & {delivered.id, without.id}
    assert counts(world)["feedback"] == len(states)


@pytest.mark.proves("R-49")
def test_failed_and_reviewed_ones_go_alike(world: World) -> None:
    world.review()
    broken = world.claim(world.submit())
    world.complete(broken, outcome=AttemptOutcome.FAILED, error_class="BROKEN")
    assert purge_all(world) == 2
    assert counts(world)["review_attempt"] == 0


def test_what_replaced_another_goes_first_and_holds_it_while_it_stays(world: World) -> None:
    first, second = world.review(), world.review()
    old = world.move(world.compose(first), FeedbackState.DELIVERED)
    new = world.compose(second, replaces_id=old.id)
    assert purge_all(world) == 0
    world.move(new, FeedbackState.DELIVERED)
    assert purge_all(world) == 2
    assert set(counts(world).values()) == {0}


def test_a_word_on_an_answer_goes_with_the_answers_last_review(world: World) -> None:
    full_review(world, "answer-1")
    pending = world.review(artifact_id="answer-1")
    one = world.compose(pending)
    world.accept(True, "answer-9")
    purge_all(world)
    assert rows(world, "SELECT answer_id FROM answer_acceptance") == [("answer-1",)]
    world.move(one, FeedbackState.DELIVERED)
    purge_all(world)
    assert rows(world, "SELECT answer_id FROM answer_acceptance") == []


def test_an_agreement_and_what_it_was_counted_from_outlive_the_reviews(world: World) -> None:
    full_review(world)
    label(world, said("c1"))
    made = record(world, only_stratum(world)[0]).agreement
    waiver = waive(world)
    purge_all(world)

    def read(uow: Any) -> tuple[Any, ...]:
        kept, revision_id = uow.grounding, world.revision.id
        return kept.list_agreements(revision_id), kept.list_waivers(revision_id)

    assert world.database.read(read) == ((made,), (waiver,))
    assert len(rows(world, "SELECT * FROM human_label")) == 1


def test_only_what_ended_strictly_before_goes(world: World) -> None:
    ended = world.review().finished_at
    assert ended is not None
    assert purge_before(world, ended) == 0
    assert purge_before(world, ended + timedelta(microseconds=1)) == 1
    with pytest.raises(InvalidSetting):
        world.run(lambda uow: keeping.purge(uow, days=0, actor="tester", ids=world.ids))


def test_a_project_is_forgotten_whatever_state_its_reviews_are_in(world: World) -> None:
    first = world.review(artifact_id="answer-1")
    old = world.move(world.compose(first), FeedbackState.DELIVERED)
    world.compose(world.review(), replaces_id=old.id)
    world.claim(world.submit())
    world.accept(True, "answer-1")
    label(world, said("c1"))
    waive(world)

    def delete(project_id: str) -> int:
        found: int = world.run(
            lambda uow: keeping.delete_project(uow, project_id, actor=SOMEBODY, ids=world.ids)
        )
        return found

    with pytest.raises(RegisteredNotFound):
        delete("01990000-0000-7000-a000-00000000ffff")
    assert delete(world.project_id) == 3

    assert set(counts(world).values()) == {0}
    assert rows(world, "SELECT * FROM human_label") == []
    assert len(rows(world, "SELECT * FROM review_waiver")) == 1
    (entry, *_) = world.database.read(lambda uow: uow.audit.list_latest(limit=1))
    assert (entry.action, entry.object_kind, entry.object_id) == (
        "delete_reviews",
        "project",
        world.project_id,
    )
    assert rows(world, "SELECT rule, rows FROM retention_action") == [("delete:review-project", 3)]


@only_sqlite
def test_the_bytes_of_a_purged_review_are_no_longer_in_the_files(world: World) -> None:
    full_review(world)
    file = database_file(str(world.database.engine.url))
    assert file is not None

    def bytes_on_disk() -> bytes:
        return b"".join(path.read_bytes() for path in sorted(file.parent.glob(f"{file.name}*")))

    assert CANARY.encode() in bytes_on_disk()
    purge_all(world)
    assert CANARY.encode() not in bytes_on_disk()
