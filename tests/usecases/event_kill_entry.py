"""What the kill tests kill: take the events of a file in, emit them, and drain them to a folder."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evenhand.adapters.event_lines import read_events
from evenhand.adapters.sinks.files import FolderSink
from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.contracts.events import Event
from evenhand.store.uow import Database, open_database
from evenhand.usecases.emission import drain
from evenhand.usecases.events import Sender, ingest
from evenhand.usecases.ports import UnitOfWork
from tests.registry_builders import a_project

AT_A_TIME = 10


class _Quiet:
    def advance(self, done: int) -> None:
        """Nobody looks."""


def main(arguments: Sequence[str]) -> None:
    """URL, file and folder."""
    url, file, folder = arguments
    ids = UuidV7Ids()
    database = open_database(url, clock=SystemClock(), ids=ids)
    iterator = iter(read_events(Path(file)))
    while block := [one for one in islice(iterator, AT_A_TIME) if isinstance(one, Event)]:
        _take(database, block, ids)
    sink = FolderSink(Path(folder), ".jsonl")
    drain(database, sink, ids=ids, progress=_Quiet(), limit=AT_A_TIME)
    database.close()


def _take(database: Database, block: list[Event], ids: UuidV7Ids) -> None:
    project_id = a_project().id

    def work(uow: UnitOfWork) -> None:
        results = ingest(uow, block, sender=Sender(project_id=project_id), ids=ids)
        for one in results:
            if one.status.value == "stored" and one.event_id is not None:
                uow.event_outbox.append(
                    one.event_id,
                    row_id=ids.new(),
                    project_id=project_id,
                    key_version="1",
                    at=uow.now(),
                )

    database.run(work)


def delivered(folder: Path) -> Iterator[Any]:
    """The ids in the files of a folder."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield json.loads(line)["event_id"]
