"""``evenhand baseline`` as a user types it."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.bootstrap import build_app
from evenhand.cli.main import run_command
from evenhand.core.privacy import LevelPolicy, PrivacyLevel
from evenhand.core.scoring.evaluation import Evaluation
from evenhand.usecases import evaluations
from tests.builders import (
    RELEASE,
    a_provenance,
    a_set,
    an_evaluation,
    right_answers,
    row_id,
)


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

    def json(self, *arguments: str) -> Any:
        assert self.run(*arguments, "--json") == 0, self.err
        return json.loads(self.out)


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Terminal:
    """In an empty project that is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evenhand.toml").touch()
    return Terminal(capfd)


def store(evaluation: Evaluation, *, number: int = 1) -> str:
    """Store an evaluation in the project; gives its id."""
    app = build_app()
    app.database.run(
        lambda uow: evaluations.record(
            uow,
            evaluation,
            id=row_id(number),
            policy=LevelPolicy(level=PrivacyLevel.FULL),
            release=RELEASE,
        )
    )
    app.close()
    return row_id(number)


def a_known(corpus: str = "corpus-1", *, set_identifier: str = "tiny") -> Evaluation:
    return an_evaluation(a_set(identifier=set_identifier), provenance=a_provenance(corpus=corpus))


def test_a_baseline_is_set_and_shown(terminal: Terminal) -> None:
    identifier = store(a_known())
    assert terminal.run("baseline", "set", "latest", "--note", "as released") == 0
    said = terminal.out
    assert identifier in said
    assert "as released" in said
    assert "Success@1: 1.000 (3 of 3)" in said
    assert "attempted 4, scored 4, failed 0, unjudged 0, no-answer 1" in said
    assert terminal.run("baseline", "show") == 0
    assert terminal.out == said
    assert terminal.run("baseline", "show", "tiny", "fake") == 0
    assert terminal.out == said


def test_it_is_given_as_json_without_outcomes(terminal: Terminal) -> None:
    identifier = store(a_known())
    done = terminal.json("baseline", "set", identifier[:20])
    assert done.pop("replaced") is None
    assert done["evaluation"] == identifier
    assert done["counts"]["answerable"] == 3
    assert "outcomes" not in done
    assert terminal.json("baseline", "show") == [done]
    assert terminal.json("baseline", "history") == [done]


def test_history_is_kept_and_a_changed_benchmark_is_said(terminal: Terminal) -> None:
    store(a_known("corpus-1"), number=1)
    terminal.run("baseline", "set", "latest")
    assert terminal.err == ""
    second = store(a_known("corpus-2"), number=2)
    assert terminal.run("baseline", "set", second) == 0
    assert "its benchmark is another one" in terminal.err
    assert terminal.run("baseline", "set", "latest", "-q") == 0
    assert terminal.err == ""
    assert terminal.run("baseline", "history", "tiny") == 0
    evaluations_named = [
        number for line in terminal.out.splitlines() for number in (1, 2) if row_id(number) in line
    ]
    assert evaluations_named == [2, 2, 1]
    assert all(len(line) <= 80 for line in terminal.out.splitlines())
    assert terminal.run("baseline", "history", "--limit", "1") == 0
    assert len(terminal.out.splitlines()) == 3


def test_an_evaluation_that_does_not_say_what_was_run_is_refused(terminal: Terminal) -> None:
    store(an_evaluation())
    assert terminal.run("baseline", "set", "latest") == 2
    assert "does not say what was run" in terminal.err
    assert "[invalid_baseline]" in terminal.err
    assert terminal.json("baseline", "show") == []


def test_a_result_with_too_many_failures_is_refused_from_the_store_and_from_a_file(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = a_set()
    answers = dict(right_answers(asked))
    answers["q1"] = RuntimeError("down")
    broken = an_evaluation(asked, answers, provenance=a_provenance())
    store(broken)
    assert terminal.run("baseline", "set", "latest") == 5
    assert "1 of 4 questions failed" in terminal.err
    assert "[too_many_failed]" in terminal.err
    assert terminal.json("baseline", "show") == []
    monkeypatch.setenv("EVENHAND_MAX_FAILED_SHARE", "0.25")
    assert terminal.run("baseline", "set", "latest") == 0
    assert terminal.run("baseline", "export", "b.json") == 0
    monkeypatch.delenv("EVENHAND_MAX_FAILED_SHARE")
    assert terminal.run("baseline", "set", "b.json") == 5


def test_what_is_not_there_is_said(terminal: Terminal) -> None:
    assert terminal.run("baseline", "set", "latest") == 2
    assert "[evaluation_not_found]" in terminal.err
    assert terminal.run("baseline", "show") == 0
    assert "no baseline is set" in terminal.err
    assert terminal.run("baseline", "show", "tiny", "fake") == 2
    assert "[baseline_not_found]" in terminal.err
    assert terminal.run("baseline", "history") == 0
    assert (terminal.out, terminal.err) == ("", "no baseline was set\n")


@pytest.mark.parametrize("command", [["show", "tiny"], ["export", "b.json", "tiny"]])
def test_half_of_a_name_is_a_usage_error(terminal: Terminal, command: list[str]) -> None:
    assert terminal.run("baseline", *command) == 2
    assert "or neither" in terminal.err


def test_a_file_carries_a_baseline_to_another_project(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(a_known())
    terminal.run("baseline", "set", "latest")
    assert terminal.run("baseline", "export", "b.json") == 0
    assert terminal.err == "wrote b.json\n"
    here = terminal.json("baseline", "export", "c.json")
    assert [here] == terminal.json("baseline", "show")
    other = tmp_path / "other"
    other.mkdir()
    (other / "evenhand.toml").touch()
    monkeypatch.chdir(other)
    there = terminal.json("baseline", "set", str(tmp_path / "b.json"))
    assert (there["evaluation"], there["basis"]) == (None, "imported")
    for name in ("set", "retriever", "counts", "provenance", "labels", "benchmark", "variant"):
        assert there[name] == here[name]
    assert terminal.run("baseline", "show") == 0
    assert "read from a file" in terminal.out


def test_an_export_is_chosen_by_name_and_replaces_no_file_unasked(
    terminal: Terminal, tmp_path: Path
) -> None:
    for number, name in enumerate(("one", "two"), 1):
        terminal.run("baseline", "set", store(a_known(set_identifier=name), number=number))
    assert terminal.run("baseline", "export", "b.json") == 2
    assert "several baselines are active" in terminal.err
    assert terminal.run("baseline", "export", "b.json", "two", "fake", "-q") == 0
    assert json.loads((tmp_path / "b.json").read_text())["set_identifier"] == "two"
    assert terminal.run("baseline", "export", "b.json", "one", "fake") == 2
    assert "--force replaces it" in terminal.err
    assert terminal.run("baseline", "export", "b.json", "one", "fake", "--force") == 0
    assert json.loads((tmp_path / "b.json").read_text())["set_identifier"] == "one"


def test_a_file_that_was_changed_is_refused(terminal: Terminal, tmp_path: Path) -> None:
    store(a_known())
    terminal.run("baseline", "set", "latest")
    terminal.run("baseline", "export", "b.json")
    path = tmp_path / "b.json"
    path.write_text(path.read_text().replace('"retrieved":1', '"retrieved":2', 1))
    assert terminal.run("baseline", "set", "b.json") == 2
    assert "content_sha256: is not the digest of the content" in terminal.err


def test_a_purge_of_evaluations_leaves_the_baseline(terminal: Terminal) -> None:
    store(a_known())
    before = terminal.json("baseline", "set", "latest")
    app = build_app()
    app.database.run(lambda uow: uow.evaluations.delete(row_id(1), actor="test"))
    app.close()
    [after] = terminal.json("baseline", "show")
    assert after == {name: value for name, value in before.items() if name != "replaced"}
