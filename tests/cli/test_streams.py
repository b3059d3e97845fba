"""A full disk under one of the streams, and Ctrl-C at the very beginning and the very end."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.typed import Cli, write_module, write_search, write_set

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
LOST = "error: standard output cannot be written: No space left on device\n"
RUN = ("run", "set.jsonl", "search:find")


def evenhand(*arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    command = [sys.executable, "-m", "evenhand", *arguments]
    return subprocess.run(command, text=True, check=False, **how)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def project(cli: Cli) -> Cli:
    write_set()
    write_search()
    return cli


@needs_full
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("sets", "--help"),
        ("sets", "show", "set.jsonl"),
        ("sets", "show", "set.jsonl", "--json"),
        (*RUN, "-q"),
        (*RUN, "-q", "--json"),
    ],
    ids=" ".join,
)
def test_data_on_a_full_disk_is_a_failure_that_says_so(
    project: Cli, arguments: tuple[str, ...]
) -> None:
    with FULL.open("w") as full:
        done = evenhand(*arguments, stdout=full, stderr=subprocess.PIPE)

    assert (done.returncode, done.stderr) == (5, LOST)
    # What is stored before it is shown stays stored.
    assert len(project.stored()) == (arguments[0] == "run")


@needs_full
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (RUN, 0),
        (("run", "set.jsonl", "nope"), 2),
        (("run",), 2),
        ((*RUN, "--max-failed-share", "2"), 2),
        (("evaluations", "show", "latest"), 2),
    ],
    ids=["pass", "name", "usage", "setting", "nothing"],
)
@pytest.mark.usefixtures("project")
def test_talk_on_a_full_disk_is_lost_and_the_code_stays(
    arguments: tuple[str, ...], code: int
) -> None:
    with FULL.open("w") as full:
        done = evenhand(*arguments, stdout=subprocess.DEVNULL, stderr=full)

    assert done.returncode == code


@needs_full
@pytest.mark.usefixtures("project")
def test_with_both_streams_on_a_full_disk_it_is_still_a_failure() -> None:
    with FULL.open("w") as full:
        assert evenhand(*RUN, stdout=full, stderr=full).returncode == 5


#: Python looks here for a module at its start; this one interrupts an import that is named.
INTERRUPTING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""


@pytest.mark.parametrize(
    "name",
    [
        "evenhand.cli",
        "evenhand.cli.main",
        "evenhand.cli.streams",
        "evenhand.cli.help_page",
        "evenhand.cli.root",
        "click",
        "evenhand.cli.sets",
    ],
)
@pytest.mark.usefixtures("project")
def test_ctrl_c_at_the_very_beginning_ends_with_130_and_no_traceback(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    (start / "sitecustomize.py").write_text(INTERRUPTING.format(name=name))
    monkeypatch.setenv("PYTHONPATH", str(start))

    done = evenhand("sets", "list", capture_output=True)

    assert done.returncode == 130
    assert done.stderr.strip() in ("", "interrupted")


def test_ctrl_c_at_the_very_end_loses_nothing_and_shows_no_traceback(cli: Cli) -> None:
    write_module(
        "import atexit, os, signal\n"
        "atexit.register(os.kill, os.getpid(), signal.SIGINT)\n"
        "def find(question, limit):\n"
        "    return ['d1']\n"
    )
    write_set()

    done = evenhand(*RUN, "-q", capture_output=True)

    # Ended by the signal, which a shell shows as 130.
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""
    assert "Success@1" in done.stdout
    assert len(cli.stored()) == 1
