"""What was emitted reaches a sink whole, whatever fails on the way, and nothing twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.event_parquet import read_rows
from evenhand.adapters.sinks.files import FolderSink
from evenhand.adapters.sinks.postgresql import PostgresqlSink
from evenhand.contracts.delivery import Batch
from evenhand.contracts.events import validate_event
from evenhand.store.uow import Database
from evenhand.usecases.emission import drain
from evenhand.usecases.ports import EventSink, UnitOfWork
from tests import postgres
from tests.builders import START
from tests.event_builders import an_event, event_document
from tests.registry_builders import a_project
from tests.usecases.conftest import CountingIds

IDS = CountingIds()
PROJECT = a_project().id


class Quiet:
    def advance(self, done: int) -> None:
        assert done > 0


def emit(database: Database, *numbers: int) -> None:
    def work(uow: UnitOfWork) -> None:
        uow.events.take(
            [an_event(number) for number in numbers],
            project_id=PROJECT,
            client_id=None,
            received_at=START,
        )
        uow.event_outbox.append(
            [f"evt_{number}" for number in numbers],
            new_id=IDS.new,
            project_id=PROJECT,
            key_version="1",
            at=START,
        )

    database.run(work)


def sent(database: Database, sink: EventSink, limit: int = 2) -> int:
    return drain(database, sink, ids=IDS, progress=Quiet(), limit=limit)


def lines(folder: Path) -> list[str]:
    return sorted(
        json.loads(line)["event_id"]
        for path in folder.glob("*.jsonl")
        for line in path.read_bytes().splitlines()
    )


@pytest.fixture(autouse=True)
def _project(database: Database) -> None:
    database.run(lambda uow: uow.projects.add(a_project()))


@pytest.mark.proves("E-43")
def test_everything_emitted_arrives_once_and_later_ones_too(
    database: Database, tmp_path: Path
) -> None:
    sink = FolderSink(tmp_path / "sink", ".jsonl")
    emit(database, 1, 2, 3)

    assert sent(database, sink) == 3
    assert sent(database, sink) == 0
    emit(database, 4)
    assert database.read(lambda uow: uow.event_outbox.count_waiting(sink.name)) == 1
    assert sent(database, sink) == 1
    assert lines(tmp_path / "sink") == ["evt_1", "evt_2", "evt_3", "evt_4"]
    assert sent(database, FolderSink(tmp_path / "other", ".jsonl"), limit=9) == 4


class Broken:
    """A sink that fails at a batch, before or after it took it."""

    def __init__(self, inner: EventSink, *, after: bool) -> None:
        self._inner = inner
        self._after = after
        self.broken = True

    @property
    def name(self) -> str:
        return self._inner.name

    def write(self, batch: Batch) -> None:
        if self.broken and not self._after:
            raise OSError("gone")
        self._inner.write(batch)
        if self.broken:
            raise OSError("gone")


@pytest.mark.proves("E-43", "E-12")
@pytest.mark.parametrize("after", [False, True])
def test_a_fault_on_the_way_loses_nothing_and_doubles_nothing(
    after: bool, database: Database, tmp_path: Path
) -> None:
    sink = Broken(FolderSink(tmp_path / "sink", ".jsonl"), after=after)
    emit(database, 1, 2, 3)
    with pytest.raises(OSError, match="gone"):
        sent(database, sink)
    # What comes meanwhile is no part of the batch that is sent again.
    emit(database, 4)
    sink.broken = False

    assert sent(database, sink) == 4
    assert lines(tmp_path / "sink") == ["evt_1", "evt_2", "evt_3", "evt_4"]


def test_a_folder_of_parquet_holds_the_events(database: Database, tmp_path: Path) -> None:
    emit(database, 1, 2)
    sent(database, FolderSink(tmp_path, ".parquet"))
    (path,) = tmp_path.glob("*.parquet")
    assert list(map(validate_event, read_rows(path))) == [an_event(1), an_event(2)]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_table_of_postgresql_takes_each_once(
    database: Database, postgres_cluster: postgres.Cluster
) -> None:
    import psycopg

    name = postgres_cluster.create()
    url = postgres_cluster.url(name).replace("+psycopg", "")
    try:
        sink = PostgresqlSink(url)
        emit(database, 1, 2)
        sent(database, sink)
        sink.write(Batch(id="x", sink=sink.name, events=(an_event(1), an_event(3))))
        with psycopg.connect(url) as connection:
            found = connection.execute(
                "SELECT event_id, grounded, timestamp_utc FROM rag_retrieval_evaluated_v1"
                " ORDER BY event_id"
            ).fetchall()
        assert [row[0] for row in found] == ["evt_1", "evt_2", "evt_3"]
        assert found[0][2] == an_event().timestamp_utc
        assert "postgresql:" in sink.name
        assert url not in sink.name
    finally:
        postgres_cluster.drop(name)


def test_the_documents_of_events_are_those_of_the_contract() -> None:
    document: dict[str, Any] = event_document(1)
    assert validate_event(document) == an_event(1)
