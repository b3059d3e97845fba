"""What a user sees of a retriever that returns, or ends with, something wrong."""

from pathlib import Path

import pytest

from tests.cli.typed import Cli, write_module, write_set

CANARY = "faults-canary-51"
RULE = "a retriever must return a list of document ids, not set"
TOLD = f"the question at position 1 failed (invalid_ranking: {RULE})"


def write_wrong() -> None:
    write_module(
        f"def find(question, limit):\n    return {{'{CANARY}'}} if question == 'q2' else ['d1']\n"
    )


def test_a_wrong_result_is_told_beside_the_code_that_every_report_shows(cli: Cli) -> None:
    write_wrong()
    run = ("run", write_set(), "search:find", "--max-failed-share", "1")

    document = cli.json(*run, "--report", "page.html")

    assert [one["error_class"] for one in document["failed_questions"]] == ["invalid_ranking"]
    assert cli.err.count(f"warning: search:find: {TOLD}") == 1
    assert "invalid_ranking" in Path("page.html").read_text("utf-8")
    assert cli.run(*run) == 0
    assert "invalid_ranking" in cli.out
    assert CANARY not in cli.out + cli.err + Path("page.html").read_text("utf-8")


def test_quiet_keeps_the_warning_to_itself(cli: Cli) -> None:
    write_wrong()

    assert cli.run("run", write_set(), "search:find", "--max-failed-share", "1", "-q") == 0
    assert cli.err == ""


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_a_run_without_a_result_says_what_came_back(cli: Cli, strict: tuple[str, ...]) -> None:
    write_module(f"def find(question, limit):\n    return {{'{CANARY}'}}\n")

    assert cli.run("run", write_set(), "search:find", *strict) == 5
    assert "the question at position " in cli.err
    assert RULE in cli.err
    assert CANARY not in cli.err
    assert cli.stored() == []


@pytest.mark.parametrize("error", ["SystemExit(3)", "OSError('x')"])
def test_a_retriever_that_cannot_close_keeps_its_result(cli: Cli, error: str) -> None:
    write_module(
        "class Search:\n"
        "    identifier = 'untidy'\n"
        "    def retrieve(self, question, limit):\n"
        "        return []\n"
        "    def close(self):\n"
        f"        raise {error}\n"
    )

    assert cli.run("run", write_set(), "search:Search") == 0
    assert f"warning: closing the retriever raised {error.partition('(')[0]}" in cli.err
    assert len(cli.stored()) == 1
