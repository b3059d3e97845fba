"""``evenhand evaluations import`` as a user types it: from one project into another."""

import json
from pathlib import Path

import pytest

from evenhand.bootstrap import build_app
from evenhand.cli.main import run_command
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.usecases import evaluations
from tests.builders import RELEASE, a_provenance, a_question, a_set, an_evaluation, row_id

CANARY = "document-canary"


class Terminal:
    """Runs commands and gives what they said."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        self._capfd.readouterr()
        code = run_command(list(arguments))
        self.out, self.err = self._capfd.readouterr()
        return code


@pytest.fixture
def terminal(capfd: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capfd)


def enter(folder: Path, monkeypatch: pytest.MonkeyPatch, configuration: str = "") -> None:
    """Make a project and go there."""
    folder.mkdir()
    (folder / "evenhand.toml").write_text(configuration)
    monkeypatch.chdir(folder)


def store(evaluation: Evaluation) -> None:
    app = build_app()
    app.database.run(
        lambda uow: evaluations.record(
            uow,
            evaluation,
            id=row_id(1),
            policy=LevelPolicy(level=PrivacyLevel.FULL),
            release=RELEASE,
        )
    )
    app.close()


def exported(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> Path:
    """The file of an evaluation at full, from a project of its own."""
    enter(tmp_path / "one", monkeypatch)
    store(an_evaluation(a_set(a_question("q1", CANARY)), provenance=a_provenance()))
    file = tmp_path / name
    assert terminal.run("evaluations", "export", "latest", str(file)) == 0, terminal.err
    return file


@pytest.mark.parametrize("name", ["e.json", "e.parquet"])
def test_what_one_project_exports_another_imports(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = exported(terminal, tmp_path, monkeypatch, name)
    enter(tmp_path / "two", monkeypatch)
    assert terminal.run("evaluations", "import", str(file), "--json") == 0, terminal.err
    line = json.loads(terminal.out)
    assert (line["id"], line["basis"], line["privacy"]) == (row_id(1), "imported", "full")
    assert terminal.err == ""
    assert terminal.run("evaluations", "export", "latest", "again.json") == 0
    again = json.loads(Path("again.json").read_text())
    assert again["run"][0]["documents"] == [CANARY]
    assert terminal.run("db", "check") == 0


def test_an_import_that_is_repeated_is_refused(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(terminal, tmp_path, monkeypatch, "e.json")
    assert terminal.run("evaluations", "import", str(file)) == 5
    assert "is stored already; nothing was changed [evaluation_exists]" in terminal.err


@pytest.mark.parametrize("name", ["e.json", "e.parquet"])
def test_the_configured_level_is_not_exceeded_anywhere_in_the_database_file(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = exported(terminal, tmp_path, monkeypatch, name)
    monkeypatch.setenv("EVENHAND_PRIVACY", "metadata")
    enter(tmp_path / "two", monkeypatch)
    assert terminal.run("evaluations", "import", str(file)) == 0, terminal.err
    assert terminal.err == "kept at privacy level metadata\n"
    kept = b"".join(path.read_bytes() for path in Path(".evenhand").iterdir() if path.is_file())
    assert row_id(1).encode() in kept
    assert CANARY.encode() not in kept


def test_one_that_does_not_say_what_was_run_is_imported_and_that_is_said(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(terminal, tmp_path, monkeypatch, "e.json")
    document = json.loads(file.read_text())
    for name in ("provenance", "benchmark_fingerprint", "variant_fingerprint"):
        del document["evaluation"][name]
    file.write_text(json.dumps(document))
    enter(tmp_path / "two", monkeypatch)
    assert terminal.run("evaluations", "import", str(file)) == 0
    assert "nothing can be compared with it" in terminal.err
    assert terminal.run("evaluations", "list", "--json") == 0
    assert json.loads(terminal.out)[0]["benchmark"] is None


def test_a_file_that_was_changed_is_refused_and_nothing_is_stored(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = exported(terminal, tmp_path, monkeypatch, "e.json")
    file.write_text(file.read_text().replace('"abstained": 0', '"abstained": 1'))
    enter(tmp_path / "two", monkeypatch)
    assert terminal.run("evaluations", "import", str(file)) == 2
    assert "e.json: counts: " in terminal.err
    assert terminal.run("evaluations", "list", "--json") == 0
    assert json.loads(terminal.out) == []
