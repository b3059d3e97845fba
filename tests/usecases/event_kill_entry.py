"""What the kill tests kill: take the events of files in, emit them, and drain them to a sink.

Each step that is committed is told on a line of its own, so that whoever kills knows what must
be there afterwards.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from evenhand.adapters.event_lines import read_events
from evenhand.adapters.sinks.files import FolderSink
from evenhand.adapters.sinks.postgresql import PostgresqlSink
from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.contracts.events import Event
from evenhand.store.uow import Database, open_database
from evenhand.usecases.emission import drain
from evenhand.usecases.events import Sender, ingest
from evenhand.usecases.ports import EventSink, UnitOfWork
from tests.registry_builders import a_project

AT_A_TIME = 10
SERVER = "postgresql://"


class _Telling:
    def advance(self, done: int) -> None:
        """That a batch is in the sink, and known to be."""
        tell("sent", str(done))


def main(arguments: Sequence[str]) -> None:
    """URL, folder or address of the sink, and files."""
    url, place, *files = arguments
    ids = UuidV7Ids()
    database = open_database(url, clock=SystemClock(), ids=ids)
    for file in files:
        iterator = iter(read_events(Path(file)))
        while block := [one for one in islice(iterator, AT_A_TIME) if isinstance(one, Event)]:
            _take(database, block, ids)
            tell("taken", *(one.event_id for one in block))
        tell("file", file)
    drain(database, sink_of(place), ids=ids, progress=_Telling(), limit=AT_A_TIME)
    database.close()


def tell(*words: str) -> None:
    """One line, at once."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


def sink_of(place: str) -> EventSink:
    """The sink at a place."""
    return PostgresqlSink(place) if place.startswith(SERVER) else FolderSink(Path(place), ".jsonl")


def _take(database: Database, block: list[Event], ids: UuidV7Ids) -> None:
    project_id = a_project().id

    def work(uow: UnitOfWork) -> None:
        results = ingest(uow, block, sender=Sender(project_id=project_id), ids=ids)
        stored = (one.event_id for one in results if one.status.value == "stored")
        uow.event_outbox.append(
            [event_id for event_id in stored if event_id is not None],
            new_id=ids.new,
            project_id=project_id,
            key_version="1",
            at=uow.now(),
        )

    database.run(work)


def delivered(place: str) -> Iterator[str]:
    """The ids that a sink holds; one that it holds twice comes twice."""
    if place.startswith(SERVER):
        import psycopg

        with psycopg.connect(place) as connection:
            if connection.execute(
                "SELECT to_regclass('rag_retrieval_evaluated_v1')"
            ).fetchone() == (None,):
                return
            rows = connection.execute("SELECT event_id FROM rag_retrieval_evaluated_v1")
            yield from (row[0] for row in rows)
        return
    for path in sorted(Path(place).glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield json.loads(line)["event_id"]


if __name__ == "__main__":
    main(sys.argv[1:])
