import logging
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from evenhand.core.errors import InvalidSetting, MissingExtra
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.store.engine import (
    create_engine,
    create_migration_engine,
    database_file,
    prepare_file,
    prepare_folder,
    reading,
)
from tests.store.conftest import only_postgresql, only_sqlite


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestFolder:
    def test_one_that_cannot_be_made_is_said_to_be_the_database(self, tmp_path: Path) -> None:
        (tmp_path / "taken").write_text("a file")

        with pytest.raises(DatabaseUnavailable, match="cannot be made") as caught:
            prepare_file(tmp_path / "taken" / "file.db")
        assert str(tmp_path) not in str(caught.value)

    def test_it_is_for_its_owner_only_and_out_of_version_control(self, tmp_path: Path) -> None:
        prepare_folder(tmp_path / "project" / ".evenhand")
        folder = tmp_path / "project" / ".evenhand"
        assert mode(folder) == 0o700
        assert (folder / ".gitignore").read_text() == "*\n"

    def test_a_folder_that_is_there_is_narrowed_and_keeps_what_it_holds(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / ".evenhand"
        folder.mkdir(mode=0o755)
        (folder / ".gitignore").write_text("mine\n")
        prepare_folder(folder)
        assert mode(folder) == 0o700
        assert (folder / ".gitignore").read_text() == "mine\n"

    def test_the_file_is_for_its_owner_only(self, tmp_path: Path) -> None:
        prepare_file(tmp_path / "new" / "evenhand.db")
        assert mode(tmp_path / "new" / "evenhand.db") == 0o600
        assert mode(tmp_path / "new") == 0o700

    def test_a_folder_of_somebody_elses_is_left_alone(self, tmp_path: Path) -> None:
        folder = tmp_path / "theirs"
        folder.mkdir(mode=0o755)
        prepare_file(folder / "evenhand.db")
        assert mode(folder) == 0o755
        assert [path.name for path in folder.iterdir()] == ["evenhand.db"]


class TestUrl:
    @pytest.mark.parametrize(
        "url",
        [
            "",
            "nonsense",
            "mysql://user:SECRET-1@host/db",
            "postgresql+asyncpg://user:SECRET-1@host/db",
            "postgres://user:SECRET-1@host/db",
            "sqlite+aiosqlite:///x.db",
            "sqlite://",
            "sqlite:///:memory:",
            "sqlite:///x.db?mode=ro",
            "sqlite:///file:x.db?uri=true",
            "postgresql://u:SECRET-1@h:notaport/x",
            "postgresql://u:SECRET-1@[::1/x",
            "postgresql://u:p@SECRET-1@h/x",
            "postgresql://u:SECRET-1@h/x?plugin=y",
            "postgresql://u:SECRET-1@h/x?sslmod=require&connect_timeout=1",
        ],
    )
    def test_other_databases_are_refused_without_repeating_the_url(self, url: str) -> None:
        with pytest.raises(InvalidSetting) as refused:
            create_engine(url)
        assert "SECRET" not in str(refused.value)
        assert refused.value.__suppress_context__ or refused.value.__context__ is None

    def test_an_unknown_option_is_named_and_its_value_is_not(self) -> None:
        with pytest.raises(InvalidSetting, match=r"does not know: sslmod$"):
            create_engine("postgresql://h/x?sslmod=SECRET&connect_timeout=1")
        with pytest.raises(InvalidSetting, match=r"does not know:$"):
            create_engine("postgresql://h/x?SEC%20RET=1")

    @pytest.mark.parametrize(
        "url", ["postgresql://u:p@host/db", "postgresql+psycopg://u:p@host/db"]
    )
    def test_postgresql_is_reached_by_psycopg(self, url: str) -> None:
        engine = create_engine(url)
        assert engine.dialect.driver == "psycopg"
        assert database_file(url) is None

    def test_a_missing_driver_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        with pytest.raises(MissingExtra, match=r"evenhand\[postgres\]"):
            create_engine("postgresql://host/db")

    def test_the_file_of_a_url_is_known_without_opening_it(self, tmp_path: Path) -> None:
        path = tmp_path / "a b%.db"
        assert database_file(f"sqlite:///{path}") == path
        assert not path.exists()


@only_sqlite
def test_sqlite_is_durable_guarded_and_keeps_nothing_that_was_deleted(engine: Engine) -> None:
    with engine.begin() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in (
                "journal_mode",
                "foreign_keys",
                "synchronous",
                "recursive_triggers",
                "secure_delete",
            )
        }
    assert found == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "recursive_triggers": 1,
        "secure_delete": 1,
    }


@only_sqlite
def test_only_the_migration_engine_has_foreign_keys_off(database_url: str) -> None:
    engine = create_migration_engine(database_url)
    with engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 0


@only_sqlite
def test_a_transaction_begins_as_a_writer(engine: Engine) -> None:
    with (
        engine.begin(),
        engine.connect() as other,
        pytest.raises(OperationalError, match="locked"),
    ):
        _begin_without_waiting(other)


def _begin_without_waiting(connection: sa.Connection) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute("PRAGMA busy_timeout = 0")
    connection.begin()


@only_postgresql
def test_postgresql_gives_up_waiting_for_a_lock(engine: Engine) -> None:
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SHOW lock_timeout")) == "10s"


def test_a_reading_transaction_can_change_nothing(engine: Engine) -> None:
    with pytest.raises(DBAPIError), reading(engine) as connection:
        connection.execute(sa.text("DELETE FROM golden_set"))
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM golden_set"))


def test_a_reading_transaction_sees_one_state(
    engine: Engine, add: Callable[..., EvaluationRecord]
) -> None:
    count = sa.text("SELECT count(*) FROM evaluation")
    with reading(engine) as connection:
        before = connection.scalar(count)
        add()
        assert (before, connection.scalar(count)) == (0, 0)
    with reading(engine) as connection:
        assert connection.scalar(count) == 1


def test_parameters_are_in_no_log_and_no_error(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    logging.getLogger("sqlalchemy.engine").setLevel(logging.DEBUG)
    with pytest.raises(DBAPIError) as error, engine.begin() as connection:
        connection.execute(
            sa.text("INSERT INTO golden_set (identifier, missing) VALUES (:value, 1)"),
            {"value": "canary-parameter"},
        )
    logging.getLogger("sqlalchemy.engine").setLevel(logging.NOTSET)
    assert "canary-parameter" not in str(error.value)
    assert "canary-parameter" not in caplog.text
