"""From SQLite to PostgreSQL and back: what arrives is what was there, table for table."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evenhand.core.privacy import PrivacyLevel
from evenhand.store.archive.restore import Outcome
from evenhand.store.archive.rows import archived_tables
from evenhand.store.archive.write import read_digests
from evenhand.store.migrate import check, upgrade
from evenhand.store.tables import metadata, stays_here
from tests import postgres
from tests.store.archive.conftest import backup, fill, members, restore
from tests.store.archive.contents import fill_richly


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'laptop.db'}"
    upgrade(url)
    return url


@pytest.fixture
def postgresql_url(postgres_cluster: postgres.Cluster) -> Iterator[str]:
    name = postgres_cluster.create()
    yield postgres_cluster.url(name)
    postgres_cluster.drop(name)


def test_every_table_has_rows_to_travel(sqlite_url: str) -> None:
    fill(sqlite_url)
    empty = [entry.name for entry in read_digests(sqlite_url) if not entry.rows]
    assert empty == [], "give it a row in ROWS of tests/migrations/conftest.py"


@pytest.mark.proves("C-115")
def test_all_rows_arrive_on_postgresql_and_come_back(
    sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
    fill(sqlite_url)
    there_url = f"sqlite:///{tmp_path / 'back.db'}"
    first, left = backup(sqlite_url)
    assert restore(postgresql_url, first).outcome is Outcome.RESTORED
    second, arrived = backup(postgresql_url)
    assert restore(there_url, second).outcome is Outcome.RESTORED
    third, returned = backup(there_url)
    assert left.tables == arrived.tables == returned.tables
    assert left.digest == arrived.digest == returned.digest
    tables = [name for name in members(first) if name.startswith("tables/")]
    assert len(tables) == len(archived_tables())
    for name in tables:
        assert members(first)[name] == members(second)[name] == members(third)[name]


def test_what_the_product_stores_is_sound_wherever_it_arrives(
    sqlite_url: str, postgresql_url: str, tmp_path: Path
) -> None:
    fill_richly(sqlite_url)
    assert check(sqlite_url) == []
    there_url = f"sqlite:///{tmp_path / 'back.db'}"
    restore(postgresql_url, backup(sqlite_url)[0])
    assert check(postgresql_url) == []
    restore(there_url, backup(postgresql_url)[0])
    assert check(there_url) == []
    assert read_digests(sqlite_url) == read_digests(postgresql_url) == read_digests(there_url)


def test_the_archive_is_smaller_at_a_lower_level_of_privacy(sqlite_url: str) -> None:
    fill_richly(sqlite_url, privacy=PrivacyLevel.METADATA)
    content = b"".join(members(backup(sqlite_url)[0]).values())
    assert b"document-canary" not in content


def test_only_tables_that_say_why_stay_behind(sqlite_url: str) -> None:
    stay = {name for name, table in metadata.tables.items() if stays_here(table) is not None}
    assert stay == {"gateway_allowance", "instance_secret", "restore_marker", "schema_lineage"}
    fill(sqlite_url)
    names = {
        name.removeprefix("tables/").removesuffix(".jsonl")
        for name in members(backup(sqlite_url)[0])
    }
    assert names == metadata.tables.keys() - stay | {"manifest.json"}
