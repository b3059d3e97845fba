"""Many workers, one review: one of them gets it, whoever asks at the same moment."""

import threading
from typing import Any

import pytest

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.review import ReviewNotFound
from evenhand.usecases.registry import projects
from tests.usecases.reviews.conftest import SOMEBODY, World

WORKERS = 8


def at_once(work: Any) -> list[Any]:
    """What so many threads get that begin together; an error stands for itself."""
    barrier, found = threading.Barrier(WORKERS), []

    def _run() -> None:
        barrier.wait()
        try:
            found.append(work())
        except EvenhandError as error:
            found.append(error.code)

    threads = [threading.Thread(target=_run) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.proves("BR-15", "R-04")
def test_of_many_claims_of_one_review_one_succeeds(world: World) -> None:
    job = world.submit()
    found = at_once(lambda: world.claim(job))
    assert sorted(isinstance(one, str) for one in found) == [False] + [True] * (WORKERS - 1)
    assert {one for one in found if isinstance(one, str)} == {"job_not_queued"}
    told = world.database.read(lambda uow: uow.review_jobs.list_transitions(job.id))
    assert [one.to_state.value for one in told] == ["queued", "running"]


@pytest.mark.proves("R-04")
def test_workers_that_ask_for_the_next_review_get_different_ones(world: World) -> None:
    jobs = {world.submit().id for _ in range(WORKERS // 2)}
    found = at_once(world.claim)
    taken = [one.job.id for one in found if one is not None]
    assert len(taken) == len(set(taken)) == len(jobs)


def test_a_review_of_another_project_is_not_claimed_by_its_id(world: World) -> None:
    by: Any = {"actor": SOMEBODY, "ids": world.ids}
    world.run(lambda uow: projects.create(uow, name="other", **by))
    job = world.submit()
    with pytest.raises(ReviewNotFound):
        world.claim(job, project="other")
