"""What is in an archive, and at which moment."""

import io
import json
import sqlite3
import tracemalloc
import zipfile
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable
from evenhand.store.archive import rows as archive_rows
from evenhand.store.archive.manifest import TableEntry
from evenhand.store.archive.write import MANIFEST, read_digests
from evenhand.store.bulk import insert_many
from evenhand.store.engine import create_engine
from evenhand.store.lineage import head
from evenhand.store.migrate import downgrade, upgrade
from evenhand.store.tables import metadata
from tests.builders import START
from tests.cases_runner import load
from tests.migrations.conftest import EVALUATION_ID
from tests.store.archive.conftest import RELEASE, backup, fill, members, restore
from tests.store.conftest import only_sqlite


class Writing:
    """Progress that writes to the database whenever it is told of something."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)
        self.written = 0

    def advance(self, done: int) -> None:
        self.written += 1
        add_uses(self.engine, 1, first=10_000 + self.written)


def add_uses(engine: sa.Engine, number: int, *, first: int = 0) -> None:
    """Add rows to a table that is read when others have been."""
    with engine.begin() as connection:
        insert_many(
            connection,
            metadata.tables["set_use"],
            (
                (
                    f"01990000-0000-7000-b000-{at:012d}",
                    "2026-09-09T12:00:00.000000Z",
                    f"v1:{'0' * 64}",
                    "tiny",
                    "gate",
                    "[]",
                    "pass",
                )
                for at in range(first, first + number)
            ),
        )


def test_the_manifest_says_what_is_in_it(database_url: str) -> None:
    fill(database_url)
    archive, manifest = backup(database_url)
    content = members(archive)
    stated = json.loads(content.pop(MANIFEST))
    assert stated["format"] == "evenhand.archive/1"
    assert (stated["release"], stated["revision"]) == (RELEASE, head().revision)
    assert stated["chain_digest"] == head().chain
    assert len(stated["created_at"]) == 27
    assert [f"tables/{one['name']}.jsonl" for one in stated["tables"]] == list(content)
    for one, lines in zip(stated["tables"], content.values(), strict=True):
        assert one["rows"] == lines.count(b"\n") == len(lines.splitlines())
        assert one["size"] == len(lines)
        assert one["sha256"] == sha256(lines).hexdigest()
    assert read_digests(database_url) == manifest.tables


def test_equal_content_gives_equal_members_and_one_digest(database_url: str) -> None:
    fill(database_url)
    (one, first), (other, second) = backup(database_url), backup(database_url)
    assert first.digest == second.digest
    without = [{k: v for k, v in members(a).items() if k != MANIFEST} for a in (one, other)]
    assert without[0] == without[1]
    add_uses(create_engine_once(database_url), 1)
    assert backup(database_url)[1].digest != first.digest


def create_engine_once(url: str) -> sa.Engine:
    """An engine that keeps no connection."""
    return sa.create_engine(
        url.replace("postgresql:", "postgresql+psycopg:"), poolclass=sa.pool.NullPool
    )


# Case B-128 is about the log of SQLite.


def check_case(given: dict[str, Any], expected: dict[str, Any], folder: Path) -> list[str]:
    """What did not hold of the case: rows committed and not checkpointed, writers that go on."""
    file = folder / "file.db"
    url = f"sqlite:///{file}"
    upgrade(url)
    with closing(sqlite3.connect(file, isolation_level=None)) as held_open:
        held_open.execute("PRAGMA journal_mode = WAL")
        held_open.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        held_open.execute(f"PRAGMA wal_autocheckpoint = {given['wal_autocheckpoint']}")
        before = file.read_bytes()
        for at in range(given["rows"]):
            held_open.execute(
                "INSERT INTO set_use VALUES (?, ?, ?, 'tiny', 'gate', '[]', 'pass')",
                (
                    f"01990000-0000-7000-b000-{at:012d}",
                    "2026-09-09T12:00:00.000000Z",
                    f"v1:{'0' * 64}",
                ),
            )
        in_the_log = file.read_bytes() == before
        writing = Writing(url)
        archive, _ = backup(url, progress=writing if given["writers_active"] else None)
        writing.engine.dispose()
    (folder / "alone").mkdir()
    (folder / "alone" / "a.zip").write_bytes(archive)
    there = folder / "there.db"
    restore(f"sqlite:///{there}", (folder / "alone" / "a.zip").read_bytes())
    with closing(sqlite3.connect(there)) as connection:
        rows = connection.execute("SELECT count(*) FROM set_use").fetchone()[0]
        found = {
            "rows_in_backup_min": min(rows, expected["rows_in_backup_min"]),
            "integrity_check": connection.execute("PRAGMA integrity_check").fetchone()[0],
            "side_files_needed": len(list((folder / "alone").iterdir())) != 1,
        }
    # Of what was committed after the backup began nothing is there.
    held = (
        in_the_log and rows == given["rows"] and bool(writing.written) is given["writers_active"]
    )
    return [
        key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key)
    ] + ([] if held else ["given"])


def test_b_128_what_is_only_in_the_write_ahead_log_is_in_the_archive(tmp_path: Path) -> None:
    case = load("B-128")
    assert check_case(case["given"], case["expected"], tmp_path) == []


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("expected", "rows_in_backup_min", 101),
        ("expected", "integrity_check", "broken"),
        ("expected", "side_files_needed", True),
        ("given", "rows", 99),
        ("given", "wal_autocheckpoint", 1),
    ],
)
def test_b_128_altered_fails(tmp_path: Path, part: str, name: str, value: object) -> None:
    case = load("B-128")
    altered = {**case, part: {**case[part], name: value}}
    assert check_case(altered["given"], altered["expected"], tmp_path)


def rows_of(entries: tuple[TableEntry, ...], table: str) -> int:
    """How many rows a table has."""
    (found,) = (entry for entry in entries if entry.name == table)
    return found.rows


def test_it_is_the_state_of_one_moment_though_others_write(database_url: str) -> None:
    engine = create_engine(database_url)
    add_uses(engine, 7)
    writing = Writing(database_url)
    _, manifest = backup(database_url, progress=writing)
    assert writing.written == len(manifest.tables)
    assert rows_of(manifest.tables, "set_use") == 7
    assert rows_of(read_digests(database_url), "set_use") == 7 + writing.written
    engine.dispose()
    writing.engine.dispose()


def test_memory_does_not_grow_with_a_table(database_url: str) -> None:
    engine = create_engine(database_url)

    def peak() -> int:
        tracemalloc.start()
        with zipfile.ZipFile(io.BytesIO(backup(database_url)[0])):
            found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    add_uses(engine, 200)
    peak()
    small = peak()
    add_uses(engine, 20_000, first=200)
    engine.dispose()
    # Of what is added, about a hundredth is the packed archive, which is in memory here.
    assert peak() - small < 20_000 * 30


def test_nothing_is_written_of_a_database_that_is_absent(empty_database_url: str) -> None:
    for look in (backup, read_digests):
        with pytest.raises(DatabaseNotReady) as refused:
            look(empty_database_url)
        assert refused.value.code == "database_absent"
    if empty_database_url.startswith("sqlite"):
        assert not Path(empty_database_url.removeprefix("sqlite:///")).exists()


def test_a_database_that_is_behind_is_upgraded_first(database_url: str) -> None:
    downgrade(database_url, "20260902_0010")
    with pytest.raises(DatabaseNotReady, match="evenhand db upgrade"):
        backup(database_url)


@only_sqlite
def test_a_value_that_belongs_into_no_archive_is_told_by_its_column(database_url: str) -> None:
    fill(database_url)
    with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("UPDATE golden_set SET description = CAST('canary' AS BLOB)")
        connection.commit()
    for look in (backup, read_digests):
        with pytest.raises(DatabaseUnavailable) as refused:
            look(database_url)
        assert refused.value.code == "database_damaged"
        assert "golden_set" in str(refused.value)
        assert "column description" in str(refused.value)
        assert "canary" not in str(refused.value)


def test_a_row_that_no_archive_takes_back_is_not_written(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(database_url)
    monkeypatch.setattr(archive_rows, "MAX_LINE_BYTES", 100)
    with pytest.raises(DatabaseUnavailable, match="longer than 100 bytes"):
        backup(database_url)


def test_rows_are_in_the_order_of_the_bytes_of_their_keys(database_url: str) -> None:
    engine = create_engine(database_url)
    names = ["a", "B", "_", "\u00e9", "Z", "\uffff", "\U00010000", "1", "a b", "a-b", "ab"]
    with engine.begin() as connection:
        connection.execute(
            metadata.tables["golden_set"].insert(),
            [
                {
                    "identifier": name,
                    "name": "n",
                    "description": "",
                    "imported_at": START.isoformat()[:19] + ".000000Z",
                    "labels_fingerprint": "v1:x",
                }
                for name in names
            ],
        )
    engine.dispose()
    lines = members(backup(database_url)[0])["tables/golden_set.jsonl"].splitlines()
    assert [json.loads(line)[0] for line in lines] == sorted(names, key=str.encode)


def test_an_evaluation_id_is_where_it_was_put(database_url: str) -> None:
    fill(database_url)
    lines = members(backup(database_url)[0])["tables/evaluation.jsonl"].splitlines()
    assert json.loads(lines[0])[0] == EVALUATION_ID
