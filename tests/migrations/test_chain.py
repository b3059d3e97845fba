"""The chain itself: one head, steps that go up and down, and a schema that is the tables'."""
# ruff: noqa: S608 -- the names are those of our own tables

import ast
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Engine

from evenhand.store import chain
from evenhand.store.lineage import LINEAGE_FILE, chain_steps, load_lineage
from evenhand.store.migrate import downgrade, upgrade
from evenhand.store.schema import known_tables, load_schema, read_objects
from evenhand.store.tables import metadata
from tests.migrations.conftest import ROWS, as_sql

REVISIONS = [step.revision for step in load_lineage()]
FILES = {script.revision: Path(script.path) for script in chain.scripts().walk_revisions()}


def test_there_is_one_base_and_one_head() -> None:
    scripts = chain.scripts()
    assert len(scripts.get_bases()) == len(scripts.get_heads()) == 1
    assert scripts.get_heads() == [REVISIONS[-1]]
    assert scripts.get_bases() == [REVISIONS[0]] == ["20260901_0001"]


@pytest.mark.proves("C-124", "C-125", "G-62")
def test_comparisons_come_behind_the_last_migration_of_the_gateway() -> None:
    found = chain.scripts().get_revision("20260909_0033")

    assert found.down_revision == "20260909_0032"
    lines = {step.revision: step.sqlite.add for step in load_schema()}
    made = {
        revision
        for revision, added in lines.items()
        if any(line.startswith("table comparison_") for line in added)
    }
    assert made == {"20260909_0033"}
    # The development-only lineage of an earlier decision is no part of the chain.
    assert not any(revision.endswith("_0030") for revision in REVISIONS)


def test_each_migration_follows_the_one_before_it_and_ids_rise() -> None:
    scripts = chain.scripts()
    parents = [scripts.get_revision(revision).down_revision for revision in REVISIONS]
    assert parents == [None, *REVISIONS[:-1]]
    assert sorted(FILES) == REVISIONS
    assert all(re.fullmatch(r"2026\d{4}_\d{4}", revision) for revision in REVISIONS)
    numbers = [revision[-4:] for revision in REVISIONS]
    assert numbers == sorted(set(numbers))


def test_the_lineage_holds_the_digest_of_each_file() -> None:
    digests = [
        (revision, hashlib.sha256(FILES[revision].read_bytes()).hexdigest())
        for revision in REVISIONS
    ]
    assert load_lineage() == chain_steps(digests), f"run tools/lineage.py ({LINEAGE_FILE.name})"


def test_a_migration_depends_on_nothing_of_today() -> None:
    for path in FILES.values():
        imports = [
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.ImportFrom)
        ]
        assert not [node.module for node in imports if (node.module or "").startswith("evenhand")]


def test_each_migration_names_what_must_be_empty_before_it_is_undone() -> None:
    for revision in REVISIONS:
        made = {table.split()[2] for table in ROWS[revision]}
        guarded = set(chain.must_be_empty([revision]))
        assert made & guarded or not made | guarded


def test_an_upgrade_makes_exactly_the_tables(
    empty_database_url: str, names: Callable[[], set[str]]
) -> None:
    assert upgrade(empty_database_url) == tuple(REVISIONS)
    assert names() == metadata.tables.keys() | {"alembic_version"}
    assert known_tables() == metadata.tables.keys()


def test_autogenerate_finds_no_difference(empty_database_url: str, engine: Engine) -> None:
    upgrade(empty_database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_tables_and_migrations_make_the_same_objects_under_the_same_names(
    empty_database_url: str, engine: Engine
) -> None:
    with engine.begin() as connection:
        metadata.create_all(connection)
        by_tables = read_objects(connection)
        metadata.drop_all(connection)
    upgrade(empty_database_url)
    with engine.connect() as connection:
        by_migrations = read_objects(connection)
    # What a table of SQLAlchemy does not state.
    triggers = {line for line in by_migrations if line.startswith(("trigger ", "view "))}
    version = {line for line in by_migrations if "alembic_version" in line}
    assert triggers
    assert by_migrations - triggers - version == by_tables


def test_the_recorded_schema_is_what_each_migration_makes(
    empty_database_url: str, engine: Engine
) -> None:
    expected: set[str] = set()
    for step in load_schema():
        delta = getattr(step, engine.dialect.name)
        expected = (expected - set(delta.drop)) | set(delta.add)
        upgrade(empty_database_url, step.revision)
        with engine.connect() as connection:
            found = {line for line in read_objects(connection) if "alembic_version" not in line}
        assert found == expected, "run tools/lineage.py"


def test_every_constraint_and_index_has_a_name_by_the_convention() -> None:
    for table in metadata.tables.values():
        for constraint in table.constraints:
            name = str(constraint.name)
            assert re.match(rf"(pk|uq|ck|fk)_{table.name}(_|$)", name), name
            assert len(name) <= 63
        assert all(str(index.name).startswith(f"ix_{table.name}_") for index in table.indexes)


@pytest.mark.parametrize("name", sorted(metadata.tables))
def test_names_are_singular(name: str) -> None:
    assert not name.endswith("s")


def test_up_down_and_up_again_ends_in_the_same_schema(
    empty_database_url: str, engine: Engine, names: Callable[[], set[str]]
) -> None:
    def objects() -> frozenset[str]:
        with engine.connect() as connection:
            return read_objects(connection)

    upgrade(empty_database_url)
    before = objects()
    assert downgrade(empty_database_url, "base") == tuple(reversed(REVISIONS))
    assert names() == {"alembic_version"}
    upgrade(empty_database_url)
    assert objects() == before


@pytest.mark.parametrize("position", range(1, len(REVISIONS)))
def test_a_step_up_and_down_keeps_the_rows_that_are_there(
    empty_database_url: str,
    engine: Engine,
    execute: Callable[..., None],
    position: int,
) -> None:
    before, after = REVISIONS[position - 1], REVISIONS[position]
    upgrade(empty_database_url, before)
    statements = [one for revision in REVISIONS[:position] for one in ROWS[revision]]
    execute(*(as_sql(engine, statement) for statement in statements))

    tables = dict.fromkeys(statement.split()[2] for statement in statements)
    # A later step may add columns to a table; those of today are what must stay.
    columns = {
        table: ", ".join(f'"{one["name"]}"' for one in sa.inspect(engine).get_columns(table))
        for table in tables
    }

    def dump() -> dict[str, list[tuple[Any, ...]]]:
        with engine.connect() as connection:
            return {
                name: [
                    tuple(row)
                    for row in connection.execute(sa.text(f"SELECT {columns[name]} FROM {name}"))
                ]
                for name in tables
            }

    kept = dump()
    assert all(kept.values())
    upgrade(empty_database_url, after)
    assert dump() == kept
    # What guards the rows of an earlier step blocks the way back, as it must.
    if not set(chain.must_be_empty([after])) & kept.keys():
        downgrade(empty_database_url, before)
        assert dump() == kept
