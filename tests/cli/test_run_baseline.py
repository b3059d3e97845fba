"""``evenhand run`` compares with the pinned baseline, too, and looks at the rankings themselves."""

import json
from pathlib import Path

import pytest

from tests.builders import a_question, a_set
from tests.cli.typed import Cli, declared, write_search, write_set

QUESTIONS = 40


@pytest.fixture
def project(cli: Cli) -> Cli:
    """A project whose pinned baseline hits 30 of 40 questions."""
    write_set("set.jsonl", a_set(*(a_question(f"q{n}", f"d{n}") for n in range(QUESTIONS))))
    run(cli, hits=30)
    assert cli.run("baseline", "set", "latest") == 0
    return cli


def run(cli: Cli, *arguments: str, hits: int, **labels: str) -> None:
    write_search({f"q{n}": [f"d{n}" if n < hits else "x"] for n in range(QUESTIONS)})
    assert cli.run("run", "set.jsonl", "search:find", *declared(**labels), *arguments) == 0


def test_without_a_baseline_nothing_is_said_of_one(cli: Cli) -> None:
    write_set("set.jsonl")
    write_search()
    found = cli.json("run", "set.jsonl", "search:find", *declared())
    assert found["baseline"] is None
    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert "baseline" not in cli.out


def test_the_previous_run_and_the_baseline_are_two_comparisons(project: Cli) -> None:
    run(project, hits=10, model="m2")
    run(project, "--report", "page.html", hits=12, model="m3")
    assert "Against the pinned baseline of" in project.out
    assert "from 0.250 (10 of 40)" in project.out  # pooled, against the previous run
    assert "Success@1 from 0.750 (30 of 40) to 0.300 (12 of 40)" in project.out
    assert "won 0, lost 18" in project.out
    page = Path("page.html").read_text()
    assert "Against the pinned baseline of" in page
    assert "Earlier results" in page


def test_the_document_has_both(project: Cli) -> None:
    run(project, hits=30)
    run(project, "--json", hits=20, model="m2")
    found = json.loads(project.out)
    against = found["baseline"]
    assert found["previous"]["id"] != against["evaluation_id"]
    assert (against["measure"], against["conclusion"], against["delta"]) == (
        "Success@1",
        "worse",
        -0.25,
    )
    assert against["low"] < -0.25 < against["high"] < 0


def test_without_comparable_there_is_no_number_against_the_baseline(project: Cli) -> None:
    run(project, "--json", hits=10, corpus="other")
    against = json.loads(project.out)["baseline"]
    assert against["verdict"]["state"] == "mismatch"
    assert [against[one] for one in ("conclusion", "delta", "low", "high")] == [None] * 4
    run(project, hits=10, corpus="other")
    assert "Against the pinned baseline" in project.out
    assert "Mismatch" in project.out
    assert "from 0.750" not in project.out


def test_the_baseline_decides_no_exit_code_of_a_run(project: Cli) -> None:
    run(project, hits=5, model="m2")
    run(project, "--fail-on-regression", hits=5, model="m2")


def test_other_rankings_under_equal_labels_are_told(project: Cli) -> None:
    run(project, hits=30)
    assert "ranked otherwise" not in " ".join(project.out.split())
    run(project, hits=20)
    said = " ".join(project.out.split())
    assert (
        "This result and the previous one declare the same of everything, and 10 of 40 questions "
        "were ranked otherwise" in said
    )
    run(project, hits=10, model="m2")
    assert "ranked otherwise" not in " ".join(project.out.split())
    run(project, "--privacy", "metadata", hits=15, model="m2")
    assert "ranked otherwise" in " ".join(project.out.split())


def test_a_previous_result_without_rankings_shows_of_how_many_at_least(project: Cli) -> None:
    run(project, "--privacy", "metadata", hits=15, model="m2")
    run(project, "--json", hits=10, model="m2")
    assert json.loads(project.out)["checks"] == [
        {
            "code": "same_fingerprints_other_rankings",
            "questions": 5,
            "looked_at": 40,
            "at_least": True,
        }
    ]
    run(project, "--privacy", "none", hits=15, model="m2")
    run(project, hits=5, model="m2")
    assert "ranked otherwise" not in " ".join(project.out.split())
