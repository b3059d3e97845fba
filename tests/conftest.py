"""What every test can count on: no network, fresh databases, and honest skips."""

import ipaddress
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import postgres
from tools.statements import marker_problems

IN_CI = os.environ.get("EVENHAND_CI") == "1"
DATABASES = ("sqlite", "postgresql")

# Shared cores make any deadline a coin toss. In CI the same examples run every time.
settings.register_profile("local", deadline=None, print_blob=True)
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ci" if IN_CI else "local")

# Thousands of small databases and projects: in memory a commit waits for no disk. Where pytest is
# to put them is asked for once, after this; a folder that is named already stays.
_MEMORY = postgres.memory()
if _MEMORY is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def require_or_skip(present: object, what: str) -> None:
    """Go on where ``present`` holds; otherwise skip, which in CI is a failure.

    Args:
        present: what was found; anything false means missing.
        what: the missing thing and how to get it.
    """
    if present:
        return
    if IN_CI:
        pytest.fail(f"needed with EVENHAND_CI=1: {what}", pytrace=False)
    pytest.skip(what)


def _refuse_the_network(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: Python's sockets reach this machine only (loopback and Unix sockets)."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name is not None and not _is_local(str(name)):
        # pytest's own failure is no Exception: code that copes with a dead network, which is
        # what most code does, cannot swallow it.
        pytest.fail(f"a test reached for the network: {name}")


def _is_local(host: str) -> bool:
    if host in ("", "localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


sys.addaudithook(_refuse_the_network)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test whose marker names a statement wrongly fails, whatever it would have shown."""
    problems = list(marker_problems([item]))
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder of this test's own; on the disk for one that is marked ``on_disk``."""
    if request.node.get_closest_marker("on_disk") is None:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="evenhand-test-") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def postgres_cluster() -> Iterator[postgres.Cluster]:
    """One server a session and xdist worker; skips (fails in CI) where there is none."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(postgres.cluster())
        except postgres.PostgresMissingError as error:
            require_or_skip(present=False, what=f"PostgreSQL: {error}")
            raise
        yield running


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from evenhand.store.migrate import upgrade

    path = tmp_path_factory.mktemp("sqlite-template") / "file.db"
    upgrade(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        # Everything into the one file that is copied.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy URL of a database of this test's own, migrated to the newest schema."""
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("_sqlite_template")
        yield f"sqlite:///{shutil.copy(template, tmp_path / 'file.db')}"
        return
    from evenhand.store.migrate import upgrade

    cluster: postgres.Cluster = request.getfixturevalue("postgres_cluster")
    name = cluster.create_migrated(upgrade)
    yield cluster.url(name)
    cluster.drop(name)


@pytest.fixture(params=DATABASES)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy URL of a database of this test's own, without a schema."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'file.db'}"
        return
    cluster: postgres.Cluster = request.getfixturevalue("postgres_cluster")
    name = cluster.create()
    yield cluster.url(name)
    cluster.drop(name)
