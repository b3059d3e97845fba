"""One thread writes for all: each function by itself, one commit for those that wait."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import ConstraintRefused, DatabaseUnavailable
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.engine import create_engine, reading
from evenhand.store.retention import retention
from evenhand.store.uow import ATTEMPTS, Database, SqlUnitOfWork
from evenhand.store.writer import Writer
from evenhand.usecases.ports import Refused, UnitOfWork, UnitOfWorkRunner
from tests.builders import START, a_set, row_id
from tests.callers import PATIENCE, Callers, Work, occupied, together, until
from tests.store.conftest import only_postgresql, only_sqlite


def save(identifier: str) -> Callable[[UnitOfWork], str]:
    def _save(uow: UnitOfWork) -> str:
        uow.golden_sets.save(a_set(identifier=identifier), imported_at=START)
        return identifier

    return _save


def execute(uow: UnitOfWork, statement: str) -> None:
    assert isinstance(uow, SqlUnitOfWork)
    uow._connection.execute(sa.text(statement))


def fail_with(state: str) -> str:
    return f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$"


@pytest.fixture
def writer(database: Database) -> Iterator[Writer]:
    made = Writer(database)
    yield made
    made.close()


@pytest.fixture
def commits(engine: Engine) -> list[int]:
    """Grows with each commit."""
    counted: list[int] = []
    sa.event.listen(engine, "commit", lambda _connection: counted.append(len(counted)))
    return counted


@pytest.fixture
def stored(database_url: str) -> Iterator[Callable[[], list[str]]]:
    """The sets that are there, as somebody else sees them."""
    beside = create_engine(database_url)

    def _stored() -> list[str]:
        with reading(beside) as connection:
            names = connection.scalars(sa.text("SELECT identifier FROM golden_set ORDER BY 1"))
            return list(names)

    yield _stored
    beside.dispose()


def test_it_offers_what_the_use_cases_ask_for(writer: Writer) -> None:
    runner: UnitOfWorkRunner = writer
    assert runner.run(lambda _: 7) == runner.read(lambda _: 7) == 7


def test_those_that_wait_are_run_in_order_and_committed_once(
    writer: Writer, commits: list[int], stored: Callable[[], list[str]]
) -> None:
    order: list[str] = []
    names = ["c", "a", "d", "b"]

    def noting(name: str) -> Work:
        def _note(uow: UnitOfWork) -> str:
            order.append(name)
            return save(name)(uow)

        return _note

    assert together(writer, *map(noting, names)) == names
    assert (order, len(commits)) == (names, 2)
    assert stored() == sorted(names)


def test_nobody_is_answered_before_the_commit(
    writer: Writer, engine: Engine, stored: Callable[[], list[str]]
) -> None:
    callers = Callers(writer)
    seen: list[tuple[list[str], dict[int, Any]]] = []
    with occupied(writer):
        callers.call(save("a"))
        callers.call(lambda _: 1 / 0)
        callers.call(save("b"))

        @sa.event.listens_for(engine, "commit")
        def _on_commit(_connection: sa.Connection) -> None:
            seen.append((stored(), dict(callers.got)))

    first, fault, last = callers.answers()
    assert (first, type(fault), last) == ("a", ZeroDivisionError, "b")
    assert seen[-1] == ([], {})
    assert stored() == ["a", "b"]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_is_raised_takes_back_its_own_and_no_more(
    writer: Writer, stored: Callable[[], list[str]], fault: type[BaseException]
) -> None:
    def work(uow: UnitOfWork) -> None:
        save("lost")(uow)
        raise fault

    first, raised, last = together(writer, save("a"), work, save("b"))

    assert (first, type(raised), last) == ("a", fault, "b")
    with pytest.raises(fault):
        writer.run(work)
    assert stored() == ["a", "b"]


def test_a_constraint_refuses_its_own_function_only(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    short = "INSERT INTO golden_set VALUES ('x', 'n', 'd', 'short', 'f')"

    first, refused, last = together(writer, save("a"), lambda uow: execute(uow, short), save("b"))

    assert isinstance(refused, ConstraintRefused)
    assert refused.constraint == "ck_golden_set_imported_at"
    assert (refused.__cause__, refused.__context__) == (None, None)
    assert (first, last, stored()) == ("a", "b", ["a", "b"])


def test_an_error_that_was_swallowed_is_not_committed(
    writer: Writer, stored: Callable[[], list[str]], engine: Engine
) -> None:
    """PostgreSQL takes nothing more from a transaction that saw an error."""

    def work(uow: UnitOfWork) -> str:
        with pytest.raises(sa.exc.DBAPIError):
            execute(uow, "SELECT nonsense")
        return "went on"

    first, swallowed, last = together(writer, save("a"), work, save("b"))

    if engine.dialect.name == "postgresql":
        assert isinstance(swallowed, DatabaseUnavailable)
    assert (first, last, stored()) == ("a", "b", ["a", "b"])


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "together"])
def test_what_a_refusal_wrote_stays_and_its_caller_has_it_raised(
    writer: Writer, stored: Callable[[], list[str]], alone: bool
) -> None:
    def work(uow: UnitOfWork) -> Refused:
        save("trace")(uow)
        return Refused(EvaluationNotFound("x"))

    if alone:
        with pytest.raises(EvaluationNotFound):
            writer.run(work)
    else:
        raised, _ = together(writer, work, save("trace 2"))
        assert isinstance(raised, EvaluationNotFound)
    assert "trace" in stored()


def test_a_refusal_leaves_its_trace_without_a_writer_too(
    database: Database, stored: Callable[[], list[str]]
) -> None:
    def work(uow: UnitOfWork) -> Refused:
        save("trace")(uow)
        return Refused(EvaluationNotFound("x"))

    with pytest.raises(EvaluationNotFound):
        database.run(work)
    assert stored() == ["trace"]


def test_a_purge_among_others_takes_only_what_it_may(
    writer: Writer, add: Callable[..., EvaluationRecord], rows: Callable[..., list[Any]]
) -> None:
    kept, purged = add(number=1), add(number=2)

    def erase(uow: UnitOfWork) -> None:
        execute(uow, "DELETE FROM evaluation")

    done, refused, _ = together(
        writer, lambda uow: uow.evaluations.delete(purged.id, actor="cli"), erase, save("a")
    )

    assert done is None
    assert isinstance(refused, EvenhandError)
    assert rows("SELECT id FROM evaluation") == [(kept.id,)]


@only_sqlite
def test_what_was_deleted_together_is_gone_from_the_log(
    writer: Writer, add: Callable[..., EvaluationRecord], database_url: str
) -> None:
    record = add()
    together(writer, save("a"), lambda uow: uow.evaluations.delete(record.id, actor="cli"))

    log = Path(f"{database_url.removeprefix('sqlite:///')}-wal")
    assert log.stat().st_size == 0


def test_a_constraint_that_is_looked_at_in_the_end_fails_its_own_function_only(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    opened: list[object] = []

    def leave_open(uow: UnitOfWork) -> None:
        assert isinstance(uow, SqlUnitOfWork)
        action = retention(
            uow._connection, id=row_id(1), at=START, actor="cli", rule="purge:evaluation"
        )
        action.__enter__()
        # A generator that is thrown away would be closed, which is as good as an error in it.
        opened.append(action)

    first, refused, last = together(writer, save("a"), leave_open, save("b"))

    assert isinstance(refused, ConstraintRefused)
    assert (first, last, stored()) == ("a", "b", ["a", "b"])


@only_sqlite
def test_where_the_commit_fails_everybody_is_told_and_nothing_is_stored(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    connections: list[sqlite3.Connection] = []

    def break_commit(uow: UnitOfWork) -> None:
        assert isinstance(uow, SqlUnitOfWork)
        driver: Any = uow._connection.connection.driver_connection
        driver.set_authorizer(
            lambda action, told, *_: (
                sqlite3.SQLITE_DENY
                if (action, told) == (sqlite3.SQLITE_TRANSACTION, "COMMIT")
                else sqlite3.SQLITE_OK
            )
        )
        connections.append(driver)

    answers = together(writer, save("a"), break_commit, save("b"))

    assert [type(one) for one in answers] == [DatabaseUnavailable] * 3
    assert len(set(map(id, answers))) == 3
    assert stored() == []
    connections[0].set_authorizer(None)
    assert writer.run(save("c")) == "c"
    assert stored() == ["c"]


@only_sqlite
def test_a_disk_that_is_full_fails_the_function_that_needs_more(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    def fill(uow: UnitOfWork) -> None:
        execute(uow, "PRAGMA max_page_count = 1")
        try:
            execute(uow, "CREATE TABLE filler AS SELECT randomblob(1000000) AS x")
        finally:
            execute(uow, "PRAGMA max_page_count = 1000000")

    first, full, last = together(writer, save("a"), fill, save("b"))

    assert isinstance(full, DatabaseUnavailable)
    assert "the disk is full" in str(full)
    assert (first, last, stored()) == ("a", "b", ["a", "b"])


END = "INSERT OR ROLLBACK INTO golden_set VALUES ('x', 'n', 'd', 'short', 'f')"


@only_sqlite
def test_where_sqlite_ended_the_transaction_each_function_is_run_again(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    answers = together(writer, save("a"), lambda uow: execute(uow, END), save("b"))

    assert [type(one) for one in answers] == [str, ConstraintRefused, str]
    assert stored() == ["a", "b"]


@only_sqlite
def test_where_sqlite_ended_the_transaction_unsaid_nothing_is_stored_in_part(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    """What follows would be committed statement by statement."""

    def end(uow: UnitOfWork) -> None:
        with pytest.raises(sa.exc.DBAPIError):
            execute(uow, END)

    answers = together(writer, save("a"), end, save("b"))

    assert [type(one) for one in answers] == [DatabaseUnavailable] * 3
    assert stored() == []
    assert writer.run(save("c")) == "c"


class TestConnectionLost:
    """A server that ends a connection, or a file that somebody keeps locked."""

    @only_postgresql
    def test_at_the_commit_nobody_knows_what_is_stored(
        self, writer: Writer, engine: Engine, database_url: str, stored: Callable[[], list[str]]
    ) -> None:
        callers, commits = Callers(writer), 0

        @sa.event.listens_for(engine, "commit")
        def _on_commit(connection: sa.Connection) -> None:
            nonlocal commits
            commits += 1
            if commits == 2:
                end_connection(connection, database_url)

        with occupied(writer):
            callers.call(save("a"))
            callers.call(save("b"))
        answers = callers.answers()

        assert [one.code for one in answers] == ["outcome_unknown"] * 2
        assert [(one.__cause__, one.__context__) for one in answers] == [(None, None)] * 2
        assert writer.run(save("c")) == "c"
        assert stored() == ["c"]

    @only_postgresql
    @pytest.mark.parametrize("alone", [True, False], ids=["alone", "together"])
    def test_before_the_commit_nothing_is_stored_and_the_next_batch_heals(
        self, writer: Writer, database_url: str, stored: Callable[[], list[str]], alone: bool
    ) -> None:
        runs = 0

        def lose(uow: UnitOfWork) -> None:
            nonlocal runs
            runs += 1
            assert isinstance(uow, SqlUnitOfWork)
            save("lost")(uow)
            end_connection(uow._connection, database_url)
            save("more")(uow)

        if alone:
            with pytest.raises(DatabaseUnavailable) as lost:
                writer.run(lose)
            assert lost.value.code == "database_unavailable"
        else:
            answers = together(writer, save("a"), lose, save("b"))
            assert [one.code for one in answers] == ["database_unavailable"] * 3
        assert (runs, stored()) == (1, [])
        assert together(writer, save("c"), save("d")) == ["c", "d"]

    @only_postgresql
    def test_idle_connections_that_were_ended_are_made_anew_unseen(
        self, writer: Writer, engine: Engine, database_url: str
    ) -> None:
        with engine.connect() as one, engine.connect() as other:
            connections = [one, other]
            for connection in connections:
                end_connection(connection, database_url)
                connection.detach()
        with engine.connect() as connection:
            number = connection.connection.driver_connection
            assert number is not None
            process = number.info.backend_pid
        beside = create_engine(database_url)
        with beside.connect() as connection:
            connection.execute(sa.text(f"SELECT pg_terminate_backend({process}, 60000)"))
        beside.dispose()

        assert writer.run(save("a")) == "a"
        assert writer.read(lambda uow: uow.golden_sets.find("a")) is not None

    @only_sqlite
    def test_nobody_waits_twice_for_a_file_that_is_locked(
        self, writer: Writer, engine: Engine, database_url: str
    ) -> None:
        begins = 0
        holder = create_engine(database_url)
        first, late = Callers(writer), Callers(writer)

        @sa.event.listens_for(engine, "engine_connect")
        def _on_connect(connection: sa.Connection) -> None:
            nonlocal begins
            begins += 1
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.execute("PRAGMA busy_timeout = 0")
            # While the first waits for the file, two more come.
            until(lambda: begins > 1 or len(writer._waiting) == 2)

        with holder.begin():
            first.start(save("a"))
            until(lambda: begins == 1)
            late.call(save("b"))
            late.start(save("c"))
            answers = first.answers() + late.answers()
        holder.dispose()

        assert begins == 1
        assert [one.code for one in answers] == ["database_busy"] * 3
        assert len(set(map(id, answers))) == 3
        assert writer.run(save("d")) == "d"


def end_connection(connection: sa.Connection, database_url: str) -> None:
    """Let the server end a connection, as when it is shut down."""
    driver = connection.connection.driver_connection
    assert driver is not None
    process = driver.info.backend_pid
    beside = create_engine(database_url)
    with beside.connect() as other:
        ended = other.scalar(sa.text(f"SELECT pg_terminate_backend({process}, 60000)"))
    beside.dispose()
    assert ended is True


@only_postgresql
class TestRerun:
    """Two hubs write to one database; where they wait for each other, PostgreSQL ends one."""

    def test_of_two_batches_that_deadlock_every_function_succeeds(
        self, database: Database, writer: Writer, stored: Callable[[], list[str]]
    ) -> None:
        other = Writer(database)
        held = {name: threading.Event() for name in ("one", "other")}
        locks = {"one": 1, "other": 2}
        runs = {"one": 0, "other": 0}

        def lock(mine: str, theirs: str) -> Work:
            def _work(uow: UnitOfWork) -> str:
                runs[mine] += 1
                execute(uow, "SET LOCAL deadlock_timeout = '20ms'")
                execute(uow, f"SELECT pg_advisory_xact_lock({locks[mine]})")
                held[mine].set()
                assert held[theirs].wait(PATIENCE)
                execute(uow, f"SELECT pg_advisory_xact_lock({locks[theirs]})")
                return save(mine)(uow)

            return _work

        callers = Callers(writer), Callers(other)
        with occupied(writer), occupied(other):
            callers[0].call(save("a"))
            callers[0].call(lock("one", "other"))
            callers[0].call(save("b"))
            callers[1].call(save("c"))
            callers[1].call(lock("other", "one"))
        answers = [one.answers() for one in callers]
        other.close()

        assert answers == [["a", "one", "b"], ["c", "other"]]
        assert sorted(runs.values()) == [1, 2]
        assert stored() == ["a", "b", "c", "one", "other"]

    @pytest.mark.parametrize("state", ["40P01", "40001"])
    def test_each_function_is_run_again_by_itself(
        self, writer: Writer, commits: list[int], stored: Callable[[], list[str]], state: str
    ) -> None:
        runs = 0

        def once(uow: UnitOfWork) -> str:
            nonlocal runs
            runs += 1
            save("once")(uow)
            if runs == 1:
                execute(uow, fail_with(state))
            return "once"

        assert together(writer, save("a"), once, save("b")) == ["a", "once", "b"]
        assert (runs, len(commits)) == (2, 4)
        assert stored() == ["a", "b", "once"]

    @pytest.mark.parametrize("state", ["40P01", "40001"])
    def test_one_that_never_succeeds_ends_after_a_bounded_number(
        self, writer: Writer, stored: Callable[[], list[str]], state: str
    ) -> None:
        runs = 0

        def always(uow: UnitOfWork) -> None:
            nonlocal runs
            runs += 1
            execute(uow, fail_with(state))

        first, ended, last = together(writer, save("a"), always, save("b"))

        assert (runs, ended.code) == (1 + ATTEMPTS, "database_busy")
        assert (first, last, stored()) == ("a", "b", ["a", "b"])

    def test_a_lock_that_is_not_given_up_fails_its_own_function_only(
        self, writer: Writer, database_url: str, stored: Callable[[], list[str]]
    ) -> None:
        def impatient(uow: UnitOfWork) -> None:
            execute(uow, "SET LOCAL lock_timeout = '1ms'")
            execute(uow, "LOCK TABLE credential")

        beside = create_engine(database_url)
        with beside.begin() as connection:
            connection.execute(sa.text("LOCK TABLE credential"))
            first, busy, last = together(writer, save("a"), impatient, save("b"))
        beside.dispose()

        assert busy.code == "database_busy"
        assert (first, last, stored()) == ("a", "b", ["a", "b"])


class TestBounds:
    """Neither the queue nor a batch grows without end."""

    def test_one_more_than_may_wait_is_refused_at_once(self, database: Database) -> None:
        writer = Writer(database, most_waiting=2)
        callers = Callers(writer)
        with occupied(writer):
            callers.call(save("a"))
            callers.call(save("b"))
            with pytest.raises(DatabaseUnavailable) as full:
                writer.run(save("c"))
        assert full.value.code == "writer_full"
        assert callers.answers() == ["a", "b"]
        assert writer.run(save("d")) == "d"
        writer.close()

    def test_a_batch_holds_no_more_than_it_may(
        self, database: Database, commits: list[int]
    ) -> None:
        writer = Writer(database, most_together=2)
        assert together(writer, *map(save, "abcde")) == list("abcde")
        assert len(commits) == 1 + 3
        writer.close()


class TestEnd:
    """Nothing that was taken is lost without a word."""

    def test_what_was_taken_is_finished_and_nothing_more_is_taken(
        self, database: Database, stored: Callable[[], list[str]]
    ) -> None:
        writer = Writer(database)
        callers = Callers(writer)
        with occupied(writer):
            callers.call(save("a"))
            callers.call(save("b"))
            closing = threading.Thread(target=writer.close)
            closing.start()
            until(lambda: writer._ended is not None)
            with pytest.raises(DatabaseUnavailable) as stopped:
                writer.run(save("c"))
        closing.join(PATIENCE)

        assert stopped.value.code == "writer_stopped"
        assert callers.answers() == ["a", "b"]
        assert writer._thread is not None
        assert not writer._thread.is_alive()
        assert stored() == ["a", "b"]

    def test_one_that_never_wrote_has_no_thread(self, database: Database) -> None:
        writer = Writer(database)
        before = threading.active_count()
        assert writer.read(lambda _: 1) == 1
        writer.require_running()
        assert threading.active_count() == before
        writer.close()
        with pytest.raises(DatabaseUnavailable):
            writer.require_running()

    def test_where_the_thread_itself_fails_all_are_told_and_nothing_more_is_taken(
        self, writer: Writer, engine: Engine, stored: Callable[[], list[str]]
    ) -> None:
        def _fail(*_: object) -> None:
            raise RuntimeError("canary")

        callers = Callers(writer)
        with occupied(writer):
            callers.call(save("a"))
            callers.call(save("b"))
            sa.event.listen(engine, "engine_connect", _fail)
        answers = callers.answers()
        sa.event.remove(engine, "engine_connect", _fail)

        for call in (writer.require_running, lambda: writer.run(save("c"))):
            with pytest.raises(DatabaseUnavailable) as stopped:
                call()
            answers.append(stopped.value)
        assert [one.code for one in answers] == ["writer_stopped"] * 4
        assert "(RuntimeError)" in str(answers[0])
        assert "canary" not in str(answers[0])
        assert writer.read(lambda uow: uow.golden_sets.list_all()) == ()
        assert stored() == []


def test_what_many_were_told_is_what_is_stored(
    writer: Writer, stored: Callable[[], list[str]]
) -> None:
    told: list[str] = []
    failed: list[str] = []

    def caller(number: int) -> None:
        for at in range(12):
            name = f"s{number:02}_{at:02}"

            def work(uow: UnitOfWork, name: str = name, at: int = at) -> str:
                save(name)(uow)
                if at % 3 == 2:
                    raise LookupError(name)
                return name

            try:
                told.append(writer.run(work))
            except LookupError:
                failed.append(name)

    threads = [threading.Thread(target=caller, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert (len(told), len(failed)) == (16 * 8, 16 * 4)
    assert stored() == sorted(told)
