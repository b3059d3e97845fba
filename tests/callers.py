"""Threads that wait for a writer, so that their functions are run in one batch."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from evenhand.store.writer import Writer
from evenhand.usecases.ports import UnitOfWork

Work = Callable[[UnitOfWork], Any]
PATIENCE = 60


def until(condition: Callable[[], object]) -> None:
    """Give way to other threads until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end


class Callers:
    """Threads that wait for a writer; what each got, by its place."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.got: dict[int, Any] = {}
        self.threads: list[threading.Thread] = []

    def call(self, work: Work) -> None:
        """Hand a function over in a thread of its own; it waits when this returns."""
        waiting = len(self.writer._waiting)
        thread = self.start(work)
        until(lambda: len(self.writer._waiting) > waiting or not thread.is_alive())

    def start(self, work: Work) -> threading.Thread:
        """The same, and it may be anywhere on its way."""
        place = len(self.threads)

        def _run() -> None:
            try:
                self.got[place] = self.writer.run(work)
            except BaseException as fault:  # noqa: BLE001 -- what a caller got
                self.got[place] = fault

        thread = threading.Thread(target=_run)
        self.threads.append(thread)
        thread.start()
        return thread

    def answers(self) -> list[Any]:
        """What they got, in the order in which they came."""
        for thread in self.threads:
            thread.join(PATIENCE)
        return [self.got[place] for place in range(len(self.threads))]


@contextmanager
def occupied(writer: Writer) -> Iterator[None]:
    """The writer works on one function for the length of the block; who comes has to wait."""
    begun, ended = threading.Event(), threading.Event()

    def _hold(_uow: UnitOfWork) -> None:
        begun.set()
        assert ended.wait(PATIENCE)

    holder = threading.Thread(target=writer.run, args=(_hold,))
    holder.start()
    assert begun.wait(PATIENCE)
    try:
        yield
    finally:
        ended.set()
        holder.join(PATIENCE)


def together(writer: Writer, *works: Work) -> list[Any]:
    """What functions gave or raised that were run in one batch."""
    callers = Callers(writer)
    with occupied(writer):
        for work in works:
            callers.call(work)
    return callers.answers()
