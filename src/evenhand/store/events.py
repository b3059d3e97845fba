"""Events of the contract: taken in once, however often they come, and never changed.

A batch of thousands is one look-up and one insert. What decides is the database: the id of an
event is unique in its project and so is its grain, whatever runs beside this transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.engine import Connection

from evenhand.contracts.events import Event
from evenhand.contracts.ingestion import (
    Rejection,
    StoredEvent,
    conflict_with,
)
from evenhand.contracts.trusted import Window
from evenhand.core.errors.event import EventConflict
from evenhand.store.bulk import copy_rows
from evenhand.store.event_rows import (
    COLUMNS,
    event_to_row,
    rejection_to_row,
    row_to_event,
    row_to_rejection,
    row_to_stored,
)
from evenhand.store.pages import newest_first
from evenhand.store.tables import event, event_rejection
from evenhand.store.text import is_storable
from evenhand.store.times import time_to_text

#: From so many rows on PostgreSQL copies them; a temporary table costs more than a few rows.
_COPIED: Final = 64
_ARRIVAL: Final = "event_arrival"
_NAMES: Final = ", ".join(COLUMNS)
_EVENT_ID: Final = COLUMNS.index("event_id")
_FETCHED: Final = 1_000

#: What became of an event: True stored, False a repetition, else why it contradicts.
Taken = bool | EventConflict


class SqlEvents:
    """The events of one open transaction; implements `ports.EventRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._on_server = connection.dialect.name == "postgresql"

    def take(
        self,
        events: Sequence[Event],
        *,
        project_id: str,
        client_id: str | None,
        received_at: datetime,
    ) -> list[Taken]:
        """Store those that are new; say of each what became of it.

        Args:
            events: valid ones, in any number; one may occur twice among them.
            project_id: whose they are.
            client_id: the service client that sends them; None for people and the hub itself.
            received_at: aware UTC.
        """
        came = time_to_text(received_at)
        first: dict[str, Event] = {}
        for one in events:
            first.setdefault(one.event_id, one)
        rows = {
            one.event_id: event_to_row(
                one, project_id=project_id, client_id=client_id, received_at=came
            )
            for one in first.values()
        }
        known = {} if self._on_server else self.find_all(project_id, list(first))
        stored = self._insert([row for key, row in rows.items() if key not in known])
        missing = [key for key in first if key not in known and key not in stored]
        if missing:
            # Another transaction was quicker, or the result is there under another id.
            known |= self.find_all(project_id, missing)
        found: list[Taken] = []
        for one in events:
            is_first = first[one.event_id] is one
            if is_first and one.event_id in stored:
                found.append(True)
                continue
            before = known.get(one.event_id) or (
                first[one.event_id] if one.event_id in stored else None
            )
            if before is None:
                found.append(EventConflict("evaluation_id", code="grain_conflict"))
            else:
                found.append(conflict_with(before, one) or False)
        return found

    def find(self, project_id: str, event_id: str) -> StoredEvent | None:
        """The event of a project that has this id."""
        if not (is_storable(project_id) and is_storable(event_id)):
            return None
        query = sa.select(event).where(
            event.c.project_id == project_id, event.c.event_id == event_id
        )
        row = self._connection.execute(query).mappings().first()
        return None if row is None else row_to_stored(row)

    def find_all(self, project_id: str, event_ids: Sequence[str]) -> dict[str, Event]:
        """Those of a project that have one of these ids, by id."""
        rows = self._look_up(_NAMES, "event_id", event_ids, "project_id = :of", of=project_id)
        return {row["event_id"]: row_to_event(row) for row in rows}

    def find_grains(self, digests: Sequence[str]) -> dict[str, str]:
        """Ids of the events that have one of these grains, by its digest."""
        rows = self._look_up("grain_digest, event_id", "grain_digest", digests, "TRUE")
        return {row["grain_digest"]: row["event_id"] for row in rows}

    def has_any(self) -> bool:
        """Whether there is one."""
        earliest = sa.select(event.c.timestamp_utc).order_by(event.c.timestamp_utc).limit(1)
        return self._connection.scalar(earliest) is not None

    def count(self, window: Window | None, *, project_id: str | None) -> int:
        """How many events :meth:`walk` gives."""
        query = sa.select(sa.func.count()).select_from(event)
        found = self._connection.scalar(query.where(*_within(window, project_id)))
        return int(found or 0)

    def walk(self, window: Window | None, *, project_id: str | None) -> Iterator[Event]:
        """Events by time and id, read as they are asked for.

        Args:
            window: of outcome boundaries; None: all.
            project_id: of this project; None: of all.
        """
        query = (
            sa.select(event)
            .where(*_within(window, project_id))
            .order_by(event.c.timestamp_utc, event.c.project_id, event.c.event_id)
        )
        options = {"stream_results": True, "max_row_buffer": _FETCHED}
        with self._connection.execute(query, execution_options=options) as rows:
            yield from map(row_to_event, rows.mappings())

    def ask(self, sql: str, window: Window) -> Sequence[Mapping[str, Any]]:
        """What a trusted text gives over a window; of `contracts.trusted.load_question` only."""
        given = {
            "window_start": time_to_text(window.start),
            "window_end": time_to_text(window.end),
        }
        return [dict(row) for row in self._connection.execute(sa.text(sql), given).mappings()]

    def add_rejections(self, rejections: Sequence[Rejection]) -> None:
        """Note that events were not taken."""
        if rejections:
            rows = list(map(rejection_to_row, rejections))
            self._connection.execute(event_rejection.insert(), rows)

    def list_rejections(self, *, limit: int) -> tuple[Rejection, ...]:
        """Newest first, at most ``limit``."""
        query = sa.select(event_rejection).order_by(
            *newest_first(event_rejection.c.received_at, event_rejection.c.id)
        )
        rows = self._connection.execute(query.limit(limit)).mappings()
        return tuple(map(row_to_rejection, rows))

    def count_rejections(self, received: Window) -> tuple[tuple[str, str, int], ...]:
        """Code, field and how many events were refused so, of those that came in a window."""
        row = event_rejection.c
        query = (
            sa.select(row.code, row.field, sa.func.count())
            .where(
                row.received_at >= time_to_text(received.start),
                row.received_at < time_to_text(received.end),
            )
            .group_by(row.code, row.field)
            .order_by(row.code, row.field)
        )
        return tuple(
            (code, field, count) for code, field, count in self._connection.execute(query)
        )

    def _look_up(
        self, names: str, column: str, wanted: Sequence[str], further: str, **given: str
    ) -> Sequence[RowMapping]:
        """Rows with one of many values in a column: one parameter, and one look-up each."""
        if not wanted:
            return []
        if self._on_server:
            query = f"SELECT {names} FROM event WHERE {column} = ANY(:wanted) AND {further}"  # noqa: S608 -- our names
            parameter: Any = list(wanted)
        else:
            query = (
                f"SELECT {names} FROM json_each(:wanted) AS j CROSS JOIN event"  # noqa: S608 -- our names
                f" ON {column} = j.value AND {further}"
            )
            parameter = msgspec.json.encode(wanted).decode()
        found = self._connection.execute(sa.text(query), {"wanted": parameter, **given})
        return found.mappings().all()

    def _insert(self, rows: Sequence[tuple[Any, ...]]) -> set[str]:
        """Ids of those that were new.

        In the order of the ids: two transactions take them in the same one, and neighbours in an
        index are written together.
        """
        ordered = sorted(rows, key=itemgetter(_EVENT_ID))
        if not ordered:
            return set()
        if not self._on_server:
            return self._insert_sqlite(ordered)
        if len(ordered) < _COPIED:
            values = [dict(zip(COLUMNS, row, strict=True)) for row in ordered]
            statement = postgresql_insert(event).values(values).on_conflict_do_nothing()
            return set(self._connection.scalars(statement.returning(event.c.event_id)))
        return self._copy(ordered)

    def _insert_sqlite(self, rows: Sequence[tuple[Any, ...]]) -> set[str]:
        marks = ", ".join("?" for _ in COLUMNS)
        statement = (
            f"INSERT INTO event ({_NAMES}) VALUES ({marks})"  # noqa: S608 -- our names
            " ON CONFLICT (grain_digest) DO NOTHING"
        )
        done = self._connection.exec_driver_sql(statement, list(rows)).rowcount
        ids = {row[_EVENT_ID] for row in rows}
        if done == len(ids):
            return ids
        # Nobody writes beside this transaction, so what is there now was stored just now.
        project_id = rows[0][0]
        return set(self.find_all(project_id, sorted(ids)))

    def _copy(self, rows: Sequence[tuple[Any, ...]]) -> set[str]:
        # It belongs to the session and is made once for many batches.
        self._connection.exec_driver_sql(
            f"CREATE TEMPORARY TABLE IF NOT EXISTS {_ARRIVAL} (LIKE event) ON COMMIT DELETE ROWS"
        )
        self._connection.exec_driver_sql(f"DELETE FROM {_ARRIVAL}")  # noqa: S608 -- our name
        copy_rows(self._connection, f"COPY {_ARRIVAL} ({_NAMES}) FROM STDIN", rows)
        # Only those that were there before come back, which mostly are none.
        missing = self._connection.exec_driver_sql(
            f"WITH stored AS (INSERT INTO event ({_NAMES}) SELECT {_NAMES} FROM {_ARRIVAL}"  # noqa: S608 -- our names
            " ORDER BY event_id ON CONFLICT DO NOTHING RETURNING event_id)"
            f" SELECT event_id FROM {_ARRIVAL} EXCEPT SELECT event_id FROM stored"
        )
        return {row[_EVENT_ID] for row in rows} - set(missing.scalars())


def _within(window: Window | None, project_id: str | None) -> list[sa.ColumnElement[bool]]:
    chosen: list[sa.ColumnElement[bool]] = []
    if window is not None:
        chosen += [
            event.c.timestamp_utc >= time_to_text(window.start),
            event.c.timestamp_utc < time_to_text(window.end),
        ]
    if project_id is not None:
        chosen.append(event.c.project_id == project_id)
    return chosen
