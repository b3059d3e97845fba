"""The public cases of the chain of migrations: B-130 and B-131."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Engine

from evenhand.bootstrap import App
from evenhand.core.errors.database import DatabaseNotReady
from evenhand.settings import load_settings
from evenhand.store import chain
from evenhand.store.migrate import BASE, check, downgrade, upgrade
from evenhand.store.schema import read_objects
from evenhand.store.tables import metadata
from tests.cases_runner import load

#: Damage of B-131 → a statement that does it, and what has to be named. There is no table of
#: events yet: the index is the one that lets a name be in force once.
DAMAGE = {
    "drop one table": ("DROP TABLE set_use", "table set_use"),
    "drop the unique index on event_id": (
        "DROP INDEX ix_credential_name_in_force",
        "index credential.ix_credential_name_in_force",
    ),
    "rename a column": (
        "ALTER TABLE audit_entry RENAME COLUMN code TO remark",
        "column audit_entry.code",
    ),
}


def test_there_is_exactly_one_head(empty_database_url: str, engine: Engine) -> None:
    def objects() -> object:
        with engine.connect() as connection:
            return read_objects(connection)

    scripts = chain.scripts()
    steps = list(scripts.walk_revisions())
    upgrade(empty_database_url)
    first = objects()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        differences = compare_metadata(context, metadata)
    downgrade(empty_database_url, BASE)
    upgrade(empty_database_url)

    held = {
        "heads == 1": len(scripts.get_heads()) == 1,
        "bases == 1": len(scripts.get_bases()) == 1,
        "ids unique": len({step.revision for step in steps}) == len(steps),
        "upgrade/downgrade/upgrade on empty": objects() == first,
        "models == schema": differences == [] and check(empty_database_url) == [],
    }
    assert held == dict.fromkeys(load("B-130")["given"]["checks"], True)


@pytest.mark.parametrize("damage", load("B-131")["given"]["damage"])
def test_a_hub_does_not_start_on_what_is_at_the_head_by_name_only(
    empty_database_url: str, tmp_path: Path, engine: Engine, damage: str
) -> None:
    upgrade(empty_database_url)
    statement, name = DAMAGE[damage]
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    parts = App(
        load_settings({"database_url": empty_database_url}, start=tmp_path, environment={})
    )

    with pytest.raises(DatabaseNotReady) as refused:
        parts.open_hub()
    parts.close()

    assert refused.value.code == "schema_drift"
    assert f"missing: {name}" in str(refused.value)
