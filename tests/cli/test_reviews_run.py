"""``evenhand reviews submit`` and ``run``: what is refused before a hub is asked."""

import json
from pathlib import Path

import pytest

from tests.cli.typed import Cli

RUN = ("--inputs", "cases.jsonl", "--practice", "grounded", "--revision", "r")


@pytest.fixture
def asking(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Commands with a hub that nobody asks, and a file of one case."""
    monkeypatch.setenv("EVENHAND_HUB_URL", "http://localhost:1")
    monkeypatch.setenv("EVENHAND_TOKEN", "evh_sc_none")
    monkeypatch.setenv("JUDGE_KEY", "key-canary-1")
    case = {"case_id": "c0", "question": "", "answer": "", "passages": []}
    Path("cases.jsonl").write_text(json.dumps(case), encoding="utf-8")
    return cli


@pytest.mark.parametrize(
    "wrong",
    [
        ("submit", "cases.jsonl", "--subject", "p", "--model", "m"),
        ("submit", "cases.jsonl", "--subject", "p", "--model", "m", "--base-url", "ftp://x"),
        ("submit", "cases.jsonl", "--subject", "p", "--evaluation", "e", "--publication-key", "k"),
        ("submit", "cases.jsonl", "--subject", "p", "--evaluation", "e"),
        ("submit", "cases.jsonl", "--subject", "p", "--prompt-version", "p7"),
        ("submit", "cases.jsonl", "--subject", "p", "--publication-key", "k", "--set", "none"),
        ("run", "--once", "--watch", "5"),
        ("run", "--price-input", "1"),
        ("run", "--price-input", "1", "--price-cached", "1", "--price-output", "1"),
        ("run", "--api-key-env", "JUDGE_KEY"),
        ("run", "--base-url", "http://x/v1", "--api-key-env", "NO_SUCH_VARIABLE"),
    ],
)
def test_what_does_not_go_together_is_refused(asking: Cli, wrong: tuple[str, ...]) -> None:
    assert asking.run("reviews", *wrong, *(RUN if wrong[0] == "run" else ())) == 2
    assert "key-canary-1" not in asking.err


def test_an_answer_of_no_question_of_the_run_s_set_is_refused(asking: Cli) -> None:
    header = {"format": "evenhand.golden/1", "identifier": "s", "name": "S", "description": ""}
    question = {"id": "q1", "question": "?", "form": "match", "expected_document_ids": ["d1"]}
    Path("set.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(question)}\n")
    run = ("--publication-key", "k", "--set", "set.jsonl")
    assert asking.run("reviews", "submit", "cases.jsonl", "--subject", "p", *run) == 2
    assert "case_id: must be the id of a question of the set" in asking.err


def test_without_a_hub_nothing_is_read(cli: Cli) -> None:
    Path("cases.jsonl").write_text("no case", encoding="utf-8")
    assert cli.run("reviews", "run", *RUN) == 2
    assert "EVENHAND_HUB_URL" in cli.err
