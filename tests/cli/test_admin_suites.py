"""``evenhand admin suite`` as a user types it, on both databases."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.identity.settings_digest import retrieval_config_sha256
from tests.builders import a_set
from tests.cli.typed import Cli, write_set
from tests.suite_builders import CORPUS, a_case_question

SETTINGS = {"top_k": 10, "big": 2**70, "weights": [3e-05, 1.0]}
SUITE = ("admin", "suite")


@pytest.fixture
def terminal(project_on_database: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A project on a database of its own, with a set and settings to freeze."""
    monkeypatch.setenv("COLUMNS", "80")
    Path("settings.json").write_text(json.dumps(SETTINGS, indent=1))
    questions = a_case_question("q1", "d1", critical=True), a_case_question("q2")
    write_set(golden_set=a_set(*questions, holdout=[a_case_question("q3")]))
    assert project_on_database.run("admin", "project", "create", "shop") == 0
    return project_on_database


def create(terminal: Cli, name: str = "release") -> dict[str, Any]:
    made: dict[str, Any] = terminal.json(*SUITE, "create", name, "--project", "shop")
    return made


FREEZE = (*SUITE, "freeze", "shop/release", "set.jsonl", "--retrieval-settings", "settings.json")
OVER = ("--corpus-sha256", CORPUS)


def test_a_set_is_frozen_once_and_shown(terminal: Cli) -> None:
    suite = create(terminal)
    made = terminal.json(*FREEZE, *OVER)
    assert "held out, not frozen: 1" in terminal.err
    assert (made["is_new"], made["number"], made["case_count"]) == (True, 1, 2)
    assert made["retrieval_settings"] == SETTINGS
    assert made["retrieval_config_sha256"] == retrieval_config_sha256(SETTINGS)
    again = terminal.json(*FREEZE, *OVER)
    assert again == made | {"is_new": False}
    assert "nothing was changed" in terminal.err

    shown = terminal.json(*SUITE, "show", suite["id"])
    del made["is_new"]
    assert shown == suite | {"revisions": [made]}
    assert terminal.json(*SUITE, "revision", made["id"]) == made
    cases = terminal.json(*SUITE, "revision", made["id"], "--questions")["cases"]
    assert [(one["question_id"], one["critical"]) for one in cases] == [
        ("q1", True),
        ("q2", False),
    ]


def test_what_is_shown_fits_a_terminal_and_holds_texts_only_when_asked(terminal: Cli) -> None:
    create(terminal)
    assert terminal.run(*FREEZE, *OVER) == 0
    revision = terminal.out.splitlines()[1].split()[-1]
    for words in (("show", "shop/release"), ("list",), ("revision", revision)):
        assert terminal.run(*SUITE, *words) == 0
        assert all(len(line) <= 80 for line in terminal.out.splitlines())
        assert "q1" not in terminal.out
    assert terminal.run(*SUITE, "revision", revision, "--questions") == 0
    assert "q1 (match, critical, reviewed)" in terminal.out


def test_a_corpus_at_hand_gives_its_digest(terminal: Cli, tmp_path: Path) -> None:
    create(terminal)
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"_id": "d1", "title": "", "text": "there"}\n')
    digest = terminal.json("corpus", "manifest", "corpus.jsonl")["digest"]
    write_set(golden_set=a_set(a_case_question("q1", "d1", corpus=digest)))
    assert terminal.json(*FREEZE, "--corpus", "corpus.jsonl")["corpus_sha256"] == digest


def test_a_suite_out_of_use_takes_nothing_until_it_is_back(terminal: Cli) -> None:
    create(terminal)
    assert terminal.json(*SUITE, "set", "shop/release", "--inactive")["active"] is False
    assert terminal.run(*FREEZE, *OVER) == 5
    assert "[suite_inactive]" in terminal.err
    assert terminal.run(*SUITE, "set", "shop/release", "--active", "--expected-version", "1") == 5
    assert "[version_conflict]" in terminal.err
    assert terminal.json(*SUITE, "set", "shop/release")["version"] == 2
    assert terminal.json(*SUITE, "set", "shop/release", "--active")["version"] == 3
    assert terminal.run(*FREEZE, *OVER, "-q") == 0
    assert terminal.err == ""
    entries = terminal.json("admin", "audit")
    assert [(one["action"], one["object"]["kind"]) for one in entries] == [
        ("freeze", "suite_revision"),
        ("change", "suite"),
        ("change", "suite"),
        ("create", "suite"),
        ("create", "project"),
    ]
    assert terminal.run("db", "check") == 0


@pytest.mark.proves("C-20", "G-47")
@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (("--corpus-sha256", "A" * 64), "corpus_digest"),
        (("--corpus-sha256", "b" * 64), "suite_corpus"),
        ((*OVER, "--retrieval-config-sha256", "0" * 64), "retrieval_config_digest"),
    ],
)
def test_what_may_not_be_frozen_is_refused_by_a_code(
    terminal: Cli, flags: tuple[str, ...], code: str
) -> None:
    create(terminal)
    assert terminal.run(*FREEZE, *flags) == 2
    assert f"[{code}]" in terminal.err


def test_settings_that_are_no_strict_object_are_refused(terminal: Cli) -> None:
    create(terminal)
    for text, code in (
        ("[1]", "invalid_file"),
        ('{"a":NaN}', "invalid_file"),
        ("", "invalid_file"),
    ):
        Path("settings.json").write_text(text)
        assert terminal.run(*FREEZE, *OVER) == 2
        assert f"[{code}]" in terminal.err


def test_the_corpus_is_named_in_one_way(terminal: Cli) -> None:
    create(terminal)
    for flags in ((), (*OVER, "--corpus", "set.jsonl")):
        assert terminal.run(*FREEZE, *flags) == 2
        assert "--corpus and --corpus-sha256" in terminal.err


def test_what_is_not_there_is_said(terminal: Cli) -> None:
    assert terminal.run(*SUITE, "list") == 0
    assert "there is no suite" in terminal.err
    for words in (("show", "nowhere"), ("set", "nowhere", "--inactive"), ("revision", "nowhere")):
        assert terminal.run(*SUITE, *words) == 2
        assert "not_found]" in terminal.err
    assert terminal.run(*FREEZE, *OVER) == 2
    assert "[suite_not_found]" in terminal.err
