"""A command that only reads makes nothing where nothing is, and says so."""

import json
from pathlib import Path

import pytest

from evenhand.adapters.formats.sets import write_golden_set
from evenhand.cli.main import run_command
from tests.builders import a_set

EMPTY = "nothing is stored yet"
#: Command → exit code, and what it says on standard error.
READERS: dict[str, tuple[int, str]] = {
    "evaluations list": (0, EMPTY),
    "evaluations show latest": (2, EMPTY),
    "evaluations show 01990000": (2, EMPTY),
    "evaluations export 01990000 out.json": (2, EMPTY),
    "sets list": (0, "no golden sets"),
    "sets show tiny": (2, "no golden set 'tiny'"),
    "sets export tiny out.jsonl": (2, "no golden set 'tiny'"),
    "sets delete tiny --yes": (2, "no golden set 'tiny'"),
    "compare latest previous": (2, "stored"),
    "compare 01990000 01990001": (2, "no id has this name"),
    "baseline show": (0, "no baseline is set"),
    "baseline history": (0, "no baseline was set"),
    "baseline export out.json": (2, "no baseline"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", READERS)
def test_a_reader_makes_nothing_and_says_that_nothing_is_there(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    code, said = READERS[command]

    assert run_command(command.split()) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert list(folder.iterdir()) == []


def test_a_list_of_nothing_is_an_empty_document(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["evaluations", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert list(folder.iterdir()) == []


def test_what_reads_first_and_stores_then_finds_what_it_stored(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "mine.py").write_text("def search(question, limit):\n    return ['d1']\n")
    write_golden_set(a_set(), folder / "set.jsonl")
    assert run_command(["run", "set.jsonl", "mine:search", "-q"]) == 0
    capsys.readouterr()
    assert run_command(["evaluations", "list"]) == 0
    assert "tiny" in capsys.readouterr().out
