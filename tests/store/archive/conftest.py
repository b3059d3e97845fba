"""Databases with a row in every table, and what makes archives of them, whole or altered.

A table gets its rows from ``tests/migrations/conftest.py``: whoever adds a table adds them there.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.store.archive.manifest import Manifest
from evenhand.store.archive.restore import Restored, Restoring
from evenhand.store.archive.restore import restore as load_archive
from evenhand.store.archive.steps import RestoreStep
from evenhand.store.archive.write import MANIFEST
from evenhand.store.archive.write import backup as write_archive
from evenhand.store.engine import create_engine
from evenhand.store.lineage import load_lineage
from tests.builders import FakeClock
from tests.migrations.conftest import ROWS, as_sql
from tests.store.conftest import CountingIds

RELEASE = "0.0.test"


class Silent:
    """Progress that nobody sees."""

    def advance(self, done: int) -> None:
        pass


def fill(url: str, *, upto: str | None = None) -> None:
    """Give every table its rows, or those of the tables up to a revision."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for step in load_lineage():
            for statement in ROWS[step.revision]:
                if "INTO restore_marker" not in statement:
                    connection.execute(sa.text(as_sql(engine, statement)))
            if step.revision == upto:
                break
    engine.dispose()


def backup(url: str, *, progress: Any = None) -> tuple[bytes, Manifest]:
    """The archive of a database, and what it says of itself."""
    stream = io.BytesIO()
    manifest = write_archive(
        url, stream, release=RELEASE, clock=FakeClock(), progress=progress or Silent()
    )
    return stream.getvalue(), manifest


def restore(url: str, archive: bytes, *steps: RestoreStep) -> Restored:
    """Load an archive."""
    by = Restoring(
        clock=FakeClock(), ids=CountingIds(), actor="tester", steps=steps, progress=Silent()
    )
    return load_archive(url, io.BytesIO(archive), file="a.zip", by=by)


def members(archive: bytes) -> dict[str, bytes]:
    """What is in an archive, by name, in order."""
    with zipfile.ZipFile(io.BytesIO(archive)) as container:
        return {name: container.read(name) for name in container.namelist()}


def packed(content: Mapping[str, bytes] | Sequence[tuple[str, bytes]], **options: Any) -> bytes:
    """An archive of these members."""
    pairs = list(content.items()) if isinstance(content, Mapping) else content
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **{"compression": zipfile.ZIP_DEFLATED, **options}) as made:
        for name, one in pairs:
            made.writestr(name, one)
    return stream.getvalue()


@dataclass
class Altered:
    """An archive taken apart, to be put together otherwise.

    Attributes:
        parts: the members by name, the manifest apart.
        manifest: as plain data.
    """

    parts: dict[str, bytes]
    manifest: dict[str, Any]

    @classmethod
    def of(cls, archive: bytes) -> "Altered":
        parts = members(archive)
        return cls(parts, json.loads(parts.pop(MANIFEST)))

    def entry(self, table: str) -> dict[str, Any]:
        """What the manifest says of a table."""
        (found,) = (one for one in self.manifest["tables"] if one["name"] == table)
        entry: dict[str, Any] = found
        return entry

    def rows(self, table: str) -> list[list[Any]]:
        """The rows of a table."""
        return [json.loads(line) for line in self.parts[f"tables/{table}.jsonl"].splitlines()]

    def set_lines(self, table: str, content: bytes) -> None:
        """Give a table other lines, and let the manifest say so."""
        self.parts[f"tables/{table}.jsonl"] = content
        self.entry(table).update(
            rows=content.count(b"\n"), size=len(content), sha256=sha256(content).hexdigest()
        )

    def set_rows(self, table: str, rows: list[list[Any]]) -> None:
        """Give a table other rows, spelt as they should be, and let the manifest say so."""
        lines = [json.dumps(row, separators=(",", ":")) + "\n" for row in rows]
        self.set_lines(table, "".join(lines).encode())

    def pack(self) -> bytes:
        """The archive."""
        return packed({**self.parts, MANIFEST: json.dumps(self.manifest).encode()})


@pytest.fixture(scope="session")
def filled_archive(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The archive of a SQLite database with a row in every table."""
    path = tmp_path_factory.mktemp("filled") / "file.db"
    path.write_bytes(_sqlite_template.read_bytes())
    fill(f"sqlite:///{path}")
    return backup(f"sqlite:///{path}")[0]


Rows = Callable[..., list[tuple[Any, ...]]]
