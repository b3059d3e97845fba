"""A project folder to type commands in."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.typed import Cli, forget_modules


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder that is the working directory; what is imported from it is forgotten."""
    monkeypatch.chdir(tmp_path)
    for name in ("DATABASE_URL", "PRIVACY", "DEPTH", "JOBS", "MAX_FAILED_SHARE"):
        monkeypatch.delenv(f"EVENHAND_{name}", raising=False)
    # Two modules written within one second look alike to the import system's own cache.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = list(sys.path)
    yield tmp_path
    sys.path[:] = before
    forget_modules(tmp_path)


@pytest.fixture
def cli(folder: Path, _sqlite_template: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Commands typed in a project that has an empty configuration and a database."""
    (folder / "evenhand.toml").touch()
    (folder / ".evenhand").mkdir(mode=0o700)
    shutil.copy(_sqlite_template, folder / ".evenhand" / "evenhand.db")
    return Cli(capsys)


@pytest.fixture
def project_on_database(
    tmp_path: Path,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Cli:
    """An empty project on a database of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVENHAND_DATABASE_URL", database_url)
    (tmp_path / "evenhand.toml").touch()
    return Cli(capsys)


@pytest.fixture
def nothing_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Cli:
    """An empty project without a database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENHAND_DATABASE_URL", raising=False)
    (tmp_path / "evenhand.toml").touch()
    return Cli(capsys)
