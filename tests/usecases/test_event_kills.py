"""A process that is killed while it takes in or delivers loses no event and doubles none.

A few kills; ``tools/torture_events.py`` does many, on both databases and into a table too.
"""

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from evenhand.store.migrate import check, upgrade
from evenhand.store.uow import open_database
from tests.builders import FakeClock
from tests.event_builders import event_document
from tests.registry_builders import a_project
from tests.usecases.conftest import CountingIds
from tests.usecases.event_kill_entry import delivered
from tools.torture_events import kill_again_and_again

pytestmark = pytest.mark.on_disk

ROOT = Path(__file__).parents[2]
ENTRY = "tests.usecases.event_kill_entry:main"
EVENTS = 30


def run(url: str, folder: Path, *options: str) -> int:
    tool = ROOT / "tools" / "kill_at.py"
    paths = (str(folder / "sink"), str(folder / "events.jsonl"))
    command = [sys.executable, str(tool), "--entry", ENTRY, *options, "--", url, *paths]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode


def prepared(folder: Path) -> str:
    """A database with a project, and a file of events."""
    url = f"sqlite:///{folder / 'evenhand.db'}"
    upgrade(url)
    database = open_database(url, clock=FakeClock(), ids=CountingIds())
    database.run(lambda uow: uow.projects.add(a_project()))
    database.close()
    lines = (msgspec.json.encode(event_document(number)) for number in range(EVENTS))
    (folder / "events.jsonl").write_bytes(b"\n".join(lines))
    return url


def steps_of(folder: Path) -> int:
    folder.mkdir()
    counted = folder / "steps.txt"
    assert run(prepared(folder), folder, "--count", str(counted)) == 0
    return int(counted.read_text())


def kill_and_go_on(folder: Path, at: int) -> None:
    """Killed before a step, then run to the end: everything is there once, and in the sink."""
    folder.mkdir()
    url = prepared(folder)
    assert run(url, folder, "--at", str(at)) == -signal.SIGKILL
    assert [one for one in check(url) if one.code.startswith("event")] == []
    assert run(url, folder) == 0
    expected = sorted(f"evt_{number}" for number in range(EVENTS))
    database = open_database(url, clock=FakeClock(), ids=CountingIds())
    stored = database.read(
        lambda uow: [one.event_id for one in uow.events.walk(None, project_id=None)]
    )
    database.close()
    assert sorted(stored) == expected
    assert sorted(delivered(str(folder / "sink"))) == expected


@pytest.mark.proves("E-12", "E-43")
def test_a_kill_while_taking_in_or_delivering_loses_and_doubles_nothing(tmp_path: Path) -> None:
    steps = steps_of(tmp_path / "whole")
    for number, part in enumerate((0.3, 0.75, 0.95)):
        kill_and_go_on(tmp_path / str(number), 1 + round(part * (steps - 1)))


@pytest.mark.proves("E-12", "E-43")
@pytest.mark.parametrize("empty_database_url", ["postgresql"], indirect=True)
def test_a_kill_at_a_random_moment_on_a_server_loses_and_doubles_nothing(
    empty_database_url: str, tmp_path: Path
) -> None:
    found = kill_again_and_again(
        empty_database_url, str(tmp_path / "sink"), tmp_path, kills=3, seed=1
    )
    assert found.problems == []
    assert found.killed.total() == 3


@pytest.mark.torture
def test_a_kill_before_every_step_loses_and_doubles_nothing(tmp_path: Path) -> None:
    for at in range(1, steps_of(tmp_path / "whole") + 1):
        kill_and_go_on(tmp_path / str(at), at)
