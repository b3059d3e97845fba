"""Write what is known of the migrations beside them.

Run it after a migration was written or, before its issue is closed, edited. It migrates two empty
databases step by step and notes what each step does to them (``lineage.json``, ``schema.json``),
and the statements that make the same at once (``snapshot.json``).

    python tools/lineage.py
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

sys.path.insert(0, str(Path(__file__).parents[1]))

from evenhand.store import chain
from evenhand.store.engine import create_migration_engine
from evenhand.store.lineage import LINEAGE_FILE, chain_steps
from evenhand.store.readiness import VERSION_TABLE
from evenhand.store.schema import (
    SCHEMA_FILE,
    SchemaDelta,
    SchemaRevision,
    read_objects,
    table_names,
)
from evenhand.store.snapshot import SNAPSHOT_FILE, Snapshot
from tests import postgres


def revisions() -> list[tuple[str, Path]]:
    """Revision and file of each migration, oldest first."""
    listed = [(script.revision, Path(script.path)) for script in chain.scripts().walk_revisions()]
    return listed[::-1]


def lineage() -> list[tuple[str, str]]:
    """Revision and SHA-256 of each migration's file, oldest first."""
    return [
        (revision, hashlib.sha256(path.read_bytes()).hexdigest()) for revision, path in revisions()
    ]


def deltas(url: str) -> list[SchemaDelta]:
    """What each migration does to an empty database."""
    engine = create_migration_engine(url)
    found = []
    before: frozenset[str] = frozenset()
    for revision, _ in revisions():
        with engine.begin() as connection:
            chain.upgrade(connection, revision)
            after = own_objects(connection)
        found.append(
            SchemaDelta(add=tuple(sorted(after - before)), drop=tuple(sorted(before - after)))
        )
        before = after
    engine.dispose()
    return found


def own_objects(connection: Connection) -> frozenset[str]:
    """All objects but those of the migration tool."""
    return frozenset(
        line
        for line in read_objects(connection)
        if line.split()[1].partition(".")[0] != VERSION_TABLE
    )


@contextmanager
def recording(engine: Engine) -> Iterator[list[str]]:
    """The statements that are executed in the block and change anything."""
    recorded: list[str] = []

    def _note(*told: Any) -> None:
        _, _, statement, parameters, *_ = told
        if statement.lstrip().upper().startswith("SELECT"):
            return
        if parameters:
            why = f"has parameters and cannot be recorded: {statement}"
            raise SystemExit(why)
        recorded.append(statement)

    sa.event.listen(engine, "before_cursor_execute", _note)
    yield recorded
    sa.event.remove(engine, "before_cursor_execute", _note)


def on_sqlite(url: str) -> tuple[str, ...]:
    """What a file says of itself that was migrated: tables, then indexes, then triggers."""
    engine = create_migration_engine(url)
    with engine.connect() as connection:
        made = connection.scalars(
            sa.text(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY"
                " CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, rowid"
            )
        )
        statements = (*made, f"INSERT INTO {VERSION_TABLE} VALUES ('{revisions()[-1][0]}')")  # noqa: S608
        filled = [
            name
            for name in table_names(connection) - {VERSION_TABLE}
            if connection.scalar(sa.select(sa.func.count()).select_from(sa.table(name)))
        ]
    engine.dispose()
    if filled:
        why = f"migrations put rows into {', '.join(filled)}, which are not recorded"
        raise SystemExit(why)
    return statements


def on_postgresql(url: str) -> tuple[str, ...]:
    """What the migrations execute, each in its turn: a server spells nothing out again."""
    engine = create_migration_engine(url)
    with recording(engine) as statements, engine.begin() as connection:
        chain.upgrade(connection, revisions()[-1][0])
    engine.dispose()
    return tuple(statements)


def written() -> tuple[list[SchemaRevision], Snapshot]:
    """What each migration does to both kinds of database, and all of them at once."""
    with tempfile.TemporaryDirectory() as folder, postgres.cluster() as cluster:
        names = [cluster.create(), cluster.create()]
        file, server = f"sqlite:///{folder}/lineage.db", cluster.url(names[0])
        steps = [
            SchemaRevision(revision=revision, sqlite=one, postgresql=other)
            for (revision, _), one, other in zip(
                revisions(), deltas(file), deltas(server), strict=True
            )
        ]
        last = chain_steps(lineage())[-1]
        whole = Snapshot(
            revision=last.revision,
            chain=last.chain,
            sqlite=on_sqlite(file),
            postgresql=on_postgresql(cluster.url(names[1])),
        )
        for name in names:
            cluster.drop(name)
    return steps, whole


def pretty(value: object) -> bytes:
    """Indented JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def main() -> None:
    """Write the files."""
    steps, whole = written()
    SCHEMA_FILE.write_bytes(pretty(steps))
    SNAPSHOT_FILE.write_bytes(pretty(whole))
    LINEAGE_FILE.write_bytes(pretty(lineage()))
    print(f"{len(revisions())} migrations")


if __name__ == "__main__":
    main()
