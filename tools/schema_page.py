"""Write docs/schema.md: the tables, as ``src/evenhand/store/tables`` declares them.

Usage: python -m tools.schema_page
"""

from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from evenhand.store.lineage import head
from evenhand.store.schema import expected_objects
from evenhand.store.tables import metadata, stays_here, what_of, what_of_columns

PAGE = Path(__file__).parent.parent / "docs" / "schema.md"
DIALECTS = (sqlite.dialect(), postgresql.dialect())  # type: ignore[no-untyped-call]  # SQLAlchemy's
HEAD = """\
# Schema

The tables of a database at {revision}, in both kinds of database alike.
This page is made from their declarations, by `python -m tools.schema_page`.

Ids of rows are UUIDv7 text, times are UTC text such as `2026-09-01T12:00:00.000000Z`, ids and texts of questions and documents are bytes.
Where a type differs, the one of SQLite stands first and the one of PostgreSQL second.
Text with `COLLATE "C"` is compared by its bytes; SQLite compares all text so.
Append-only: UPDATE and DELETE are refused, but in a transaction that has written a `retention_action`.
How the tables are used is in [architecture](architecture.md); how they travel is in [backup](backup.md).
"""


def page() -> str:
    """The page, made from the tables."""
    names = sorted(metadata.tables)
    listed = "\n".join(
        f"| [`{name}`](#{name}) | {what_of(metadata.tables[name]) or ''} |" for name in names
    )
    parts = [
        HEAD.format(revision=f"`{head().revision}`"),
        f"| table | a row of it |\n|---|---|\n{listed}\n",
        *("\n".join(_table(metadata.tables[name])) for name in names),
    ]
    return "\n".join(parts)


def undescribed() -> list[str]:
    """Tables and columns of which their declaration does not say what they hold."""
    found = []
    for name, table in sorted(metadata.tables.items()):
        if what_of(table) is None:
            found.append(name)
        said = what_of_columns(table)
        found += [f"{name}.{column.name}" for column in table.c if column.name not in said]
        found += [f"{name}.{one}, which is none" for one in said if one not in table.c]
    return found


def _table(table: sa.Table) -> Iterator[str]:
    yield f"## {table.name}\n"
    yield what_of(table) or ""
    if table.name in _append_only():
        yield "Append-only."
    why = stays_here(table)
    if why is not None:
        yield f"In no archive: {why}."
    yield "\n| column | type | missing | holds |\n|---|---|---|---|"
    said = what_of_columns(table)
    for column in table.c:
        may = "may be" if column.nullable else ""
        yield f"| `{column.name}` | {_type(column)} | {may} | {said.get(column.name, '')} |"
    yield ""
    yield from _rules(table)
    yield ""


def _rules(table: sa.Table) -> Iterator[str]:
    yield f"- key: {_listed(table.primary_key.columns)}"
    ordered = sorted(table.constraints, key=lambda one: str(one.name))
    for constraint in ordered:
        if isinstance(constraint, sa.UniqueConstraint):
            yield f"- unique (`{constraint.name}`): {_listed(constraint.columns)}"
    for constraint in ordered:
        if isinstance(constraint, sa.ForeignKeyConstraint):
            there = ", ".join(f"`{one.target_fullname}`" for one in constraint.elements)
            yield f"- reference (`{constraint.name}`): {_listed(constraint.columns)} → {there}"
    for constraint in ordered:
        if isinstance(constraint, sa.CheckConstraint):
            yield f"- check (`{constraint.name}`): `{constraint.sqltext}`"
    for index in sorted(table.indexes, key=lambda one: str(one.name)):
        kind = "unique index" if index.unique else "index"
        only = index.dialect_options["sqlite"]["where"]
        where = "" if only is None else f" where `{only}`"
        yield f"- {kind} (`{index.name}`): {_listed(index.columns)}{where}"


def _append_only() -> frozenset[str]:
    lines = expected_objects(head().revision, "postgresql")
    guards = [line.split()[1] for line in lines if line.startswith("trigger ")]
    return frozenset(
        one.partition(".")[0] for one in guards if one.endswith(("_append_only", "_guard"))
    )


def _type(column: sa.Column[object]) -> str:
    spelt = [column.type.compile(dialect=dialect) for dialect in DIALECTS]
    return " / ".join(f"`{one}`" for one in dict.fromkeys(spelt))


def _listed(columns: "sa.sql.base.ReadOnlyColumnCollection[str, sa.Column[object]]") -> str:
    return ", ".join(f"`{column.name}`" for column in columns)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
