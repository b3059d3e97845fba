"""What is really in a database? One line per object, to compare with what the migrations make.

A database can be at the newest revision by name and lack an index in fact (B-131); a unique index
that is missing lets every race through. So each object that matters is spelt as one line, and
``schema.json`` holds, per revision and database, the lines that the migration adds and drops.
Texts that a server may rewrite (the conditions of checks) are not part of a line; bodies of
triggers, which it keeps as they are, are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.identity.canonical import sha256_hex
from evenhand.store.lineage import MIGRATIONS

SCHEMA_FILE: Final = MIGRATIONS / "schema.json"
_NAMED: Final = re.compile(r"CONSTRAINT\s+\"?(\w+)\"?\s+(\w+)", re.IGNORECASE)
_BODY_DIGITS: Final = 16


class SchemaDelta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one migration does to the objects of one kind of database."""

    add: tuple[str, ...]
    drop: tuple[str, ...] = ()


class SchemaRevision(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one migration does to the schema."""

    revision: str
    sqlite: SchemaDelta
    postgresql: SchemaDelta


@dataclass(frozen=True, slots=True)
class Drift:
    """How a database differs from what its revision should have; empty when it does not.

    Attributes:
        missing: lines that should be there.
        unexpected: lines that should not.
    """

    missing: tuple[str, ...]
    unexpected: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether there is any difference."""
        return bool(self.missing or self.unexpected)

    def lines(self) -> tuple[str, ...]:
        """One text per difference, naming the object."""
        return (
            *(f"missing: {line}" for line in self.missing),
            *(f"unexpected: {line}" for line in self.unexpected),
        )


@cache
def load_schema() -> tuple[SchemaRevision, ...]:
    """What each migration of this release does, oldest first."""
    return msgspec.json.decode(SCHEMA_FILE.read_bytes(), type=tuple[SchemaRevision, ...])


def expected_objects(revision: str, dialect: str) -> frozenset[str]:
    """The lines that a database of this kind has at a revision."""
    lines: set[str] = set()
    for step in load_schema():
        delta: SchemaDelta = getattr(step, dialect)
        lines.difference_update(delta.drop)
        lines.update(delta.add)
        if step.revision == revision:
            break
    return frozenset(lines)


def known_tables() -> frozenset[str]:
    """Every table that some revision of this release makes."""
    return _known("table ")


def _known(kind: str) -> frozenset[str]:
    added = (line for step in load_schema() for line in step.sqlite.add)
    return frozenset(line.split()[1] for line in added if line.startswith(kind))


def schema_fingerprint(lines: Iterable[str]) -> str:
    """One digest over the lines, in any order."""
    return sha256_hex("\n".join(sorted(lines)).encode())


def find_drift(connection: Connection, revision: str) -> Drift:
    """How the database differs from what a revision makes.

    Tables of other programs are not looked at, nor are further indexes that are not unique: an
    operator may add those, and they change no result.
    """
    expected = expected_objects(revision, connection.dialect.name)
    ours = known_tables() | _known("view ")
    actual = {
        line
        for line in read_objects(connection)
        if line in expected or (_table_of(line) in ours and not _is_plain_index(line))
    }
    if schema_fingerprint(actual) == schema_fingerprint(expected):
        return Drift((), ())
    return Drift(tuple(sorted(expected - actual)), tuple(sorted(actual - expected)))


def read_objects(connection: Connection) -> frozenset[str]:
    """One line per table, view, column, constraint, index and trigger of the database."""
    if connection.dialect.name == "sqlite":
        return frozenset(_read_sqlite(connection))
    return frozenset(_read_postgresql(connection))


def table_names(connection: Connection) -> frozenset[str]:
    """The tables of the database (on PostgreSQL of the current schema)."""
    query = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        if connection.dialect.name == "sqlite"
        else "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    )
    return frozenset(connection.scalars(sa.text(query)))


def _table_of(line: str) -> str:
    return line.split()[1].partition(".")[0]


def _is_plain_index(line: str) -> bool:
    return line.startswith("index ") and " unique " not in line


def _read_sqlite(connection: Connection) -> Iterable[str]:
    for row in _rows(
        connection,
        """
        SELECT m.name AS "table", x.name, x.type, x."notnull", x.pk
        FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS x
        WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        """,
    ):
        null = " not null" if row["notnull"] else ""
        yield f"column {row['table']}.{row['name']} {row['type']}{null}"
        if row["pk"]:
            yield f"key {row['table']}.{row['name']} {row['pk']}"
    for row in _rows(
        connection, "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL"
    ):
        if row["type"] == "trigger":
            yield f"trigger {row['tbl_name']}.{row['name']} {_digest(row['sql'])}"
        elif row["type"] == "table":
            yield f"table {row['name']}"
            for name, kind in _NAMED.findall(str(row["sql"])):
                yield f"constraint {row['name']}.{name} {kind.lower()}"
        elif row["type"] == "view":
            yield f"view {row['name']} {_digest(row['sql'])}"
    yield from _sqlite_references(connection)
    yield from _sqlite_indexes(connection)


def _sqlite_references(connection: Connection) -> Iterable[str]:
    for row in _rows(
        connection,
        """
        SELECT m.name AS "table", f."from", f."table" AS other, f."to", f.on_delete
        FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS f WHERE m.type = 'table'
        """,
    ):
        yield (
            f"reference {row['table']}.{row['from']} {row['other']}.{row['to']}"
            f" {str(row['on_delete']).lower()}"
        )


def _sqlite_indexes(connection: Connection) -> Iterable[str]:
    for row in _rows(
        connection,
        """
        SELECT m.name AS "table", i.name, i."unique", i.partial,
               group_concat(x.name || CASE x."desc" WHEN 1 THEN ' desc' ELSE '' END, ', ') AS columns
        FROM sqlite_master AS m
        JOIN pragma_index_list(m.name) AS i
        JOIN pragma_index_xinfo(i.name) AS x ON x.key = 1
        WHERE m.type = 'table' AND i.origin = 'c'
        GROUP BY m.name, i.name, i."unique", i.partial
        """,
    ):
        yield _index(row)


def _read_postgresql(connection: Connection) -> Iterable[str]:
    here = "n.nspname = current_schema()"
    for row in _rows(
        connection,
        f"""
        SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
               a.attnotnull AS "notnull", l.collname
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace AND {here}
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_collation AS l ON l.oid = a.attcollation AND l.collname <> 'default'
        WHERE c.relkind IN ('r', 'p')
        """,  # noqa: S608 -- a constant of this function
    ):
        null = " not null" if row["notnull"] else ""
        by_bytes = f" {row['collname']}" if row["collname"] else ""
        yield f"table {row['table']}"
        yield f"column {row['table']}.{row['name']} {row['type']}{by_bytes}{null}"
    for row in _rows(
        connection,
        f"""
        SELECT c.relname AS "table", k.conname AS name, k.contype, k.convalidated,
               CASE WHEN k.contype IN ('p', 'u', 'f') THEN pg_get_constraintdef(k.oid) END AS text
        FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace AND {here}
        WHERE k.contype IN ('p', 'u', 'f', 'c')
        """,  # noqa: S608 -- a constant of this function
    ):
        valid = "" if row["convalidated"] else " not valid"
        yield f"constraint {row['table']}.{row['name']} {row['text'] or 'CHECK'}{valid}"
    # The server rewrites what a view selects; the columns that it gives are kept as they are.
    for row in _rows(
        connection,
        f"""
        SELECT c.relname AS name, string_agg(a.attname, ', ' ORDER BY a.attnum) AS columns
        FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace AND {here}
        JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relkind = 'v' GROUP BY c.relname
        """,  # noqa: S608 -- a constant of this function
    ):
        yield f"view {row['name']} ({row['columns']})"
    yield from _postgresql_indexes(connection, here)
    yield from _postgresql_triggers(connection, here)


def _postgresql_indexes(connection: Connection, here: str) -> Iterable[str]:
    for row in _rows(
        connection,
        f"""
        SELECT c.relname AS "table", i.relname AS name, x.indisunique AS "unique",
               x.indpred IS NOT NULL AS partial,
               (SELECT string_agg(pg_get_indexdef(x.indexrelid, k::int, true), ', ' ORDER BY k)
                FROM generate_series(1, x.indnkeyatts) AS k) AS columns
        FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
        JOIN pg_class AS c ON c.oid = x.indrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace AND {here}
        LEFT JOIN pg_constraint AS k ON k.conindid = i.oid AND k.contype IN ('p', 'u')
        WHERE k.oid IS NULL AND x.indisvalid
        """,  # noqa: S608 -- a constant of this function
    ):
        yield _index(row)


def _postgresql_triggers(connection: Connection, here: str) -> Iterable[str]:
    for row in _rows(
        connection,
        f"""
        SELECT c.relname AS "table", t.tgname AS name, t.tgtype, t.tgenabled, p.prosrc
        FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace AND {here}
        JOIN pg_proc AS p ON p.oid = t.tgfoid
        WHERE NOT t.tgisinternal
        """,  # noqa: S608 -- a constant of this function
    ):
        enabled = "" if row["tgenabled"] == "O" else " disabled"
        body = f"{row['tgtype']} {_digest(row['prosrc'])}"
        yield f"trigger {row['table']}.{row['name']} {body}{enabled}"


def _index(row: Mapping[str, object]) -> str:
    unique = " unique" if row["unique"] else ""
    partial = " partial" if row["partial"] else ""
    return f"index {row['table']}.{row['name']}{unique} ({row['columns']}){partial}"


def _digest(text: object) -> str:
    # Blanks apart: how a statement was indented says nothing.
    return sha256_hex(" ".join(str(text).split()).encode())[:_BODY_DIGITS]


def _rows(connection: Connection, query: str) -> Iterable[Mapping[str, object]]:
    return connection.execute(sa.text(query)).mappings().all()  # type: ignore[return-value]  # keys are text
