"""How fast are events taken in, beside what their databases could do without any promise?

In process and by CPU seconds: `uow.events.take`, which looks for repetitions and contradictions,
beside a keyless ``executemany`` on SQLite and a raw COPY on PostgreSQL of the very same rows.
Then the trusted query over exported Parquet beside a plain DuckDB aggregate over the same columns.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from evenhand.adapters.formats.event_parquet import write_events
from evenhand.adapters.queries.parquet import over_parquet
from evenhand.adapters.system import SystemClock, UuidV7Ids
from evenhand.contracts.events import Event, validate_event
from evenhand.contracts.trusted import Window, load_question
from evenhand.core.identity.canonical import sha256_hex
from evenhand.store.event_rows import COLUMNS, event_to_row
from evenhand.store.migrate import upgrade
from evenhand.store.times import time_to_text
from evenhand.store.uow import Database, open_database
from evenhand.usecases.ports import UnitOfWork
from tests import postgres

PROJECT = "01990000-0000-7000-e001-000000000001"
START = datetime(2026, 7, 29, tzinfo=UTC)
BATCHES = (1_000, 10_000)
EVENTS, PARQUET, PARQUET_LARGE = 20_000, 500_000, 10_000_000
#: Least part of the floor's speed; most time of a plain aggregate.
SQLITE_GOAL, POSTGRESQL_GOAL, QUERY_GOAL = 0.5, 0.3, 1.5
_QUESTION = "relevant_grounded_accepted"
#: The same columns, the same groups, nothing about outcomes.
_PLAIN = """
SELECT benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version,
       COUNT(*), MAX(outcome), AVG(retrieval_score), SUM(grounded::INT), SUM(accepted::INT)
FROM rag_retrieval_evaluated_v1
WHERE timestamp_utc >= :window_start AND timestamp_utc < :window_end
GROUP BY benchmark, review_stratum, retrieval_version, evaluator_version, prompt_version
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measurement: medians in microseconds an event, and their ratio to the floor.

    Attributes:
        name: what was measured.
        ours: microseconds an event.
        floor: the same of what it is compared with.
        ratio: median of the rounds' ratios.
        goal: what the ratio has to reach, or must not pass.
        is_most: whether the goal is a greatest value.
    """

    name: str
    ours: float
    floor: float
    ratio: float
    goal: float
    is_most: bool = False

    @property
    def missed(self) -> bool:
        """Whether the goal is missed."""
        return self.ratio > self.goal if self.is_most else self.ratio < self.goal

    def __str__(self) -> str:
        bound = "<=" if self.is_most else ">="
        state = "MISSED" if self.missed else "met"
        return (
            f"{self.name:<34} {self.ours:9.3f} us {self.floor:9.3f} us"
            f"  ratio {self.ratio:5.2f}  goal {bound} {self.goal}  {state}"
        )


def compare(rounds: int) -> list[Row]:
    """Floors in process, and the trusted query over a small Parquet file."""
    return [*_sqlite(rounds), *_postgresql(rounds), _query(rounds, PARQUET)]


def compare_large(rounds: int) -> list[Row]:
    """The trusted query over ten million events; on request only."""
    return [_query(rounds, PARQUET_LARGE)]


def _events(number: int, mark: str) -> Iterator[Event]:
    base = {
        "account_id": "acct_" + "a" * 24,
        "release": "2026.07.3",
        "evaluator_version": "grounding_rubric_v2",
        "outcome": "evaluated",
        "benchmark": "v1:" + "b" * 64,
        "review_stratum": "c" * 64,
        "timestamp_utc": "2026-07-29T00:00:00Z",
    }
    for place in range(number):
        digest = sha256_hex(f"{mark}{place}".encode())
        event = validate_event(
            base
            | {
                "event_id": f"evt_{digest[:24]}",
                "evaluation_id": f"eval_{digest[24:48]}",
                "retrieval_version": f"hybrid_v{place % 7}",
                "prompt_version": f"prompt_v{place % 5}",
                "retrieval_score": (place % 101) / 100,
                "grounded": place % 3 > 0,
                "accepted": place % 2 > 0,
                "duration_ms": place % 5_000,
            }
        )
        at = START + timedelta(milliseconds=place)
        yield msgspec.structs.replace(event, timestamp_utc=at)


def _rows(events: list[Event]) -> list[tuple[Any, ...]]:
    came = time_to_text(START)
    return [
        event_to_row(one, project_id=PROJECT, client_id=None, received_at=came) for one in events
    ]


def _take(database: Database, events: list[Event], size: int) -> None:
    for begin in range(0, len(events), size):
        block = events[begin : begin + size]
        database.run(partial(_take_block, block))


def _take_block(block: list[Event], uow: UnitOfWork) -> None:
    uow.events.take(block, project_id=PROJECT, client_id=None, received_at=START)


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _sqlite(rounds: int) -> list[Row]:
    rows = []
    for size in BATCHES:
        ours, floors = [], []
        for number in range(rounds):
            events = list(_events(EVENTS, f"s{number}"))
            with tempfile.TemporaryDirectory() as folder:
                upgrade(url := f"sqlite:///{folder}/a.db")
                with closing(open_database(url, clock=SystemClock(), ids=UuidV7Ids())) as opened:
                    ours.append(_cpu(partial(_take, opened, events, size)))
                floors.append(_cpu(partial(_keyless, Path(folder) / "b.db", _rows(events), size)))
        rows.append(_row(f"SQLite, batches of {size}", ours, floors, EVENTS, SQLITE_GOAL))
    return rows


def _keyless(path: Path, rows: list[tuple[Any, ...]], size: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"CREATE TABLE event ({', '.join(COLUMNS)})")
        marks = ", ".join("?" for _ in COLUMNS)
        for begin in range(0, len(rows), size):
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                f"INSERT INTO event VALUES ({marks})",  # noqa: S608 -- of this file
                rows[begin : begin + size],
            )
            connection.execute("COMMIT")


def _postgresql(rounds: int) -> list[Row]:
    with postgres.cluster() as cluster:
        rows = []
        for size in BATCHES:
            ours, floors = [], []
            for number in range(rounds):
                events = list(_events(EVENTS, f"p{number}"))
                url = cluster.url(cluster.create_migrated(upgrade))
                with closing(open_database(url, clock=SystemClock(), ids=UuidV7Ids())) as opened:
                    ours.append(_wall(partial(_take, opened, events, size)))
                floors.append(_wall(partial(_copy, url, _rows(events), size)))
            name = f"PostgreSQL, batches of {size}"
            rows.append(_row(name, ours, floors, EVENTS, POSTGRESQL_GOAL))
        return rows


def _copy(url: str, rows: list[tuple[Any, ...]], size: int) -> None:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        connection.execute("CREATE TABLE raw AS SELECT * FROM event LIMIT 0")
        connection.commit()
        for begin in range(0, len(rows), size):
            with connection.cursor() as cursor, cursor.copy("COPY raw FROM STDIN") as copy:
                for row in rows[begin : begin + size]:
                    copy.write_row(row)
            connection.commit()


def _wall(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


@contextmanager
def _parquet(number: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.parquet"
        with path.open("wb") as stream:
            write_events(stream, _events(number, "q"))
        yield path


def _query(rounds: int, number: int) -> Row:
    window = Window(start=START, end=START + timedelta(days=1))
    trusted = load_question(_QUESTION).sql
    ours, floors = [], []
    with _parquet(number) as path, over_parquet(path) as execute:
        for _ in range(rounds):
            floors.append(_wall(partial(execute, _PLAIN, window)))
            ours.append(_wall(partial(execute, trusted, window)))
    ratio = statistics.median(one / other for one, other in zip(ours, floors, strict=True))
    return Row(
        name=f"trusted query, {number:,} in Parquet",
        ours=statistics.median(ours) / number * 1e6,
        floor=statistics.median(floors) / number * 1e6,
        ratio=ratio,
        goal=QUERY_GOAL,
        is_most=True,
    )


def _row(name: str, ours: list[float], floors: list[float], number: int, goal: float) -> Row:
    return Row(
        name=name,
        ours=statistics.median(ours) / number * 1e6,
        floor=statistics.median(floors) / number * 1e6,
        ratio=statistics.median(other / one for one, other in zip(ours, floors, strict=True)),
        goal=goal,
    )
