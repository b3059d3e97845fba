"""A step that makes a table anew keeps every row of it, and of what refers to it (case B-133)."""
# ruff: noqa: S608 -- constants of this file

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from evenhand.core.errors.database import DowngradeBlocked
from evenhand.core.identity.canonical import sha256_hex
from evenhand.store.migrate import check, downgrade, upgrade
from tests.migrations.conftest import NOW

BEFORE, AFTER = "20260902_0010", "20260902_0011"
#: Credentials of which each took the place of the one before, so that they are each other's
#: children, and an entry of the audit for each.
CREDENTIALS = 5


def credential_id(number: int) -> str:
    return f"01990000-0000-7000-c000-{number:012d}"


def history() -> list[str]:
    made = []
    for number in range(1, CREDENTIALS + 1):
        former = f"'{credential_id(number - 1)}'" if number > 1 else "NULL"
        ended = f"'{NOW}'" if number < CREDENTIALS else "NULL"
        state = "rotated" if number < CREDENTIALS else "active"
        made.append(
            "INSERT INTO credential (id, name, role, token_digest, created_at, rotated_from,"
            f" state, ended_at) VALUES ('{credential_id(number)}', 'ci', 'viewer',"
            f" '{number:064x}', '{NOW}', {former}, '{state}', {ended})"
        )
        made += [
            "INSERT INTO audit_entry (id, at, actor_kind, action, object_kind, object_id,"
            f" to_state) VALUES ('{entry:08d}-0000-7000-c000-{number:012d}', '{NOW}', 'hub',"
            f" 'create', 'credential', '{credential_id(number)}', '{to_state}')"
            for entry, to_state in enumerate(("active", state))
        ]
    return made


TABLES = {
    "credential": "id, name, role, token_digest, created_at, rotated_from, state, ended_at",
    "audit_entry": "id, at, actor_kind, actor_id, action, object_kind, object_id, from_state,"
    " to_state, code",
}


@pytest.fixture
def dump(engine: Engine) -> Callable[[], dict[str, tuple[int, str]]]:
    """Of each table the number of its rows and a digest over all columns."""

    def _dump() -> dict[str, tuple[int, str]]:
        found = {}
        with engine.connect() as connection:
            for table, columns in TABLES.items():
                query = sa.text(f"SELECT {columns} FROM {table} ORDER BY id")
                rows = [tuple(row) for row in connection.execute(query)]
                found[table] = (len(rows), sha256_hex(repr(rows).encode()))
        return found

    return _dump


@pytest.fixture
def filled(empty_database_url: str, execute: Callable[..., None]) -> str:
    upgrade(empty_database_url, BEFORE)
    execute(*history())
    return empty_database_url


def test_rows_and_their_children_are_the_same_after_each_step(
    filled: str, engine: Engine, dump: Callable[[], dict[str, tuple[int, str]]]
) -> None:
    [path] = (Path(__file__).parents[1] / "cases").glob("B-133-*.json")
    expected = json.loads(path.read_text(encoding="utf-8"))["expected"]
    assert expected["counts_unchanged"]
    before = dump()
    assert [number for number, _ in before.values()] == [CREDENTIALS, 2 * CREDENTIALS]

    upgrade(filled, AFTER)
    assert dump() == before
    assert orphans(engine) == expected["foreign_key_check"]
    downgrade(filled, BEFORE)
    assert dump() == before
    assert orphans(engine) == expected["foreign_key_check"]
    upgrade(filled)
    assert check(filled) == []


def orphans(engine: Engine) -> list[Any]:
    if engine.dialect.name != "sqlite":
        return []
    with engine.connect() as connection:
        return list(connection.exec_driver_sql("PRAGMA foreign_key_check").all())


@pytest.mark.parametrize("empty_database_url", ["sqlite"], indirect=True)
def test_a_row_that_led_nowhere_before_stops_the_step_and_nothing_is_changed(
    empty_database_url: str, engine: Engine
) -> None:
    upgrade(empty_database_url, BEFORE)
    with engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql(history()[3])
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
    with pytest.raises(Exception, match="rows without their parent"):
        upgrade(empty_database_url, AFTER)
    with engine.connect() as connection:
        assert "client_id" not in {
            one["name"] for one in sa.inspect(connection).get_columns("credential")
        }


@pytest.mark.parametrize("guard", ["UPDATE audit_entry SET code = 'x'", "DELETE FROM audit_entry"])
def test_the_audit_stays_append_only(filled: str, engine: Engine, guard: str) -> None:
    for step, revision in ((upgrade, AFTER), (downgrade, BEFORE)):
        step(filled, revision)
        with pytest.raises(sa.exc.IntegrityError), engine.begin() as connection:
            connection.execute(sa.text(guard))


def test_a_registry_with_rows_is_not_undone(filled: str, execute: Callable[..., None]) -> None:
    upgrade(filled, AFTER)
    execute(
        "INSERT INTO project (id, created_at, name, active, version)"
        f" VALUES ('{credential_id(1)}', '{NOW}', 'shop', true, 1)"
    )
    with pytest.raises(DowngradeBlocked, match="project"):
        downgrade(filled, BEFORE)
