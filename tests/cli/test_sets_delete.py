"""``evenhand sets delete`` on both databases: the set goes, what was found with it stays."""

import json
from pathlib import Path

import pytest

from evenhand.adapters.formats.sets import write_golden_set
from evenhand.cli.main import run_command
from tests.builders import a_set

DECLARED = ("--corpus", "c1", "--model", "m1", "--chunking", "not-applicable", "--pipeline", "p1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which one set is imported and evaluated on the database of the test."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def search(question, limit):\n    return ['d1']\n")
    write_golden_set(a_set(), tmp_path / "set.jsonl")
    return tmp_path


@pytest.fixture
def evaluated(
    folder: Path,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Path:
    monkeypatch.setenv("EVENHAND_DATABASE_URL", database_url)
    assert run_command(["sets", "import", "set.jsonl", "-q"]) == 0
    assert run_command(["run", "tiny", "mine:search", "-q", *DECLARED]) == 0
    capsys.readouterr()
    return folder


def test_a_deleted_set_is_gone_and_its_evaluations_can_be_read(
    evaluated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["sets", "delete", "tiny", "--yes"]) == 0
    assert capsys.readouterr().out == "deleted tiny\n"

    assert run_command(["sets", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert run_command(["evaluations", "show", "latest"]) == 0
    assert "Success@1" in capsys.readouterr().out
    joined = ["evaluations", "show", "latest", "--set", str(evaluated / "set.jsonl")]
    assert run_command(joined) == 0
    assert "By form" in capsys.readouterr().out


def test_nothing_is_deleted_without_a_yes(
    evaluated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["sets", "delete", "tiny"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert run_command(["sets", "export", "tiny", "again.jsonl", "-q"]) == 0
    assert (evaluated / "again.jsonl").is_file()


def test_a_set_that_is_not_kept_is_refused_and_nothing_is_made(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.iterdir())

    assert run_command(["sets", "delete", "tiny", "--yes"]) == 2
    assert "no golden set 'tiny'" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before


def test_a_deleted_set_is_a_document_for_programs(
    evaluated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluated.is_dir()
    assert run_command(["sets", "delete", "tiny", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": "tiny"}
