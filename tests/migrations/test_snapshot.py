"""A schema that is made at once is the one that the walk through the migrations makes."""

import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from evenhand.store import migrate, snapshot
from evenhand.store.lineage import head, load_lineage
from evenhand.store.migrate import upgrade
from evenhand.store.snapshot import SNAPSHOT_FILE, load_snapshot

REVISIONS = [step.revision for step in load_lineage()]
#: Everything that a database of either kind says of itself, in its own words.
WHOLE = {
    "sqlite": ("SELECT type, name, tbl_name, sql FROM sqlite_master",),
    "postgresql": (
        """SELECT c.relname, c.relkind, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
             a.attnotnull, a.attcollation, pg_get_expr(d.adbin, d.adrelid)
           FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
           LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
           WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0""",
        """SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), condeferrable,
             condeferred, convalidated
           FROM pg_constraint WHERE connamespace = current_schema()::regnamespace""",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()",
        """SELECT tgrelid::regclass::text, pg_get_triggerdef(oid), tgenabled FROM pg_trigger
           WHERE NOT tgisinternal""",
        """SELECT pg_get_functiondef(oid) FROM pg_proc
           WHERE pronamespace = current_schema()::regnamespace""",
    ),
}
ROWS = ("SELECT * FROM schema_lineage", "SELECT * FROM alembic_version")


@pytest.fixture
def whole(engine: Engine) -> Callable[[], list[list[tuple[Any, ...]]]]:
    def _whole() -> list[list[tuple[Any, ...]]]:
        queries = (*WHOLE[engine.dialect.name], *ROWS)
        with engine.connect() as connection:
            return [
                sorted((tuple(row) for row in connection.execute(sa.text(query))), key=repr)
                for query in queries
            ]

    return _whole


def test_at_once_and_step_by_step_are_the_same_to_the_letter(
    empty_database_url: str,
    engine: Engine,
    execute: Callable[..., None],
    whole: Callable[[], list[list[tuple[Any, ...]]]],
) -> None:
    assert upgrade(empty_database_url) == tuple(REVISIONS)
    at_once = whole()
    assert all(at_once)
    assert migrate.downgrade(empty_database_url, migrate.BASE)
    execute("DROP TABLE alembic_version")
    # The recorded schema is behind this, so that there is nothing to do but to walk.
    assert upgrade(empty_database_url, REVISIONS[0]) == (REVISIONS[0],)
    assert upgrade(empty_database_url) == tuple(REVISIONS[1:])
    assert whole() == at_once


def test_it_is_of_the_newest_migration() -> None:
    recorded = load_snapshot()
    told = f"run tools/lineage.py ({SNAPSHOT_FILE.name})"
    assert (recorded.revision, recorded.chain) == (head().revision, head().chain), told


def test_an_empty_database_is_made_without_the_tool_for_migrations(
    empty_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "evenhand.store.chain", raising=False)
    monkeypatch.setitem(sys.modules, "alembic", None)
    assert upgrade(empty_database_url) == tuple(REVISIONS)


@pytest.mark.parametrize("stated", [{"chain": "0" * 64}, {"revision": "20260901_0000"}])
def test_of_another_chain_it_is_not_used(
    empty_database_url: str,
    names: Callable[[], set[str]],
    monkeypatch: pytest.MonkeyPatch,
    stated: dict[str, str],
) -> None:
    other = msgspec.structs.replace(load_snapshot(), **stated)
    monkeypatch.setattr(snapshot, "load_snapshot", lambda: other)
    assert upgrade(empty_database_url) == tuple(REVISIONS)
    assert "evaluation" in names()


def test_where_it_is_older_the_rest_is_walked(
    empty_database_url: str,
    rows: Callable[[str], list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from evenhand.store import chain

    def made_long_ago(connection: Connection, _wanted: object) -> int:
        chain.upgrade(connection, REVISIONS[0])
        return 1

    monkeypatch.setattr(migrate, "make_at_once", made_long_ago)
    assert upgrade(empty_database_url) == tuple(REVISIONS)
    assert rows("SELECT * FROM schema_lineage ORDER BY 1") == [
        (step.revision, step.chain) for step in load_lineage()
    ]
