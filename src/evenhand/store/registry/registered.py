"""How is any object of the registry kept? Written once, changed by its version, never taken away."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.registry import (
    NameTaken,
    RegisteredNotFound,
    StableRouteExists,
    VersionConflict,
)
from evenhand.core.registry.registered import Changeable, Noun, Registered
from evenhand.store.errors import translate
from evenhand.store.pages import is_behind, newest_first
from evenhand.store.text import is_storable, require_storable
from evenhand.store.times import text_to_time, time_to_text

T = TypeVar("T", bound=Registered)
Row = dict[str, Any]

_ONE_STABLE: Final = "ix_route_one_stable"


class SqlRegistered(Generic[T]):
    """The objects of one kind in one open transaction; implements `ports.RegisteredRepository`.

    Args:
        connection: in a transaction.
        noun: which kind.
        table: where they are kept.
        to_row, to_value: how one becomes a row, and a row one.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        noun: Noun,
        table: sa.Table,
        to_row: Callable[[T], Row],
        to_value: Callable[[RowMapping], T],
    ) -> None:
        self._connection = connection
        self._noun = noun
        self._table = table
        self._to_row = to_row
        self._to_value = to_value

    def add(self, added: T) -> None:
        """Insert one.

        Raises:
            NameTaken: another has its name, were it of a transaction that ran beside this one.
            StableRouteExists: it is a second active stable route of its binding.
            ConstraintRefused: the id is taken, or it refers to nothing.
            InvalidText: a text that a database cannot hold.
        """
        self._write(self._table.insert(), added)

    def save(self, changed: T) -> None:
        """Write the next version of one.

        Raises:
            VersionConflict: the one that is stored is not of the version before, were it for a
                transaction that ran beside this one: of two who change it, one does.
            StableRouteExists, InvalidText: as :meth:`add`.
        """
        assert isinstance(changed, Changeable)  # noqa: S101 -- what has no version is never saved
        # The version stands in the condition, so that no change is overwritten by another.
        statement = self._table.update().where(
            self._table.c.id == changed.id,
            self._table.c.version == changed.version - 1,
        )
        if self._write(statement, changed) != 1:
            raise VersionConflict(changed.id)

    def find(self, object_id: str) -> T | None:
        """The one with this id."""
        return self._one(self._table.c.id == object_id, object_id)

    def get(self, object_id: str) -> T:
        """The one with this id.

        Raises:
            RegisteredNotFound: there is none; the id is not repeated.
        """
        found = self.find(object_id)
        if found is None:
            raise RegisteredNotFound(self._noun.value)
        return found

    def get_locked(self, object_id: str) -> T:
        """The one with this id, held until the transaction ends: who locks it too waits.

        Raises:
            RegisteredNotFound: there is none; the id is not repeated.
        """
        # SQLite has one writer at a time anyway, and no such clause.
        held = sa.select(self._table).where(self._table.c.id == object_id).with_for_update()
        found = self._all(held) if is_storable(object_id) else ()
        if not found:
            raise RegisteredNotFound(self._noun.value)
        return found[0]

    def find_all(self, object_ids: Collection[str]) -> Mapping[str, T]:
        """Those of these that there are, by id; one statement for all."""
        asked = sorted(filter(is_storable, set(object_ids)))
        if not asked:
            return {}
        found = self._all(sa.select(self._table).where(self._table.c.id.in_(asked)))
        return {one.id: one for one in found}

    def find_named(self, name: str, *, project_id: str | None = None) -> T | None:
        """The one with this name; of what belongs to a project, the one of this project."""
        chosen = self._table.c.name == name
        if project_id is not None:
            chosen &= self._table.c.project_id == project_id
        return self._one(chosen, name, project_id or "")

    def list_latest(
        self,
        *,
        project_id: str | None = None,
        binding_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        offset: int = 0,
    ) -> tuple[T, ...]:
        """Newest first, at most ``limit``.

        Args:
            project_id: only those of this project, of a kind that belongs to one.
            binding_id: only those of this binding, of a kind that belongs to one.
            limit: at least 1.
            after: time and id of one; then only those behind it in the list.
            offset: how many to pass over, at least 0.
        """
        if not is_storable(f"{project_id}{binding_id}"):
            return ()
        created_at, row = self._table.c.created_at, self._table.c.id
        query = sa.select(self._table).order_by(*newest_first(created_at, row)).limit(limit)
        if project_id is not None:
            query = query.where(self._table.c.project_id == project_id)
        if binding_id is not None:
            query = query.where(self._table.c.binding_id == binding_id)
        if after is not None:
            query = query.where(is_behind(created_at, row, after))
        return self._all(query.offset(offset) if offset else query)

    def _all(self, query: sa.Select[Any]) -> tuple[T, ...]:
        return tuple(map(self._to_value, self._connection.execute(query).mappings()))

    def _one(self, chosen: sa.ColumnElement[bool], *asked: str) -> T | None:
        if not all(map(is_storable, asked)):
            return None
        row = self._connection.execute(sa.select(self._table).where(chosen)).mappings().first()
        return None if row is None else self._to_value(row)

    def _write(self, statement: sa.Insert | sa.Update, written: T) -> int:
        # Handed over beside the statement: as its part each value is built into it, and costs
        # more than the statement does.
        row = _storable(self._to_row(written))
        try:
            return self._connection.execute(statement, row).rowcount
        except IntegrityError as error:
            failure = self._refusal(error, written)
        # Outside the clause: an error of ours must not carry the driver's as its context.
        raise failure

    def _refusal(self, error: IntegrityError, written: T) -> EvenhandError:
        refused = translate(error)
        constraint = getattr(refused, "constraint", None)
        if constraint in (f"uq_{self._table.name}_name", f"uq_{self._table.name}_project_id_name"):
            return NameTaken(self._noun.value, written.name)
        return StableRouteExists() if constraint == _ONE_STABLE else refused


def registered_row(one: Registered) -> Row:
    """The columns that every object has."""
    row: Row = {"id": one.id, "created_at": time_to_text(one.created_at), "name": one.name}
    if isinstance(one, Changeable):
        row |= {"active": one.active, "version": one.version}
    return row


def registered_values(row: RowMapping) -> Row:
    """The attributes that every object of which something may change has."""
    return {
        "id": row["id"],
        "created_at": text_to_time(row["created_at"]),
        "name": row["name"],
        "active": row["active"],
        "version": row["version"],
    }


def _storable(row: Row) -> Row:
    for column, value in row.items():
        if isinstance(value, str):
            require_storable(value, column)
    return row
