"""``evenhand admin practice`` as a user types it."""

from pathlib import Path

import pytest

from tests.cli.typed import Cli

PRACTICE = ("admin", "practice")


@pytest.fixture
def terminal(cli: Cli) -> Cli:
    """A project, and a file of criteria."""
    assert cli.run("admin", "project", "create", "shop") == 0
    Path("grounded.md").write_text("Every claim is in a passage.\n", encoding="utf-8")
    return cli


def write(terminal: Cli, title: str = "Grounded") -> list[dict[str, object]]:
    words = (*PRACTICE, "write", "shop/grounded", "grounded.md", "--title", title)
    found: list[dict[str, object]] = terminal.json(*words)
    return found


def test_criteria_are_written_down_once_and_listed(terminal: Cli) -> None:
    made = terminal.json(*PRACTICE, "create", "grounded", "--project", "shop")
    (first,) = write(terminal)
    assert (first["number"], first["text"]) == (1, "Every claim is in a passage.")
    assert write(terminal) == [first]
    assert "nothing was changed" in terminal.err
    (second,) = write(terminal, "Grounded in passages")
    listed = terminal.json(*PRACTICE, "revisions", made["id"])
    assert listed == [second, first]
    assert terminal.run(*PRACTICE, "revisions", "shop/grounded") == 0
    assert "grounded revision 2  rag.answer  Grounded in passages" in terminal.out
    assert [one["name"] for one in terminal.json(*PRACTICE, "list")] == ["grounded"]


def test_a_practice_out_of_use_takes_no_new_words(terminal: Cli) -> None:
    terminal.json(*PRACTICE, "create", "grounded", "--project", "shop")
    write(terminal)
    assert terminal.run(*PRACTICE, "set", "shop/grounded", "--inactive") == 0
    words = (*PRACTICE, "write", "shop/grounded", "grounded.md", "--title", "New")
    assert terminal.run(*words) == 2
    assert "inactive_practice" in terminal.err
    Path("grounded.md").write_bytes(b"\xff")
    assert terminal.run(*words) == 2
    assert "must be text in UTF-8" in terminal.err
