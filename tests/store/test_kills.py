"""A process that is killed between two statements leaves a whole database, or none.

A few kills, always the same ones; ``tools/torture_kills.py`` does many, of ``evenhand run``.
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.store.lineage import Status
from evenhand.store.migrate import check, status
from evenhand.store.uow import open_database
from tests.builders import FakeClock, row_id
from tests.store import kill_entry
from tests.store.conftest import CountingIds

pytestmark = pytest.mark.on_disk

ROOT = Path(__file__).parents[2]
ENTRY = "tests.store.kill_entry:main"


def run(url: str, number: int, *options: str) -> int:
    """Store row number so-and-so in a process of its own; gives its return code."""
    tool = ROOT / "tools" / "kill_at.py"
    command = [sys.executable, str(tool), "--entry", ENTRY, *options, "--", url, str(number)]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode


def stored(url: str) -> list[str]:
    database = open_database(url, clock=FakeClock(), ids=CountingIds())
    found = database.read(
        lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=9)
    )
    database.close()
    return [record.id for record in found]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'evenhand.db'}"


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, int]:
    """How many steps there are with a database to be made, and with one that is there."""
    folder = tmp_path_factory.mktemp("steps")

    def count(number: int) -> int:
        counted = folder / f"{number}.txt"
        assert run(f"sqlite:///{folder / 'file.db'}", number, "--count", str(counted)) == 0
        return int(counted.read_text())

    return count(1), count(2)


@pytest.mark.parametrize("part", [0.0, 0.5, 1.0], ids=str)
def test_a_kill_while_storing_leaves_no_part_of_the_evaluation(
    url: str, steps: tuple[int, int], part: float
) -> None:
    kill_entry.main([url, "1"])
    at = 1 + round(part * (steps[1] - 1))
    assert run(url, 2, "--at", str(at)) == -signal.SIGKILL
    assert stored(url) == [row_id(1)]
    assert check(url) == []
    kill_entry.main([url, "2"])
    assert stored(url) == [row_id(2), row_id(1)]


@pytest.mark.parametrize("part", [0.3, 0.9], ids=str)
def test_a_kill_while_migrating_leaves_a_whole_schema_or_none(
    url: str, steps: tuple[int, int], part: float
) -> None:
    at = 1 + round(part * (steps[0] - steps[1] - 1))
    assert run(url, 1, "--at", str(at)) == -signal.SIGKILL
    if status(url) is not Status.ABSENT:
        assert check(url) == []
    kill_entry.main([url, "1"])
    assert stored(url) == [row_id(1)]
    assert check(url) == []
