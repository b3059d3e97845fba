"""Which databases are refused, with which code, and that a refusal changes nothing."""
# ruff: noqa: S608 -- the names are those of our own tables

import hashlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import Engine

from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.database import DatabaseNotReady, DatabaseUnavailable, DowngradeBlocked
from evenhand.store.lineage import Status, load_lineage
from evenhand.store.migrate import check, downgrade, ensure_ready, status, upgrade
from tests.migrations.conftest import EVALUATION_ID, ROWS

Execute = Callable[..., None]
Rows = Callable[[str], list[tuple[Any, ...]]]
only_sqlite = pytest.mark.parametrize("empty_database_url", ["sqlite"], indirect=True)
only_postgresql = pytest.mark.parametrize("empty_database_url", ["postgresql"], indirect=True)

REVISIONS = [step.revision for step in load_lineage()]
HEAD = REVISIONS[-1]
ENTRANCES: dict[str, Callable[[str], object]] = {
    "ensure_ready": ensure_ready,
    "upgrade": upgrade,
    "downgrade": lambda url: downgrade(url, "base"),
    "check": check,
}


def refusal(url: str, entrance: Callable[[str], object]) -> DatabaseNotReady:
    with pytest.raises(DatabaseNotReady) as refused:
        entrance(url)
    return refused.value


class TestAbsent:
    def test_it_is_made_when_it_is_needed(self, empty_database_url: str) -> None:
        assert status(empty_database_url) is Status.ABSENT
        ensure_ready(empty_database_url)
        assert status(empty_database_url) is Status.CURRENT
        assert check(empty_database_url) == []

    @only_sqlite
    def test_a_look_makes_no_file(self, empty_database_url: str, tmp_path: Path) -> None:
        assert status(empty_database_url) is Status.ABSENT
        for entrance in (check, lambda url: downgrade(url, "base")):
            assert refusal(empty_database_url, entrance).code == "database_absent"
        assert list(tmp_path.iterdir()) == []

    def test_a_new_folder_and_its_file_are_for_their_owner_only(self, tmp_path: Path) -> None:
        ensure_ready(f"sqlite:///{tmp_path / '.evenhand' / 'evenhand.db'}")
        folder = tmp_path / ".evenhand"
        modes = {path.name: path.stat().st_mode & 0o077 for path in [folder, *folder.iterdir()]}
        assert modes.pop(".gitignore") is not None
        assert set(modes.values()) == {0}

    def test_after_a_downgrade_to_base_it_is_absent_again(self, empty_database_url: str) -> None:
        upgrade(empty_database_url)
        downgrade(empty_database_url, "base")
        assert status(empty_database_url) is Status.ABSENT
        assert refusal(empty_database_url, check).code == "database_absent"


class TestBehind:
    @pytest.fixture(autouse=True)
    def _behind(self, empty_database_url: str) -> None:
        upgrade(empty_database_url, REVISIONS[0])

    def test_the_refusal_names_the_command(self, empty_database_url: str) -> None:
        assert status(empty_database_url) is Status.BEHIND
        for entrance in (ensure_ready, check):
            refused = refusal(empty_database_url, entrance)
            assert refused.code == "database_behind"
            assert "evenhand db upgrade" in str(refused)

    def test_the_command_helps(self, empty_database_url: str) -> None:
        assert upgrade(empty_database_url) == tuple(REVISIONS[1:])
        ensure_ready(empty_database_url)
        assert upgrade(empty_database_url) == ()

    def test_an_upgrade_does_not_go_back(self, empty_database_url: str) -> None:
        upgrade(empty_database_url)
        with pytest.raises(InvalidSetting):
            upgrade(empty_database_url, REVISIONS[0])

    @pytest.mark.parametrize("revision", ["", "head", "-1", "20260901_9999", "20260901_0001 "])
    def test_an_unknown_revision_is_refused(self, empty_database_url: str, revision: str) -> None:
        for move in (upgrade, downgrade):
            if revision or move is downgrade:
                with pytest.raises(InvalidSetting, match=REVISIONS[0]):
                    move(empty_database_url, revision)


class TestLineage:
    """An equal revision string does not make a compatible database."""

    @pytest.mark.proves("C-126")
    @pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
    @pytest.mark.parametrize("revision", [REVISIONS[0], HEAD])
    def test_the_same_revision_of_another_chain_is_refused(
        self,
        empty_database_url: str,
        execute: Execute,
        revision: str,
        entrance: Callable[[str], object],
    ) -> None:
        upgrade(empty_database_url)
        execute(
            f"UPDATE schema_lineage SET chain_digest = '{'0' * 64}' WHERE revision = '{revision}'"
        )
        assert status(empty_database_url) is Status.FOREIGN
        assert refusal(empty_database_url, entrance).code == "foreign_lineage"

    @pytest.mark.proves("C-119", "C-127")
    @pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
    def test_a_database_that_was_stamped_is_refused(
        self, empty_database_url: str, execute: Execute, entrance: Callable[[str], object]
    ) -> None:
        upgrade(empty_database_url, REVISIONS[0])
        execute(f"UPDATE alembic_version SET version_num = '{HEAD}'")
        assert refusal(empty_database_url, entrance).code == "foreign_lineage"

    @pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
    def test_a_database_without_a_lineage_is_refused(
        self, empty_database_url: str, execute: Execute, entrance: Callable[[str], object]
    ) -> None:
        execute(
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
            f"INSERT INTO alembic_version VALUES ('{HEAD}')",
        )
        assert refusal(empty_database_url, entrance).code == "foreign_lineage"

    def test_two_notes_of_a_revision_are_refused(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        upgrade(empty_database_url)
        execute(f"INSERT INTO alembic_version VALUES ('{REVISIONS[0]}')")
        assert status(empty_database_url) is Status.FOREIGN

    @pytest.mark.parametrize("entrance", ENTRANCES.values(), ids=ENTRANCES)
    def test_a_newer_releases_database_is_refused(
        self, empty_database_url: str, execute: Execute, entrance: Callable[[str], object]
    ) -> None:
        upgrade(empty_database_url)
        execute(
            f"INSERT INTO schema_lineage VALUES ('20991231_9999', '{'0' * 64}')",
            "UPDATE alembic_version SET version_num = '20991231_9999'",
        )
        assert status(empty_database_url) is Status.AHEAD
        refused = refusal(empty_database_url, entrance)
        assert refused.code == "database_ahead"
        assert "20991231_9999" in str(refused)

    @only_sqlite
    def test_somebody_elses_file_is_refused_and_not_changed(
        self, empty_database_url: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "file.db"
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE places (url TEXT)")
        before = hashlib.sha256(file.read_bytes()).digest()
        for entrance in ENTRANCES.values():
            assert refusal(empty_database_url, entrance).code == "foreign_lineage"
        assert hashlib.sha256(file.read_bytes()).digest() == before
        assert list(tmp_path.iterdir()) == [file]

    @only_postgresql
    def test_somebody_elses_tables_beside_ours_do_not_matter(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        execute("CREATE TABLE places (url TEXT)", "CREATE UNIQUE INDEX ix_places ON places (url)")
        ensure_ready(empty_database_url)
        assert check(empty_database_url) == []

    @only_postgresql
    def test_a_table_that_has_one_of_our_names_is_in_the_way(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        execute("CREATE TABLE evaluation (id INTEGER)")
        assert refusal(empty_database_url, ensure_ready).code == "foreign_lineage"


TOOTHLESS = """
    CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$
"""
DAMAGE = {
    "table": ("DROP TABLE golden_target", "table golden_target"),
    "index": ("DROP INDEX ix_evaluation_series", "index evaluation.ix_evaluation_series"),
    "column": (
        "ALTER TABLE golden_set RENAME COLUMN description TO about",
        "column golden_set.description",
    ),
}


class TestDrift:
    """At the newest revision by name, behind in fact."""

    @pytest.mark.parametrize("entrance", [ensure_ready, upgrade, ENTRANCES["downgrade"]])
    @pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
    def test_it_is_refused_and_the_object_is_named(
        self,
        empty_database_url: str,
        execute: Execute,
        damage: tuple[str, str],
        entrance: Callable[[str], object],
    ) -> None:
        upgrade(empty_database_url)
        statement, name = damage
        execute(statement)
        refused = refusal(empty_database_url, entrance)
        assert refused.code == "schema_drift"
        assert f"missing: {name}" in str(refused)

    def test_a_trigger_that_is_missing_is_named(
        self, empty_database_url: str, execute: Execute, engine: Engine
    ) -> None:
        upgrade(empty_database_url)
        name, where = (
            ("tr_evaluation_no_delete", "")
            if engine.dialect.name == "sqlite"
            else ("tr_evaluation_append_only", " ON evaluation")
        )
        execute(f"DROP TRIGGER {name}{where}")
        assert f"missing: trigger evaluation.{name}" in str(
            refusal(empty_database_url, ensure_ready)
        )

    @only_postgresql
    @pytest.mark.parametrize(
        "statement",
        [
            "ALTER TABLE evaluation DISABLE TRIGGER tr_evaluation_append_only",
            "ALTER TABLE evaluation DROP CONSTRAINT ck_evaluation_counts_consistent",
            "ALTER TABLE evaluation ALTER COLUMN set_name DROP NOT NULL",
            TOOTHLESS,
        ],
    )
    def test_a_guard_that_was_loosened_is_noticed(
        self, empty_database_url: str, execute: Execute, statement: str
    ) -> None:
        upgrade(empty_database_url)
        execute(statement)
        assert refusal(empty_database_url, ensure_ready).code == "schema_drift"

    @only_sqlite
    def test_a_trigger_of_another_text_is_noticed(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        upgrade(empty_database_url)
        execute(
            "DROP TRIGGER tr_evaluation_no_delete",
            "CREATE TRIGGER tr_evaluation_no_delete BEFORE DELETE ON evaluation"
            " BEGIN SELECT 1; END",
        )
        assert refusal(empty_database_url, ensure_ready).code == "schema_drift"

    def test_an_index_of_the_operators_own_is_no_drift(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        upgrade(empty_database_url)
        execute("CREATE INDEX my_index ON evaluation (release)")
        ensure_ready(empty_database_url)
        execute("CREATE UNIQUE INDEX my_other_index ON evaluation (release)")
        assert "unexpected: index evaluation.my_other_index" in str(
            refusal(empty_database_url, ensure_ready)
        )

    def test_the_check_reports_it_as_a_finding(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        upgrade(empty_database_url)
        execute(*(statement for statement, _ in DAMAGE.values()))
        found = check(empty_database_url)
        assert {finding.code for finding in found} == {"schema_drift"}
        for _, name in DAMAGE.values():
            assert any(finding.message.startswith(f"missing: {name}") for finding in found)

    def test_a_database_that_is_behind_is_looked_at_before_it_is_upgraded(
        self, empty_database_url: str, execute: Execute
    ) -> None:
        upgrade(empty_database_url, REVISIONS[0])
        execute("DROP INDEX ix_evaluation_series")
        assert refusal(empty_database_url, upgrade).code == "schema_drift"
        assert status(empty_database_url) is Status.BEHIND


class TestDowngrade:
    @pytest.mark.proves("C-118")
    @pytest.mark.parametrize(
        ("revision", "table"),
        [
            (REVISIONS[3], "baseline"),
            (REVISIONS[2], "golden_set"),
            (REVISIONS[1], "retention_action"),
            (REVISIONS[0], "evaluation"),
        ],
    )
    def test_populated_history_blocks_it_and_nothing_changes(
        self, empty_database_url: str, execute: Execute, rows: Rows, revision: str, table: str
    ) -> None:
        upgrade(empty_database_url)
        execute(ROWS[revision][0])
        with pytest.raises(DowngradeBlocked) as blocked:
            downgrade(empty_database_url, "base")
        assert blocked.value.tables == (table,)
        assert status(empty_database_url) is Status.CURRENT
        assert rows(f"SELECT count(*) FROM {table}") == [(1,)]

    def test_a_step_without_rows_can_be_undone_while_others_hold_some(
        self, empty_database_url: str, execute: Execute, rows: Rows
    ) -> None:
        upgrade(empty_database_url)
        execute(ROWS[REVISIONS[0]][0])
        undone = downgrade(empty_database_url, REVISIONS[1])
        assert undone == tuple(reversed(REVISIONS[2:]))
        assert rows("SELECT id FROM evaluation") == [(EVALUATION_ID,)]
        assert rows("SELECT revision FROM schema_lineage ORDER BY 1") == [
            (REVISIONS[0],),
            (REVISIONS[1],),
        ]

    def test_where_it_already_is_there_is_nothing_to_do(self, empty_database_url: str) -> None:
        upgrade(empty_database_url)
        assert downgrade(empty_database_url, HEAD) == ()
        ensure_ready(empty_database_url)


@only_sqlite
def test_foreign_keys_are_checked_at_the_end_of_a_migration(
    empty_database_url: str, tmp_path: Path
) -> None:
    upgrade(empty_database_url, REVISIONS[1])
    with closing(sqlite3.connect(tmp_path / "file.db")) as connection, connection:
        connection.execute(
            "INSERT INTO evaluation_ranking VALUES (?, 0, CAST('q' AS BLOB), 0)", (EVALUATION_ID,)
        )
    refused = refusal(empty_database_url, upgrade)
    assert refused.code == "unclean_database"
    assert "evaluation_ranking" in str(refused)
    assert status(empty_database_url) is Status.BEHIND


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(b"these are notes\n" * 100)
    for entrance in (ensure_ready, upgrade, status):
        with pytest.raises(DatabaseUnavailable) as refused:
            entrance(f"sqlite:///{file}")
        assert refused.value.code == "database_damaged"
    assert file.read_bytes() == b"these are notes\n" * 100


def test_a_failure_in_the_middle_leaves_everything_as_it_was(
    empty_database_url: str, execute: Execute, engine: Engine
) -> None:
    upgrade(empty_database_url, REVISIONS[0])
    # In the way of the third migration, which runs after the second in one transaction.
    if engine.dialect.name == "sqlite":
        execute("CREATE INDEX golden_question ON alembic_version (version_num)")
    else:
        execute("CREATE TYPE golden_question AS ENUM ('x')")
    with pytest.raises(DatabaseUnavailable):
        upgrade(empty_database_url)
    assert status(empty_database_url) is Status.BEHIND
    execute(f"DROP {'INDEX' if engine.dialect.name == 'sqlite' else 'TYPE'} golden_question")
    assert upgrade(empty_database_url) == tuple(REVISIONS[1:])
