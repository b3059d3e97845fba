"""Events of the contract: taken in once, however often they come, and never changed.

A batch of thousands is one look-up and one insert. What decides is the database: the id of an
event is unique in its project and so is its grain, whatever runs beside this transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

from evenhand.contracts.events import Event
from evenhand.contracts.ingestion import (
    Rejection,
    StoredEvent,
    conflict_with,
)
from evenhand.contracts.trusted import Window
from evenhand.core.errors.event import EventConflict
from evenhand.store.bulk import copy_rows
from evenhand.store.errors import broken_constraint
from evenhand.store.event_rows import (
    COLUMNS,
    event_to_row,
    rejection_to_row,
    row_to_event,
    row_to_rejection,
    row_to_stored,
)
from evenhand.store.pages import newest_first
from evenhand.store.streams import streamed
from evenhand.store.tables import event, event_rejection
from evenhand.store.text import is_storable
from evenhand.store.times import time_to_text

#: From so many rows on PostgreSQL copies them; a temporary table costs more than a few rows.
_COPIED: Final = 64
_ARRIVAL: Final = "event_arrival"
#: What a repetition breaks.
_KEYS: Final = ("pk_event", "uq_event_grain_digest")
_NAMES: Final = ", ".join(COLUMNS)
_EVENT_ID: Final = COLUMNS.index("event_id")
_GRAIN: Final = COLUMNS.index("grain_digest")
#: How many values one statement of `find_grains` asks for.
_LOOKED_UP: Final = 1_000
_FIND_SERVER: Final = sa.text(
    f"SELECT {_NAMES} FROM event WHERE event_id = ANY(:wanted) AND project_id = :project_id"  # noqa: S608 -- our names
)
_FIND_SQLITE: Final = sa.text(
    f"SELECT {_NAMES} FROM json_each(:wanted) AS j CROSS JOIN event"  # noqa: S608 -- our names
    " ON event_id = j.value AND project_id = :project_id"
)
_INSERT_SQLITE: Final = (
    f"INSERT INTO event ({_NAMES}) VALUES ({', '.join('?' for _ in COLUMNS)})"  # noqa: S608 -- our names
    " ON CONFLICT DO NOTHING"
)

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
        first: dict[str, Event] = {}
        for one in events:
            first.setdefault(one.event_id, one)
        came = time_to_text(received_at)
        rows = [
            event_to_row(one, project_id=project_id, client_id=client_id, received_at=came)
            for one in first.values()
        ]
        stored = self._insert(rows)
        if len(stored) == len(events):
            return [True] * len(events)
        # What was there before, or came by another transaction, or is there under another id.
        known = self.find_all(project_id, [key for key in first if key not in stored])
        return [_found(one, first[one.event_id], stored, known) for one in events]

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
        """Those of a project that have one of these ids, by id: one parameter, a look-up each."""
        if not event_ids:
            return {}
        given: dict[str, object] = {"wanted": list(event_ids), "project_id": project_id}
        query = _FIND_SERVER
        if not self._on_server:
            query, given["wanted"] = _FIND_SQLITE, msgspec.json.encode(event_ids).decode()
        rows = self._connection.execute(query, given).mappings()
        return {row["event_id"]: row_to_event(row) for row in rows}

    def find_grains(self, digests: Sequence[bytes]) -> dict[bytes, str]:
        """Ids of the events that have one of these grains, by its digest."""
        found: dict[bytes, str] = {}
        for begin in range(0, len(digests), _LOOKED_UP):
            some = digests[begin : begin + _LOOKED_UP]
            query = sa.select(event.c.grain_digest, event.c.event_id)
            rows = self._connection.execute(query.where(event.c.grain_digest.in_(some)))
            found |= {row.grain_digest: row.event_id for row in rows}
        return found

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
        with streamed(self._connection, query) as rows:
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

    def _insert(self, rows: list[tuple[Any, ...]]) -> Set[str]:
        """Ids of those that were new."""
        if not rows:
            return set()
        if not self._on_server:
            return self._insert_sqlite(rows)
        if len({row[_GRAIN] for row in rows}) == len(rows):
            # Two transactions take the ids in one order, so that neither waits for the other.
            rows.sort(key=itemgetter(_EVENT_ID))
        # Else the first that was sent of a grain is the one that stays, as on SQLite.
        if len(rows) < _COPIED:
            values = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
            statement = postgresql_insert(event).values(values).on_conflict_do_nothing()
            return set(self._connection.scalars(statement.returning(event.c.event_id)))
        return self._copy(rows)

    def _insert_sqlite(self, rows: Sequence[tuple[Any, ...]]) -> set[str]:
        # Asked for by its name, which no column has: what is inserted gets greater ones.
        last = self._connection.exec_driver_sql("SELECT MAX(rowid) FROM event").scalar() or 0
        done = self._connection.exec_driver_sql(_INSERT_SQLITE, rows).rowcount
        if done == len(rows):
            return {row[_EVENT_ID] for row in rows}
        # Nobody writes beside this transaction.
        found = self._connection.exec_driver_sql(
            "SELECT event_id FROM event WHERE rowid > ?", (last,)
        )
        return set(found.scalars())

    def _copy(self, rows: Sequence[tuple[Any, ...]]) -> Set[str]:
        """Copy rows into the table, as all of them are mostly new; else by way of another."""
        try:
            with self._connection.begin_nested():
                copy_rows(self._connection, f"COPY event ({_NAMES}) FROM STDIN", rows)
        except DBAPIError as error:
            if broken_constraint(error) not in _KEYS:
                raise
        else:
            return {row[_EVENT_ID] for row in rows}
        # It belongs to the session and is made once for many batches.
        self._connection.exec_driver_sql(
            f"CREATE TEMPORARY TABLE IF NOT EXISTS {_ARRIVAL} (LIKE event) ON COMMIT DELETE ROWS"
        )
        self._connection.exec_driver_sql(f"DELETE FROM {_ARRIVAL}")  # noqa: S608 -- our name
        copy_rows(self._connection, f"COPY {_ARRIVAL} ({_NAMES}) FROM STDIN", rows)
        stored = self._connection.exec_driver_sql(
            f"INSERT INTO event ({_NAMES}) SELECT {_NAMES} FROM {_ARRIVAL}"  # noqa: S608 -- our names
            " ORDER BY ctid ON CONFLICT DO NOTHING RETURNING event_id"
        )
        return set(stored.scalars())


def _found(one: Event, first: Event, stored: Set[str], known: Mapping[str, Event]) -> Taken:
    """What became of an event.

    Args:
        one: it.
        first: the first of its id that came together with it.
        stored: ids of those that were stored now.
        known: those that were there before.
    """
    if one.event_id in stored:
        return first is one or conflict_with(first, one) or False
    before = known.get(one.event_id)
    if before is None:
        return EventConflict("evaluation_id", code="grain_conflict")
    return conflict_with(before, one) or False


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
