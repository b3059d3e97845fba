"""What does somebody read who looks again and again, while the store may come into being?"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from evenhand.store.migrate import ensure_ready, is_ready
from evenhand.store.nothing import open_nothing
from evenhand.store.uow import Database, open_database
from evenhand.usecases.ports import Clock, Ids, Refused, UnitOfWork

T = TypeVar("T")


class LateStore:
    """A project's store that is looked for until it is there; implements `ports.UnitOfWorkRunner`.

    Reading makes nothing: as long as there is no store, nothing is found. Writing makes it.

    Args:
        url: of the store.
        clock: the process's clock.
        ids: where row ids come from.
    """

    def __init__(self, url: str, *, clock: Clock, ids: Ids) -> None:
        self._url = url
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._found: Database | None = None
        self._nothing: Database | None = None

    def run(self, work: Callable[[UnitOfWork], T | Refused]) -> T:
        """Result of ``work`` once it is committed; the store is made where there is none.

        Raises:
            DatabaseNotReady: it is behind (the message names the command) or foreign.
        """
        with self._lock:
            if self._found is None:
                ensure_ready(self._url)
                self._found = self._open()
        return self._found.run(work)

    def read(self, work: Callable[[UnitOfWork], T]) -> T:
        """Result of ``work``, which changes nothing and makes nothing.

        Raises:
            DatabaseNotReady: as `run`.
        """
        found = self._found or self._look()
        if found is not None:
            return found.read(work)
        with self._lock:
            # One connection, so one reader at a time.
            if self._nothing is None:
                self._nothing = open_nothing(clock=self._clock, ids=self._ids)
            return self._nothing.read(work)

    def close(self) -> None:
        """Close the store, if it was opened."""
        for opened in (self._found, self._nothing):
            if opened is not None:
                opened.close()

    def _look(self) -> Database | None:
        with self._lock:
            if self._found is None and is_ready(self._url):
                self._found = self._open()
            return self._found

    def _open(self) -> Database:
        return open_database(self._url, clock=self._clock, ids=self._ids)
