"""Callers of the writer that wait in an event loop: no thread waits, and nothing else changes."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors.database import ConstraintRefused, DatabaseUnavailable
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.store.uow import Database, SqlUnitOfWork
from evenhand.store.writer import Writer
from evenhand.usecases.ports import Refused, SharedRunner, UnitOfWork
from tests.builders import START, a_set
from tests.callers import PATIENCE, Callers, Work, occupied, until

SHORT = "INSERT INTO golden_set VALUES ('x', 'n', 'd', 'short', 'f')"


def save(identifier: str) -> Callable[[UnitOfWork], str]:
    def _save(uow: UnitOfWork) -> str:
        uow.golden_sets.save(a_set(identifier=identifier), imported_at=START)
        return identifier

    return _save


def break_constraint(uow: UnitOfWork) -> None:
    assert isinstance(uow, SqlUnitOfWork)
    uow._connection.execute(sa.text(SHORT))


def refuse(uow: UnitOfWork) -> Refused:
    save("trace")(uow)
    return Refused(EvaluationNotFound("x"))


@pytest.fixture
def writer(database: Database) -> Iterator[Writer]:
    made = Writer(database)
    yield made
    made.close()


def stored(writer: Writer) -> list[str]:
    return sorted(one[0] for one in writer.read(lambda uow: uow.golden_sets.list_all()))


def in_loop(writer: SharedRunner, *works: Work, beside: Callable[[], object]) -> list[Any]:
    """What functions gave or raised; ``beside`` is called once they wait."""

    async def _run() -> list[Any]:
        tasks = [asyncio.create_task(writer.run_async(work)) for work in works]
        # They begin in the order in which they were made, before this goes on.
        await asyncio.sleep(0)
        beside()
        return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(_run())


def test_they_share_a_commit_with_those_that_wait_in_threads(
    writer: Writer, engine: Engine
) -> None:
    commits: list[dict[int, Any]] = []
    callers = Callers(writer)
    works = (save("b"), break_constraint, refuse, save("c"))
    sa.event.listen(engine, "commit", lambda _: commits.append(dict(callers.got)))

    with occupied(writer):
        callers.call(save("a"))
        waiting = threading.Event()
        answers: list[Any] = []
        loop = threading.Thread(
            target=lambda: answers.extend(in_loop(writer, *works, beside=waiting.set))
        )
        loop.start()
        assert waiting.wait(PATIENCE)
    loop.join(PATIENCE)

    assert callers.answers() == ["a"]
    assert [type(one) for one in answers] == [str, ConstraintRefused, EvaluationNotFound, str]
    assert (answers[0], answers[3]) == ("b", "c")
    assert commits == [{}, {}]
    assert stored(writer) == ["a", "b", "c", "trace"]


def test_the_loop_goes_on_while_they_wait_and_is_woken_once(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = 0

    async def run() -> list[str]:
        nonlocal woken
        loop = asyncio.get_running_loop()
        wake = loop.call_soon_threadsafe

        def _counted(*args: Any, **named: Any) -> asyncio.Handle:
            nonlocal woken
            woken += 1
            return wake(*args, **named)

        monkeypatch.setattr(loop, "call_soon_threadsafe", _counted)
        with occupied(writer):
            tasks = [asyncio.create_task(writer.run_async(save(name))) for name in "abc"]
            await asyncio.sleep(0)
            assert not any(task.done() for task in tasks)
        return await asyncio.gather(*tasks)

    assert asyncio.run(run()) == ["a", "b", "c"]
    assert woken == 1


def test_one_that_was_cancelled_keeps_nobody_from_an_answer(writer: Writer) -> None:
    async def run() -> list[Any]:
        with occupied(writer):
            tasks = [asyncio.create_task(writer.run_async(save(name))) for name in "abc"]
            await asyncio.sleep(0)
            tasks[1].cancel()
            await asyncio.sleep(0)
            assert tasks[1].done()
        return await asyncio.gather(*tasks, return_exceptions=True)

    first, cancelled, last = asyncio.run(run())

    assert (first, type(cancelled), last) == ("a", asyncio.CancelledError, "c")
    assert writer.run(save("d")) == "d"
    assert stored(writer) == ["a", "b", "c", "d"]


def test_a_loop_that_was_closed_does_not_stop_the_writer(writer: Writer) -> None:
    loop = asyncio.new_event_loop()
    waiting: list[Coroutine[Any, Any, Any]] = []

    async def leave() -> None:
        # Begun by hand: a task would be cancelled in the end, and be done.
        left = writer.run_async(save("a"))
        left.send(None)
        waiting.append(left)

    with occupied(writer):
        loop.run_until_complete(leave())
        loop.close()
    until(lambda: stored(writer) == ["a"])
    waiting[0].close()

    assert writer.run(save("b")) == "b"


def test_where_too_many_wait_it_is_refused_at_once(database: Database) -> None:
    writer = Writer(database, most_waiting=1)
    callers = Callers(writer)
    with occupied(writer):
        callers.call(save("a"))
        with pytest.raises(DatabaseUnavailable) as full:
            asyncio.run(writer.run_async(save("b")))
    writer.close()
    with pytest.raises(DatabaseUnavailable) as stopped:
        asyncio.run(writer.run_async(save("c")))

    assert (full.value.code, stopped.value.code) == ("writer_full", "writer_stopped")
    assert callers.answers() == ["a"]
