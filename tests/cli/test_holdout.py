"""Only ``evenhand gate --holdout`` asks what a set holds out, and each reading is counted."""

import hashlib
import json
import re
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


def test_a_policy_that_names_single_questions_is_refused_with_holdout(project: Cli) -> None:
    digest = hashlib.sha256(b"held-1").hexdigest()
    Path("gate.toml").write_text(
        f'format = "evenhand.gate-policy/1"\n[critical]\nquestions = ["{digest}"]\n'
    )
    assert gate(project, "--holdout", "--allow-first") == 2
    assert "critical.questions: with --holdout no single question may be named" in project.err
    assert heard() == set()
    assert gate(project, "--allow-first") == 0
    Path("marked.toml").write_text(
        'format = "evenhand.gate-policy/1"\n[critical]\nmarked = true\n'
    )
    assert gate(project, "--holdout", "--allow-first", "--policy", "marked.toml") == 0


def test_other_rankings_of_it_under_equal_labels_are_told_as_a_count(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first") == 0
    assert project.run("baseline", "set", "latest") == 0
    Path("worse").touch()
    assert gate(project, "--holdout") == 1
    assert "at least 30 of 30 questions were ranked otherwise" in " ".join(project.out.split())


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


def worse(cli: Cli) -> tuple[str, str]:
    """Two results of the part, of which the later one misses every question; their ids."""
    assert gate(cli, "--holdout", "--allow-first") == 0
    Path("worse").touch()
    assert gate(cli, "--holdout", "--allow-first", model="m2") == 0
    newest, older = (one["id"] for one in cli.stored())
    return older, newest


def test_no_report_shows_it_question_by_question(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first") == 0
    assert project.run("baseline", "set", "latest") == 0
    Path("worse").touch()
    files = ("--report", "r.html", "--markdown", "r.md", "--junit", "r.xml", "-v")
    assert gate(project, "--holdout", *files, model="m2") == 1
    texts = [project.out, project.err, *(Path(name).read_text() for name in files[1:6:2])]
    assert not [text for text in texts if re.search(r"position \d", text)]
    assert "its questions are counted, and none of them is shown" in project.out
    arguments = ("set.jsonl", "search:find", *declared(), "--holdout")
    compared = project.json("gate", *arguments, code=1)["comparison"]
    assert (compared["flips"], compared["splits"]) == (None, None)
    assert compared["differences"][0]["losses"] == 30
    assert compared["candidate"]["counts"]["top1_hits"] == 0


def test_neither_does_a_look_at_two_stored_results(
    project: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    pair = worse(project)
    Path("summary.md").write_text("")
    files = ("--report", "r.html", "--markdown", "r.md", "-v", "--set", "set.jsonl")
    assert project.run("compare", *pair, *files) == 0
    texts = [project.out, project.err]
    texts += [Path(name).read_text() for name in ("r.html", "r.md", "summary.md")]
    assert not [text for text in texts if re.search(r"position \d|held-", text)]
    assert "Worse" in project.out
    document = project.json("compare", *pair)
    assert (document["flips"], document["splits"]) == (None, None)
    assert document["differences"][0]["losses"] == 30


def test_each_comparison_of_its_results_is_a_reading_and_told(project: Cli) -> None:
    pair = worse(project)
    assert show(project)["decisions"] == {"total": 2, "compare": 0, "ab": 0, "gate": 0} | {
        "holdout": 2
    }
    assert project.run("compare", *pair) == 0
    assert "This holdout part was read 3 times so far" in project.out
    assert project.run("compare", *pair) == 0
    assert "read 4 times so far" in project.out
    assert show(project)["decisions"]["holdout"] == 4
    assert show(project)["decisions"]["compare"] == 0


def test_so_is_one_with_a_baseline_file(project: Cli) -> None:
    older, newest = worse(project)
    assert project.run("baseline", "set", older) == 0
    assert project.run("baseline", "export", "held.json") == 0
    assert "keep it from those who tune" in project.err
    assert project.run("compare", "held.json", newest) == 0
    assert show(project)["decisions"]["holdout"] == 3
    assert project.run("compare", "held.json", older) == 0
    assert show(project)["decisions"]["holdout"] == 4


def test_what_cannot_be_compared_shows_nothing_and_is_no_reading(project: Cli) -> None:
    assert gate(project, "--holdout", "--allow-first") == 0
    assert project.run("run", "set.jsonl", "search:find", *declared()) == 0
    newest, older = (one["id"] for one in project.stored())
    assert project.run("compare", older, newest) == 3
    assert show(project)["decisions"]["holdout"] == 1


def test_a_new_measure_of_its_result_is_a_reading_and_an_old_one_is_none(project: Cli) -> None:
    worse(project)
    assert project.run("evaluations", "rescore", "latest", "-m", "nDCG@10") == 0
    assert "read 3 times so far" in project.err
    assert project.run("evaluations", "rescore", "latest", "-m", "nDCG@10") == 0
    assert "times so far" not in project.err
    assert show(project)["decisions"]["holdout"] == 3


def test_a_stored_result_is_shown_in_sums(project: Cli) -> None:
    _, newest = worse(project)
    assert project.run("evaluations", "show", newest, "-v", "--set", "set.jsonl") == 0
    assert not re.search(r"position \d|held-", project.out)
    assert "none of them is shown" in project.out
    document = project.json("evaluations", "show", newest)
    assert document["failed_questions"] is None
    assert document["counts"]["answerable"] == 30


@pytest.mark.parametrize("file", ["out.json", "out.parquet"])
def test_an_export_holds_its_counts_and_no_outcome(project: Cli, file: str) -> None:
    _, newest = worse(project)
    assert project.run("evaluations", "export", newest, file) == 0
    assert "counts are exported, and no outcomes" in project.err
    if file.endswith(".json"):
        written = json.loads(Path(file).read_text())
        assert (written["outcomes"], written["run"], written["details"]) == (None, None, None)
        assert written["evaluation"]["counts"]["answerable"] == 30
    assert project.run("evaluations", "purge", "--yes", "--older-than", "1") == 0
    # The file is one that can be read: its own id is what refuses it.
    assert project.run("evaluations", "import", file) != 0
    assert "is stored already" in project.err


def test_a_failed_question_of_it_is_not_named(project: Cli) -> None:
    write_module("def find(question, limit):\n    return [1] if question == 'held-3' else ['d']\n")
    assert gate(project, "--holdout", "--allow-first", "--report", "r.html", "-v") == 0
    assert "warning: search:find: a question failed (" in project.err
    assert gate(project, "--holdout", "--allow-first", "--strict") == 5
    assert "a question failed (" in project.err
    texts = (project.out, project.err, Path("r.html").read_text())
    assert not [text for text in texts if re.search(r"position \d", text)]


def test_no_file_takes_the_name_of_such_a_part(project: Cli) -> None:
    held = [a_question(one, "d") for one in HELD]
    write_set("held.jsonl", a_set(*held))
    text = Path("held.jsonl").read_text().replace('"tiny"', '"tiny.holdout"')
    Path("held.jsonl").write_text(text)
    assert project.run("run", "held.jsonl", "search:find", *declared()) == 2
    assert "identifier must not end in .holdout" in project.err
    assert heard() == set()


def test_no_module_gives_such_a_part_to_be_asked(project: Cli) -> None:
    write_module(
        "from evenhand.adapters.formats.sets import read_golden_set\n"
        "from pathlib import Path\n"
        "part = read_golden_set(Path('set.jsonl')).golden_set.holdout_part\n",
        "sets_of_ours",
    )
    assert project.run("run", "sets_of_ours:part", "search:find") == 2
    assert "only evenhand gate SET RETRIEVER --holdout asks" in project.err
    assert heard() == set()


def test_what_a_run_file_lacks_of_it_is_counted(project: Cli) -> None:
    Path("old.run").write_text("held-0 Q0 d 1 1.0 t\nforeign Q0 d 1 1.0 t\n")
    command = ("gate", "set.jsonl", "old.run", "--holdout", "--allow-first", "--corpus", "c")
    assert project.run(*command, "--report", "r.html") == 0, project.err
    page = Path("r.html").read_text()
    assert "29 of 30 questions are absent from the run file" in page
    assert not re.search("held-|foreign", page + project.out + project.err)
