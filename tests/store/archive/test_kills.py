"""A process that is killed while it backs up or restores leaves a whole file or database, or none.

A few kills at fixed parts of the way, each between two steps (``tools/kill_at.py``).
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.store.archive.write import read_digests
from evenhand.store.lineage import Status
from evenhand.store.migrate import check, status, upgrade
from tests.store.archive.conftest import backup, fill

pytestmark = pytest.mark.on_disk

ROOT = Path(__file__).parents[3]
PARTS = [0.5, 1.0]


def run(folder: Path, url: str, verb: str, *options: str) -> int:
    """Run `evenhand db VERB a.zip` with the hook; gives its return code."""
    tool = ROOT / "tools" / "kill_at.py"
    command = [sys.executable, str(tool), *options, "--", "--database-url", url, "db", verb]
    ended = subprocess.run(
        [*command, "a.zip", *(["--force"] if verb == "backup" else [])],
        cwd=folder,
        check=False,
        capture_output=True,
    )
    return ended.returncode


def steps_of(folder: Path, url: str, verb: str) -> int:
    counted = folder / "steps.txt"
    assert run(folder, url, verb, "--count", str(counted)) == 0
    return int(counted.read_text())


@pytest.fixture
def filled_url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'source.db'}"
    upgrade(url)
    fill(url)
    return url


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


def test_a_kill_while_backing_up_leaves_no_file_or_the_one_before(
    filled_url: str, place: Path, tmp_path: Path
) -> None:
    steps = steps_of(tmp_path, filled_url, "backup")
    archive = place / "a.zip"
    for before in (None, b"what was there"):
        if before is not None:
            archive.write_bytes(before)
        for part in PARTS:
            at = 1 + round(part * (steps - 1))
            assert run(place, filled_url, "backup", "--at", str(at)) == -signal.SIGKILL
            assert (archive.read_bytes() if archive.exists() else None) == before
            left = place / ".a.zip.part"
            assert not left.exists() or left.stat().st_mode & 0o077 == 0
    assert run(place, filled_url, "backup") == 0
    assert [path.name for path in place.iterdir()] == ["a.zip"]
    assert check(filled_url) != []  # the rows are of no evaluation that was ever scored
    url = f"sqlite:///{place / 'new.db'}"
    assert run(place, url, "restore") == 0
    assert read_digests(url) == read_digests(filled_url)


@pytest.mark.parametrize("part", PARTS, ids=str)
def test_a_kill_while_restoring_leaves_no_database(
    filled_url: str, place: Path, tmp_path: Path, part: float
) -> None:
    (place / "a.zip").write_bytes(backup(filled_url)[0])
    (tmp_path / "a.zip").write_bytes(backup(filled_url)[0])
    steps = steps_of(tmp_path, f"sqlite:///{tmp_path / 'count.db'}", "restore")
    url = f"sqlite:///{place / 'new.db'}"
    at = 1 + round(part * (steps - 1))
    assert run(place, url, "restore", "--at", str(at)) == -signal.SIGKILL
    assert status(url) is Status.ABSENT
    assert run(place, url, "restore") == 0
    assert read_digests(url) == read_digests(filled_url)
