"""Reviews in an archive: every row arrives, and nobody holds a claim of another database."""

from pathlib import Path

from evenhand.core.review.states import JobState
from evenhand.store.archive.steps import RestoreStep
from evenhand.store.migrate import check, upgrade
from evenhand.store.uow import Database, open_database
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.reviews import jobs
from tests.store.archive.conftest import backup, restore
from tests.store.conftest import CountingIds
from tests.usecases.conftest import SettableClock
from tests.usecases.reviews.conftest import made_world
from tests.usecases.reviews.test_attempts import SPENT


def test_what_ran_is_failed_after_a_restore_and_all_else_is_as_it_was(tmp_path: Path) -> None:
    here, there = (f"sqlite:///{tmp_path / name}" for name in ("here.db", "there.db"))
    upgrade(here)
    clock = SettableClock()
    source = open_database(here, clock=clock, ids=CountingIds())
    world = made_world(source, clock)
    done = world.review(spent=SPENT)
    world.compose(done)
    held = world.claim(world.submit())
    world.prepare(held)
    ids = CountingIds()
    for _ in range(1000):
        ids.new()
    step = RestoreStep(name="reviews", run=lambda uow: jobs.interrupt_running(uow, ids=ids))

    restore(there, backup(here)[0], step)

    target = open_database(there, clock=clock, ids=ids)
    found = {
        job.id: job.state for job in target.read(lambda uow: uow.review_jobs.list_latest(limit=9))
    }
    assert found == {done.id: JobState.COMPLETED, held.job.id: JobState.FAILED}
    assert _records(source, done.id) == _records(target, done.id)
    assert source.read(lambda uow: uow.feedback.list_of(done.id)) == target.read(
        lambda uow: uow.feedback.list_of(done.id)
    )
    assert not check(there)
    source.close()
    target.close()


def _records(database: Database, job_id: str) -> list[object]:
    """What stays of a review."""

    def read(uow: UnitOfWork) -> list[object]:
        kept = uow.review_jobs
        return [kept.list_attempts(job_id), kept.list_usage(job_id), kept.list_transitions(job_id)]

    return database.read(read)
