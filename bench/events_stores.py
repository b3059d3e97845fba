"""What does it cost to take events into a database, beside the least that this could cost?

In process: `uow.events.take`, which finds what was there before and what contradicts, beside a
program that only adds them: to SQLite, with ``synchronous = FULL``, by ``executemany`` to a table
without a key, and to PostgreSQL, which flushes each commit, by COPY to a table without an index.
Both begin with the same decoded events, make rows of them and commit batch by batch; what does
not look for repetitions needs no digest of the grain.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from msgspec.structs import astuple

from bench.events_data import PROJECT, START, Row, compared, make_events, used
from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.contracts.decoding import timestamp_text
from evenhand.contracts.events import Event
from evenhand.store.event_rows import COLUMNS
from evenhand.store.migrate import upgrade
from evenhand.store.times import time_to_text
from evenhand.store.uow import Database, open_database
from evenhand.usecases.ports import UnitOfWork
from tests import postgres

BATCHES = (1_000, 10_000)
EVENTS = 20_000
_CAME = time_to_text(START)
_COLUMNS = tuple(name for name in COLUMNS if name != "grain_digest")
_NAMES = ", ".join(_COLUMNS)
#: Database → least part of the floor's speed.
GOALS = {"SQLite": 0.5, "PostgreSQL": 0.3}
KEYLESS, RAW = "keyless executemany", "raw COPY"
#: Makes an empty database that is ready, and gives its URL.
_Made = Callable[[], str]
_Floor = Callable[[str, Sequence[Event], int], None]


def compare(rounds: int) -> list[Row]:
    """Both databases, both sizes of a batch."""
    rows = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="evenhand-events-")))
        for size in BATCHES:
            made = partial(_new_file, folder)
            rows.append(_compare_on("SQLite", KEYLESS, made, _add_to_file, rounds, size))
        try:
            cluster = stack.enter_context(postgres.cluster(durable=True))
        except postgres.PostgresMissingError as error:
            print(f"  PostgreSQL was not measured: {error}")
            return rows
        for size in BATCHES:
            made = partial(_new_database, cluster)
            rows.append(_compare_on("PostgreSQL", RAW, made, _add_to_server, rounds, size))
    return rows


def _compare_on(name: str, peer: str, made: _Made, floor: _Floor, rounds: int, size: int) -> Row:
    ours, theirs = [], []
    for number in range(rounds):
        events = list(make_events(EVENTS, f"{name}{size}-{number}-"))
        theirs.append(used(partial(floor, made(), events, size), EVENTS))
        url = made()
        with closing(open_database(url, clock=SystemClock(), ids=UuidV7Ids())) as database:
            # Whoever takes events in has been connected for long.
            database.read(lambda uow: uow.now())
            ours.append(used(partial(_take, database, events, size), EVENTS))
            if database.read(lambda uow: uow.events.count(None, project_id=None)) != EVENTS:
                raise SystemExit("not every event is stored")
    return compared(f"{name}, batches of {size:,}", peer, ours, theirs, goal=GOALS[name])


def _take(database: Database, events: Sequence[Event], size: int) -> None:
    for begin in range(0, len(events), size):
        database.run(partial(_take_block, events[begin : begin + size]))


def _take_block(block: Sequence[Event], uow: UnitOfWork) -> None:
    taken = uow.events.take(block, project_id=PROJECT, client_id=None, received_at=START)
    if taken.count(True) != len(block):
        raise SystemExit("an event was not new")


def _new_file(folder: Path) -> str:
    path = folder / f"{len(list(folder.glob('*.db')))}.db"
    upgrade(url := f"sqlite:///{path}")
    return url


def _new_database(cluster: postgres.Cluster) -> str:
    return cluster.url(cluster.create_migrated(upgrade))


def _add_to_file(url: str, events: Sequence[Event], size: int) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as store:
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA synchronous = FULL")
        store.execute(f"CREATE TABLE bare ({_NAMES})")
        marks = ", ".join("?" for _ in _COLUMNS)
        for begin in range(0, len(events), size):
            store.execute("BEGIN IMMEDIATE")
            rows = map(_row, events[begin : begin + size])
            store.executemany(f"INSERT INTO bare VALUES ({marks})", rows)  # noqa: S608 -- of this file
            store.execute("COMMIT")


def _add_to_server(url: str, events: Sequence[Event], size: int) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute(f"CREATE TABLE bare AS SELECT {_NAMES} FROM event LIMIT 0")  # noqa: S608 -- of this file
        connection.commit()
        for begin in range(0, len(events), size):
            with connection.cursor() as cursor, cursor.copy("COPY bare FROM STDIN") as copy:
                for one in events[begin : begin + size]:
                    copy.write_row(_row(one))
            connection.commit()


def _row(event: Event) -> tuple[Any, ...]:
    at, *before, outcome, prompt_version, benchmark, review_stratum = astuple(event)
    return (
        PROJECT,
        None,
        _CAME,
        timestamp_text(at),
        None if outcome is None else outcome.value,
        *before,
        prompt_version,
        benchmark,
        review_stratum,
    )
