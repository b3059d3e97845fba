"""Threads that writes wait in: as many as there are, and one more is refused at once."""

import anyio
import anyio.from_thread
import pytest

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.hub.app import TABLE
from evenhand.hub.threads import WriterThreads


def test_one_more_than_there_are_threads_is_refused_at_once_and_then_taken() -> None:
    threads = WriterThreads(1)

    def _hold() -> str:
        # The only thread is taken by this function, while the loop is asked for another.
        with pytest.raises(DatabaseUnavailable) as full:
            anyio.from_thread.run(threads.run, lambda: None)
        return full.value.code

    async def _ask() -> tuple[str, str]:
        return await threads.run(_hold), await threads.run(lambda: "taken")

    assert anyio.run(_ask) == ("writer_full", "taken")


def test_what_a_function_raises_gives_its_thread_back() -> None:
    threads = WriterThreads(1)

    async def _ask() -> str:
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: str(1 // 0))
        return await threads.run(lambda: "taken")

    assert anyio.run(_ask) == "taken"


def test_what_reads_has_the_threads_of_the_readers_though_it_asks_with_a_body() -> None:
    writing = {(entry.method, entry.path) for entry in TABLE.entries if entry.writes}

    assert ("POST", "/api/v1/credentials") in writing
    assert ("POST", "/api/v1/comparisons") not in writing
    assert "GET" not in {method for method, _ in writing}
