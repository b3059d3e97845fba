"""The time during a transaction: a server is asked once, and from there the time goes on."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.store.batches import Batches
from evenhand.store.jobs import Job
from evenhand.store.times import SharedTime
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import FakeClock
from tests.store.conftest import only_postgresql


@pytest.fixture
def asked(engine: Engine) -> Iterator[list[str]]:
    """Grows with each question for the server's time."""
    seen: list[str] = []

    def _note(*told: Any) -> None:
        if "clock_timestamp" in told[2]:
            seen.append(told[2])

    sa.event.listen(engine, "before_cursor_execute", _note)
    yield seen
    sa.event.remove(engine, "before_cursor_execute", _note)


def told_twice(uow: UnitOfWork) -> tuple[datetime, datetime]:
    return uow.now(), uow.now()


@only_postgresql
def test_functions_of_one_commit_ask_the_server_once_and_their_times_rise(
    database: Database, asked: list[str]
) -> None:
    jobs = [Job(told_twice) for _ in range(3)]

    Batches(database).run(jobs)

    times = [time for job in jobs for time in job._result]
    assert len(asked) == 1
    assert times == sorted(set(times))


@only_postgresql
def test_each_transaction_asks_the_server_anew(database: Database, asked: list[str]) -> None:
    batches, jobs = Batches(database), [Job(told_twice) for _ in range(4)]

    batches.run(jobs[:2])
    batches.run(jobs[2:])

    assert len(asked) == 2
    assert jobs[0]._result != jobs[2]._result


@only_postgresql
def test_who_waited_in_a_transaction_reads_the_time_after_it(engine: Engine) -> None:
    clock = FakeClock(step_ms=0)
    with engine.begin() as connection:
        time = SharedTime(connection, clock)
        before = time.now()
        clock._elapsed_ms += 5000

        assert time.now() == before + timedelta(seconds=5)


@only_postgresql
def test_the_time_is_that_of_the_server(engine: Engine) -> None:
    with engine.begin() as connection:
        earliest = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        told = SharedTime(connection, FakeClock()).now()
        latest = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()

    assert earliest <= told <= latest
