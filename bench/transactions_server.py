"""A hub process for `transactions`: ``python -m bench.transactions_server WAY URL``.

Prints the address that it listens on. With one commit each, the application is the same, and only
what runs its writes is another: each in the thread of its request, in a transaction of its own.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from bench.transactions import EACH
from evenhand.bootstrap import App
from evenhand.hub import serving
from evenhand.settings import load_settings
from evenhand.store.uow import Database
from evenhand.usecases.ports import UnitOfWork


class OneEach:
    """Writes in the thread that asks; what the application needs of a writer.

    Args:
        database: what is written to.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.run = database.run
        self.read = database.read
        self.glance = database.glance
        self.close = database.close

    async def run_async(
        self, work: Callable[[UnitOfWork], Any], *, only_adds: bool = False
    ) -> Any:
        """The same from the event loop, in a thread."""
        del only_adds  # Here nothing has a shorter way.
        return await asyncio.to_thread(self._database.run, work)

    def require_running(self) -> None:
        """There is nothing that could have stopped."""


class PlainApp(App):
    """The wired parts with a plain threaded endpoint."""

    @cached_property
    def _writer(self) -> Any:
        return OneEach(self.database)


def main(way: str, url: str) -> None:
    """Serve until it is told to stop."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"database_url": url}, start=Path(folder), environment={})
        app = PlainApp(settings) if way == EACH else App(settings)
        with serving.listen("127.0.0.1", 0) as listening:
            address = serving.address_of(listening)
            serving.serve(
                app.hub(sys.stderr),
                listening,
                log=sys.stderr,
                ready=lambda: print(address, flush=True),
            )
        app.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
