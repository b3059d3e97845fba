"""What a user is told of a database that cannot be used."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.errors import translate
from evenhand.store.migrate import status
from tests.postgres import Cluster
from tests.store.conftest import only_sqlite

CANARY = "unreachable-canary"
#: Looks at a database as somebody who is not root; what is needed is loaded before.
LOOK = """
import os, sys
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.store.migrate import status
status("sqlite:///" + sys.argv[2])
if os.getuid() == 0:
    os.setuid(65534)
try:
    status("sqlite:///" + sys.argv[1])
except DatabaseUnavailable as error:
    print(error)
"""


def told(url: str) -> str:
    with pytest.raises(DatabaseUnavailable) as error:
        status(url)
    assert CANARY not in str(error.value)
    assert error.value.code == "database_unavailable"
    return str(error.value)


def test_a_server_that_is_not_there_is_named_with_the_database() -> None:
    assert told(f"postgresql://u:{CANARY}@127.0.0.1:1/shop?connect_timeout=5") == (
        "the database shop on 127.0.0.1:1 cannot be reached: nothing answers at that address"
    )


def test_a_socket_that_is_not_there_is_told(tmp_path: Path) -> None:
    said = told(f"postgresql://u:{CANARY}@/shop?host={tmp_path}")
    assert said == "the database shop cannot be reached: there is no server at that socket"


def test_an_option_with_a_wrong_value_is_told() -> None:
    assert "an option of database_url" in told(f"postgresql://h/x?connect_timeout={CANARY}")


def test_a_database_that_the_server_does_not_have_is_named(postgres_cluster: Cluster) -> None:
    url = make_url(postgres_cluster.url("no_such_database"))
    said = told(url.render_as_string(hide_password=False))
    assert "the database no_such_database" in said
    assert said.endswith("there is no such database on the server")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("SQLITE_READONLY_DIRECTORY", "its folder may not be written to"),
        ("SQLITE_READONLY", "the file may not be written to"),
        ("SQLITE_CANTOPEN", "cannot be opened"),
        ("SQLITE_FULL", "the disk is full"),
        ("SQLITE_IOERR_WRITE", "the disk could not be read or written"),
    ],
)
def test_of_a_file_cause_and_remedy_are_told(name: str, why: str) -> None:
    cause = sqlite3.OperationalError("attempt to write")
    cause.sqlite_errorname = name
    error = OperationalError("SELECT 1", {}, cause)
    assert isinstance(error, DBAPIError)

    said = str(translate(error, sa.make_url("sqlite:////somewhere/kept.db")))

    assert said.startswith("the database file kept.db cannot be used: ")
    assert why in said


@only_sqlite
def test_a_store_in_a_folder_that_may_only_be_read_says_so(database_url: str) -> None:
    template = Path(str(make_url(database_url).database))
    # Not under pytest's folder, which nobody but its owner may enter.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "kept.db"
        shutil.copy(template, file)
        file.chmod(0o444)
        folder.chmod(0o555)
        try:
            found = subprocess.run(
                [sys.executable, "-c", LOOK, str(file), str(template)],
                capture_output=True,
                text=True,
                check=True,
            )
        finally:
            folder.chmod(0o700)
    assert "the database file kept.db cannot be used: its folder may not be written to" in (
        found.stdout
    )
    assert "read a copy in a folder of your own" in found.stdout
