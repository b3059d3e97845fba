"""Rows that many wait for: added by the driver itself, or the long way where anything is wrong."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.gateway.request import GatewayRequest
from evenhand.store.additions import Additions
from evenhand.store.jobs import Job
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork
from tests.builders import a_credential
from tests.callers import Work
from tests.gateway_builders import a_gateway_request
from tests.hub.conftest import only_sqlite
from tests.registry_builders import add_shop


@pytest.fixture
def additions(database: Database) -> Iterator[Additions]:
    database.run(lambda uow: uow.credentials.add(a_credential()))
    database.run(add_shop)
    made = Additions(database.engine, database.unit_of_work)
    yield made
    made.close()


def request(number: int) -> GatewayRequest:
    return a_gateway_request(number)


def adding(*numbers: int) -> Work:
    def work(uow: UnitOfWork) -> int:
        uow.gateway_requests.add_all([request(number) for number in numbers])
        return len(numbers)

    return work


def jobs(*works: Work) -> list[Job]:
    return [Job(work, only_adds=True) for work in works]


def kept(database: Database, *numbers: int) -> list[GatewayRequest | None]:
    public_ids = [request(number).public_id for number in numbers]
    found = database.read(lambda uow: uow.gateway_requests.find_all(public_ids))
    return [found.get(public_id) for public_id in public_ids]


@only_sqlite
def test_what_was_added_is_committed_as_it_is_the_long_way(
    additions: Additions, database: Database
) -> None:
    assert additions.run(jobs(adding(1, 2), adding(3)))

    assert kept(database, 1, 2, 3) == [request(1), request(2), request(3)]


@only_sqlite
def test_each_is_told_what_its_function_gave(additions: Additions) -> None:
    batch = jobs(adding(1, 2), adding(3))
    additions.run(batch)
    for job in batch:
        job.release()

    assert [job.wait() for job in batch] == [2, 1]


@only_sqlite
def test_nothing_stays_of_what_the_database_refuses_and_the_next_goes_through(
    additions: Additions, database: Database
) -> None:
    assert not additions.run(jobs(adding(1), adding(2, 2)))
    assert kept(database, 1, 2) == [None, None]

    assert additions.run(jobs(adding(1)))
    assert kept(database, 1) == [request(1)]


@only_sqlite
def test_a_writer_beside_it_is_not_waited_for(
    additions: Additions, database: Database, engine: Engine
) -> None:
    assert additions.run(jobs(adding(1)))
    with engine.begin() as other:
        other.execute(sa.text("UPDATE project SET name = name"))
        batch = jobs(adding(2))
        assert not additions.run(batch)
        assert not batch[0].has_begun

    assert additions.run(batch)
    assert kept(database, 1, 2) == [request(1), request(2)]


@only_sqlite
def test_a_file_without_a_write_ahead_log_is_left_to_the_long_way(
    additions: Additions, database: Database, engine: Engine
) -> None:
    engine.dispose()
    with closing(sqlite3.connect(str(engine.url.database))) as other:
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    assert not additions.run(jobs(adding(1)))

    database.run(adding(1))
    assert additions.run(jobs(adding(2)))
    assert kept(database, 1, 2) == [request(1), request(2)]


@only_sqlite
def test_the_rules_hold_on_its_connection(additions: Additions) -> None:
    rules = ("synchronous", "foreign_keys", "recursive_triggers", "secure_delete")

    def read(uow: UnitOfWork) -> list[int]:
        driver = uow._connection.driver  # type: ignore[attr-defined]
        return [driver.execute(f"PRAGMA {rule}").fetchone()[0] for rule in rules]

    batch = jobs(read)
    assert additions.run(batch)
    batch[0].release()
    assert batch[0].wait() == [2, 1, 1, 1]


def test_a_server_is_always_for_the_long_way(additions: Additions, database: Database) -> None:
    assert additions.run(jobs(adding(1))) is (database.engine.dialect.name == "sqlite")
