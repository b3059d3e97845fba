"""Write what is known of the migrations beside them: ``lineage.json`` and ``schema.json``.

Run it after a migration was written or, before its issue is closed, edited. It migrates two empty
databases step by step and notes what each step does to them.

    python tools/lineage.py
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path

import msgspec
from sqlalchemy.engine import Connection

sys.path.insert(0, str(Path(__file__).parents[1]))

from evenhand.store import chain
from evenhand.store.engine import create_migration_engine
from evenhand.store.lineage import LINEAGE_FILE
from evenhand.store.schema import (
    SCHEMA_FILE,
    SchemaDelta,
    SchemaRevision,
    read_objects,
)
from tests import postgres

VERSION_TABLE = "alembic_version"


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


def schema() -> list[SchemaRevision]:
    """What each migration does to both kinds of database."""
    with tempfile.TemporaryDirectory() as folder, postgres.cluster() as cluster:
        on_sqlite = deltas(f"sqlite:///{folder}/lineage.db")
        name = cluster.create()
        on_postgresql = deltas(cluster.url(name))
        cluster.drop(name)
    return [
        SchemaRevision(revision=revision, sqlite=one, postgresql=other)
        for (revision, _), one, other in zip(revisions(), on_sqlite, on_postgresql, strict=True)
    ]


def pretty(value: object) -> bytes:
    """Indented JSON with a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def main() -> None:
    """Write both files."""
    SCHEMA_FILE.write_bytes(pretty(schema()))
    LINEAGE_FILE.write_bytes(pretty(lineage()))
    print(f"{len(revisions())} migrations")


if __name__ == "__main__":
    main()
