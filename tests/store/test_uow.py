import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import ConstraintRefused, DatabaseUnavailable
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.engine import create_engine
from evenhand.store.uow import ATTEMPTS, Database, SqlUnitOfWork, open_database
from evenhand.usecases.ports import UnitOfWork, UnitOfWorkRunner
from tests.builders import START, FakeClock, a_record, a_set, an_evaluation
from tests.store.conftest import CountingIds, only_postgresql, only_sqlite

Rows = Callable[..., list[tuple[Any, ...]]]


def save(uow: UnitOfWork, identifier: str = "tiny") -> None:
    uow.golden_sets.save(a_set(identifier=identifier), imported_at=START)


def test_the_store_offers_what_the_use_cases_ask_for(database: Database) -> None:
    runner: UnitOfWorkRunner = database
    assert runner.run(lambda _: 7) == runner.read(lambda _: 7) == 7


def test_what_was_done_is_there_after_the_commit(database: Database, rows: Rows) -> None:
    database.run(save)
    assert rows("SELECT identifier FROM golden_set") == [("tiny",)]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit])
def test_whatever_is_raised_rolls_everything_back(
    database: Database, rows: Rows, fault: type[BaseException]
) -> None:
    def work(uow: UnitOfWork) -> None:
        save(uow)
        raise fault

    with pytest.raises(fault):
        database.run(work)
    assert rows("SELECT * FROM golden_set") == []
    database.run(save)


def test_reading_changes_nothing(database: Database, rows: Rows) -> None:
    with pytest.raises(EvenhandError):
        database.read(save)
    assert rows("SELECT * FROM golden_set") == []


@only_sqlite
def test_on_sqlite_the_time_is_the_process_clocks(database: Database) -> None:
    assert database.run(lambda uow: uow.now()) == START


@only_postgresql
def test_on_postgresql_the_time_is_the_servers_and_moves(database: Database) -> None:
    def work(uow: UnitOfWork) -> tuple[datetime, datetime]:
        return uow.now(), uow.now()

    first, second = database.run(work)
    assert first.tzinfo is UTC
    assert START != first < second


def test_an_error_of_the_database_holds_no_value_of_the_row(
    database: Database, engine: Engine
) -> None:
    evaluation = an_evaluation(identifier="canary-retriever")
    record = a_record(evaluation, privacy=PrivacyLevel.METADATA)
    object.__setattr__(record.counts, "failed", 99)
    with pytest.raises(ConstraintRefused) as refused:
        database.run(
            lambda uow: uow.evaluations.add(
                record, outcomes=evaluation.outcomes, rankings=None, details=None
            )
        )
    assert refused.value.constraint == "ck_evaluation_counts_consistent"
    seen: BaseException | None = refused.value
    while seen is not None:
        assert "canary" not in str(seen)
        seen = seen.__cause__ or seen.__context__
    del engine


SHORT_TIME = "INSERT INTO golden_set VALUES ('x', 'n', 'd', 'short', 'f')"
NO_PARENT = (
    "INSERT INTO golden_question (set_identifier, ordinal, id, question, form, critical, reviewed,"
    " unjudged) VALUES ('none', 0, 'a', 'b', 'match', false, false, false)"
)


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        (SHORT_TIME, "ck_golden_set_imported_at"),
        (NO_PARENT, "fk_golden_question_golden_set"),
    ],
)
def test_a_constraint_is_recognised_by_its_name(
    database: Database, statement: str, constraint: str, engine: Engine
) -> None:
    def work(uow: UnitOfWork) -> None:
        assert isinstance(uow, SqlUnitOfWork)
        uow._connection.execute(sa.text(statement))

    with pytest.raises(ConstraintRefused) as refused:
        database.run(work)
    if engine.dialect.name == "sqlite" and constraint.startswith("fk_"):
        constraint = "foreign key"  # SQLite never tells which one
    assert refused.value.constraint == constraint


@only_sqlite
def test_a_database_that_stays_locked_is_busy(engine: Engine, database_url: str) -> None:
    impatient = create_engine(database_url)

    @sa.event.listens_for(impatient, "connect")
    def _on_connect(connection: Any, _record: object) -> None:
        connection.execute("PRAGMA busy_timeout = 0")

    with engine.begin(), pytest.raises(DatabaseUnavailable) as busy:
        Database(impatient, clock=FakeClock(), ids=CountingIds()).run(save)
    assert busy.value.code == "database_busy"
    impatient.dispose()


@only_postgresql
def test_a_lock_that_is_not_given_up_is_busy(engine: Engine, database: Database) -> None:
    def work(uow: UnitOfWork) -> None:
        assert isinstance(uow, SqlUnitOfWork)
        uow._connection.execute(sa.text("SET LOCAL lock_timeout = '1ms'"))
        save(uow)

    with engine.begin() as connection:
        connection.execute(sa.text("LOCK TABLE golden_set"))
        with pytest.raises(DatabaseUnavailable) as busy:
            database.run(work)
    assert busy.value.code == "database_busy"


@pytest.mark.parametrize("url", ["sqlite:///{0}/file", "postgresql://user:SECRET@/db?host={0}"])
def test_a_database_that_is_not_there_is_unavailable(tmp_path: Path, url: str) -> None:
    (tmp_path / "file").mkdir()
    database = open_database(url.format(tmp_path), clock=FakeClock(), ids=CountingIds())
    for call in (database.run, database.read):
        with pytest.raises(DatabaseUnavailable) as error:
            call(lambda uow: uow.golden_sets.list_all())
        assert "SECRET" not in str(error.value)


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "file.db").write_bytes(b"not a database, but long enough to be one" * 100)
    database = open_database(
        f"sqlite:///{tmp_path / 'file.db'}", clock=FakeClock(), ids=CountingIds()
    )
    with pytest.raises(DatabaseUnavailable) as error:
        database.run(save)
    assert error.value.code == "database_damaged"


@only_postgresql
class TestRerun:
    """A deadlock is nobody's fault: PostgreSQL ends one of the two, and it is run again."""

    def test_of_two_that_deadlock_both_succeed(
        self, database: Database, engine: Engine, rows: Rows
    ) -> None:
        held = {name: threading.Event() for name in ("one", "other")}
        attempts = {"one": 0, "other": 0}
        faults: list[BaseException] = []

        def work(mine: str, theirs: str) -> Callable[[UnitOfWork], None]:
            locks = {"one": 1, "other": 2}

            def _work(uow: UnitOfWork) -> None:
                assert isinstance(uow, SqlUnitOfWork)
                attempts[mine] += 1
                uow._connection.execute(sa.text("SET LOCAL deadlock_timeout = '20ms'"))
                lock = sa.text("SELECT pg_advisory_xact_lock(:key)")
                uow._connection.execute(lock, {"key": locks[mine]})
                held[mine].set()
                assert held[theirs].wait(timeout=30)
                uow._connection.execute(lock, {"key": locks[theirs]})
                save(uow, mine)

            return _work

        def run(mine: str, theirs: str) -> None:
            try:
                database.run(work(mine, theirs))
            except BaseException as fault:  # noqa: BLE001 -- shown by the assertion below
                faults.append(fault)

        threads = [
            threading.Thread(target=run, args=names)
            for names in (("one", "other"), ("other", "one"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert faults == []
        assert sorted(attempts.values()) == [1, 2]
        assert rows("SELECT identifier FROM golden_set ORDER BY 1") == [("one",), ("other",)]
        del engine

    @pytest.mark.parametrize("state", ["40P01", "40001"])
    def test_it_ends_after_a_bounded_number_of_attempts(
        self, database: Database, state: str
    ) -> None:
        attempts = 0

        def work(uow: UnitOfWork) -> None:
            nonlocal attempts
            attempts += 1
            assert isinstance(uow, SqlUnitOfWork)
            raise_it = f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$"
            uow._connection.execute(sa.text(raise_it))

        with pytest.raises(DatabaseUnavailable) as error:
            database.run(work)
        assert (attempts, error.value.code) == (ATTEMPTS, "database_busy")

    def test_another_error_is_not_tried_again(
        self, database: Database, add: Callable[..., EvaluationRecord]
    ) -> None:
        record = add()
        attempts = 0

        def work(uow: UnitOfWork) -> None:
            nonlocal attempts
            attempts += 1
            uow.evaluations.add(
                record, outcomes=an_evaluation().outcomes, rankings=None, details=None
            )

        with pytest.raises(ConstraintRefused):
            database.run(work)
        assert attempts == 1
