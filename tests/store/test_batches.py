"""Several functions share one commit; where one fails, the others are none the worse."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.store.batches import CAREFUL_BATCHES, Batches
from evenhand.store.bulk import insert_many
from evenhand.store.jobs import Job
from evenhand.store.tables import golden_question
from evenhand.store.uow import Database, SqlUnitOfWork
from evenhand.usecases.ports import Refused, UnitOfWork
from tests.builders import START, a_set
from tests.callers import Work
from tests.store.conftest import only_postgresql
from tests.store.test_writer import end_connection


def save(identifier: str) -> Callable[[UnitOfWork], str]:
    def _save(uow: UnitOfWork) -> str:
        uow.golden_sets.save(a_set(identifier=identifier), imported_at=START)
        return identifier

    return _save


def execute(uow: UnitOfWork, statement: str) -> Any:
    assert isinstance(uow, SqlUnitOfWork)
    return uow._connection.execute(sa.text(statement))


def fail(_uow: UnitOfWork) -> None:
    raise EvaluationNotFound("x")


@pytest.fixture
def batches(database: Database) -> Batches:
    return Batches(database)


@pytest.fixture
def savepoints(engine: Engine) -> Iterator[list[str]]:
    """Grows with each savepoint that is set."""
    seen: list[str] = []

    def _note(*told: Any) -> None:
        if told[2].startswith("SAVEPOINT"):
            seen.append(told[2])

    sa.event.listen(engine, "before_cursor_execute", _note)
    yield seen
    sa.event.remove(engine, "before_cursor_execute", _note)


def run(batches: Batches, *works: Work) -> list[Job]:
    jobs = [Job(work) for work in works]
    batches.run(jobs)
    return jobs


def answers(jobs: list[Job]) -> list[Any]:
    return [type(job.fault) if job.fault else job._result for job in jobs]


def stored(database: Database) -> list[str]:
    return sorted(one[0] for one in database.read(lambda uow: uow.golden_sets.list_all()))


def test_while_all_succeed_nothing_is_spent_on_failures(
    batches: Batches, database: Database, savepoints: list[str]
) -> None:
    refused = Refused(EvaluationNotFound("x"))

    jobs = run(batches, save("a"), save("b"), lambda _: refused)

    assert answers(jobs) == ["a", "b", refused]
    assert stored(database) == ["a", "b"]
    assert savepoints == []


def test_where_one_fails_all_are_run_again_each_in_a_savepoint(
    batches: Batches, database: Database, savepoints: list[str]
) -> None:
    runs: list[str] = []

    def noting(name: str) -> Work:
        def _note(uow: UnitOfWork) -> str:
            runs.append(name)
            return save(name)(uow)

        return _note

    jobs = run(batches, noting("a"), fail, noting("b"))

    assert answers(jobs) == ["a", EvaluationNotFound, "b"]
    assert runs == ["a", "a", "b"]
    assert len(savepoints) == 3
    assert stored(database) == ["a", "b"]


def test_where_failures_are_common_nothing_is_run_twice(
    batches: Batches, savepoints: list[str]
) -> None:
    runs = 0

    def count(_uow: UnitOfWork) -> None:
        nonlocal runs
        runs += 1

    run(batches, count, fail)
    for _ in range(3):
        run(batches, count, fail)
    assert runs == 2 + 3
    for _ in range(CAREFUL_BATCHES):
        run(batches, count, count)
    before = len(savepoints)
    run(batches, count, count)
    assert len(savepoints) == before


def test_a_failure_that_does_not_come_again_is_none(batches: Batches) -> None:
    """It may have been of what another function of the batch did, which is taken back too."""
    is_first = True

    def once(_uow: UnitOfWork) -> str:
        nonlocal is_first
        if is_first:
            is_first = False
            raise EvaluationNotFound("x")
        return "found"

    assert answers(run(batches, save("a"), once)) == ["a", "found"]


@only_postgresql
class TestWaitingLess:
    """Rows that are added wait for no answer; whatever gives something is waited for."""

    def test_what_is_given_is_there(self, batches: Batches, database: Database) -> None:
        found: list[Any] = []

        def look(uow: UnitOfWork) -> None:
            rename = "UPDATE golden_set SET name = 'other' WHERE identifier = 'a'"
            add = "INSERT INTO golden_target VALUES ('a', 0, 99, '\\x31')"
            found.append(execute(uow, "SELECT identifier FROM golden_set").scalars().all())
            found.append(execute(uow, rename).rowcount)
            found.append(execute(uow, f"{add} ON CONFLICT DO NOTHING").rowcount)
            found.append(execute(uow, f"{add} ON CONFLICT DO NOTHING").rowcount)
            again = "INSERT INTO golden_target VALUES ('a', 0, 98, '\\x31') RETURNING ordinal"
            found.append(execute(uow, again).scalar_one())

        jobs = run(batches, save("a"), look)

        assert [job.fault for job in jobs] == [None, None]
        assert found == [["a"], 1, 1, 0, 98]
        assert stored(database) == ["a"]

    def test_rows_that_are_copied_follow_those_that_were_added(
        self, batches: Batches, database: Database, savepoints: list[str]
    ) -> None:
        def copy(uow: UnitOfWork) -> None:
            assert isinstance(uow, SqlUnitOfWork)
            row = ("a", 50, b"q", b"text", "match", None, None, False, False, False, None)
            insert_many(uow._connection, golden_question, [row])

        jobs = run(batches, save("a"), copy, save("b"))

        assert [job.fault for job in jobs] == [None] * 3
        assert savepoints == []
        assert stored(database) == ["a", "b"]

    def test_an_error_that_comes_late_is_its_own_functions(
        self, batches: Batches, database: Database, caplog: pytest.LogCaptureFixture
    ) -> None:
        short = "INSERT INTO golden_set VALUES ('canary', 'n', 'd', 'short', 'f')"

        jobs = run(
            batches,
            save("a"),
            lambda uow: execute(uow, short) and None,
            save("b"),
            lambda uow: uow.golden_sets.find("b") and "found",
        )

        assert [type(job.fault).__name__ for job in jobs] == [
            "NoneType",
            "ConstraintRefused",
            "NoneType",
            "NoneType",
        ]
        assert stored(database) == ["a", "b"]
        assert "canary" not in caplog.text

    def test_where_the_connection_is_lost_meanwhile_nothing_is_run_again(
        self, batches: Batches, database: Database, database_url: str
    ) -> None:
        runs = 0
        row = "INSERT INTO golden_set VALUES ('x', 'n', 'd', '2026-09-01T00:00:00.000000Z', 'f')"

        def lose(uow: UnitOfWork) -> None:
            nonlocal runs
            runs += 1
            assert isinstance(uow, SqlUnitOfWork)
            save("lost")(uow)
            end_connection(uow._connection, database_url)
            # Sent, and not waited for.
            uow._connection.exec_driver_sql(row)

        jobs = run(batches, save("a"), lose)

        assert [getattr(job.fault, "code", None) for job in jobs] == ["database_unavailable"] * 2
        assert (runs, stored(database)) == (1, [])

    def test_an_error_that_was_swallowed_is_not_committed_alone_either(
        self, batches: Batches, database: Database
    ) -> None:
        def work(uow: UnitOfWork) -> None:
            save("lost")(uow)
            with pytest.raises(sa.exc.DBAPIError):
                execute(uow, "SELECT nonsense")

        [job] = run(batches, work)

        assert isinstance(job.fault, DatabaseUnavailable)
        assert "nothing is stored" in str(job.fault)
        assert stored(database) == []
