"""Only ``evenhand gate --holdout`` asks what a set holds out, and each reading is counted."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import a_question, a_set
from tests.cli.typed import Cli, declared, write_module, write_set

ASKED = [f"q{number}" for number in range(30)]
HELD = [f"held-{number}" for number in range(30)]

#: Notes each question that it is asked; finds the target unless the file ``worse`` is there.
MODULE = """
from pathlib import Path

def find(question, limit):
    with Path("heard.txt").open("a") as stream:
        stream.write(question + "\\n")
    return ["x"] if Path("worse").exists() else ["d"]

def other(question, limit):
    return find(question, limit)
"""


@pytest.fixture
def project(cli: Cli) -> Cli:
    write_module(MODULE)
    write_set(
        "set.jsonl",
        a_set(
            *(a_question(one, "d") for one in ASKED),
            holdout=[a_question(one, "d", critical=True) for one in HELD],
        ),
    )
    return cli


def heard() -> set[str]:
    """What retrievers were asked since the last look."""
    path = Path("heard.txt")
    found = set(path.read_text().split()) if path.exists() else set()
    path.unlink(missing_ok=True)
    return found


def gate(cli: Cli, *arguments: str, model: str = "m") -> int:
    return cli.run("gate", "set.jsonl", "search:find", *declared(model=model), *arguments)


def show(cli: Cli) -> Any:
    return cli.json("sets", "show", "set.jsonl")["holdout"]


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("run", "set.jsonl", "search:find", "--warmup", "99"), 0),
        (("run", "set.jsonl", "search:find", "--repeat", "2", "--no-save"), 0),
        (("ab", "set.jsonl", "search:find", "search:other", "--corpus", "c"), 3),
        (("gate", "set.jsonl", "search:find"), 3),
        (("gate", "set.jsonl", "search:find", "--allow-first", *declared()), 0),
    ],
)
def test_no_other_command_asks_them_and_it_says_how_many_are_left_out(
    project: Cli, command: tuple[str, ...], code: int
) -> None:
    assert project.run(*command) == code, project.err
    assert heard() == set(ASKED)
    assert "30 questions held out and not asked" in project.err


def test_neither_does_an_imported_set(project: Cli) -> None:
    assert project.run("sets", "import", "set.jsonl") == 0
    assert "30 questions and 30 held out" in project.out
    assert project.run("run", "tiny", "search:find") == 0
    assert heard() == set(ASKED)
    assert project.run("sets", "list") == 0
    assert "tiny  30 questions and 30 held out" in project.out


def test_holdout_asks_them_and_no_others(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first") == 0
    assert heard() == set(HELD)
    assert project.stored()[0]["set"] == "tiny.holdout"


def test_each_reading_is_counted_whatever_came_of_it(project: Cli) -> None:
    assert show(project)["decisions"]["holdout"] == 0
    assert gate(project, "--holdout") == 3
    assert "read 1 time so far" in project.out
    assert project.run("gate", "set.jsonl", "search:find", "--holdout") == 3
    assert gate(project, "--holdout", "--allow-first") == 0
    assert project.run("baseline", "set", "latest") == 0
    assert gate(project, "--holdout", model="m2") == 0
    assert "read 4 times so far" in project.out
    assert show(project)["decisions"]["holdout"] == 4
    assert project.json("sets", "show", "set.jsonl")["decisions"]["total"] == 0
    project.run("sets", "show", "set.jsonl")
    assert "read 4 times in this database" in project.out


def test_its_result_is_never_compared_with_that_of_the_other_part(project: Cli) -> None:
    assert project.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert project.run("baseline", "set", "latest") == 0
    assert project.run("baseline", "export", "baseline.json") == 0
    assert gate(project, "--holdout", "--baseline", "baseline.json") == 3
    assert "Incomparable" in project.out
    newest, older = (one["id"] for one in project.stored())
    assert project.run("compare", older, newest) == 3


def test_no_question_of_it_is_named(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first") == 0
    assert project.run("baseline", "set", "latest") == 0
    Path("worse").touch()
    files = ("--report", "r.html", "--markdown", "r.md", "--junit", "r.xml", "-v")
    assert gate(project, "--holdout", *files, model="m2") == 1
    assert "critical" in project.out
    texts = [project.out, *(Path(name).read_text() for name in files[1:6:2])]
    assert project.run("gate", "set.jsonl", "search:find", *declared(), "--holdout", "--json") == 1
    texts.append(project.out)
    assert json.loads(project.out)["holdout_readings"] == 3
    assert not [text for text in texts if "held-" in text]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("--no-save",), "each reading is counted"),
        ((), "no question of this golden set is held out"),
    ],
)
def test_it_is_refused_before_any_question(
    project: Cli, arguments: tuple[str, ...], rule: str
) -> None:
    if not arguments:
        write_set("set.jsonl", a_set(*(a_question(one, "d") for one in ASKED)))
    assert gate(project, "--holdout", *arguments) == 2
    assert rule in project.err
    assert heard() == set()


def test_sets_show_and_export_keep_them_apart(project: Cli) -> None:
    assert project.run("sets", "show", "set.jsonl", "--questions") == 0
    assert "30 more questions, asked only by evenhand gate --holdout" in project.out
    assert "held-1" not in project.out
    assert project.run("sets", "export", "set.jsonl", "again.yaml") == 0
    assert "30 questions and 30 held out" in project.err
    assert project.json("sets", "show", "again.yaml")["holdout"] == show(project)


def test_its_results_keep_outcomes_and_no_ranking(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first", "--privacy", "full") == 0
    assert project.stored()[0]["privacy"] == "metadata"
    assert project.run("baseline", "set", "latest") == 0
    assert gate(project, "--holdout", "--allow-first", "--privacy", "none") == 0
    assert project.stored()[0]["privacy"] == "none"
    assert not [file for file in Path(".evenhand").iterdir() if b"held-" in file.read_bytes()]
