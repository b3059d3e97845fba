"""Graded measures as they are typed: stored with a run, computed later, and compared."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from tests.builders import a_question, a_set
from tests.cli.typed import Cli, declared, write_search, write_set

QUESTIONS = 24


def graded_set(first: int = 2) -> GoldenSet:
    """A good and a best document for each question, a bad one, and one without an answer."""
    return a_set(
        *(
            GoldenQuestion(
                id=f"q{number:02}",
                question=f"q{number:02}",
                form="match",
                expected_document_ids=["best", "good"],
                grades=[("best", 2 if number else first), ("good", 1), ("bad", 0)],
            )
            for number in range(QUESTIONS)
        ),
        a_question("z"),
    )


def answers(best_first: int) -> dict[str, list[str]]:
    """The best document first for so many questions, behind the good one for the others."""
    return {
        f"q{number:02}": ["best", "good"]
        if number < best_first
        else ["good", *["bad"] * (number % 3 == 0), "best"]
        for number in range(QUESTIONS)
    }


def write_two() -> tuple[str, str, str]:
    """A set, a retriever that ranks worse, and one that ranks better."""
    return (
        write_set("set.jsonl", graded_set()),
        write_search(answers(0), "worse"),
        write_search(answers(QUESTIONS), "better"),
    )


def test_ab_decides_by_a_graded_measure_where_hits_see_nothing(cli: Cli) -> None:
    document = cli.json("ab", *write_two(), "--measure", "nDCG@10", *declared(), "-q")
    assert (document["primary"], document["conclusion"]) == ("nDCG@10", "better")
    decided, *others = document["differences"]
    assert (decided["measure"], decided["role"], decided["questions"]) == (
        "nDCG@10",
        "primary",
        QUESTIONS,
    )
    assert decided["test"]["method"] == "randomisation"
    assert decided["interval"]["low"] > 0
    assert {one["role"] for one in others} == {"descriptive"}
    assert [one["delta"] for one in others] == [0] * len(others)


@pytest.mark.parametrize(("better", "refused"), [(19, "too_few_differences"), (22, None)])
def test_an_interval_needs_twenty_differences(cli: Cli, better: int, refused: str | None) -> None:
    golden_set, worse, _ = write_two()
    best = write_search(answers(better), "better")
    document = cli.json("ab", golden_set, worse, best, "--measure", "nDCG@10", *declared(), "-q")
    assert document["differences"][0]["interval"]["refused"] == refused


def test_ab_stores_the_graded_values_of_both_results(cli: Cli) -> None:
    document = cli.json("ab", *write_two(), "--measure", "nDCG@10", *declared(), "-q")
    means = [
        cli.json("evaluations", "show", document[side]["evaluation_id"])["graded"][0]["mean"]
        for side in ("current", "candidate")
    ]
    assert means[0] < means[1] == 1.0


def test_stored_results_are_compared_by_a_graded_measure_on_every_surface(cli: Cli) -> None:
    golden_set, worse, better = write_two()
    for retriever in (worse, better):
        cli.json("run", golden_set, retriever, *declared(), "-q")
    first, second = (one["id"] for one in reversed(cli.stored()))
    reports = ("--report", "a.html", "--markdown", "a.md")
    assert cli.run("compare", first, second, "--measure", "nDCG@10", *reports, "-q") == 0
    for text in (cli.out, Path("a.md").read_text(), Path("a.html").read_text()):
        assert "nDCG@10" in text
        assert "NDCG@10" not in text
    assert cli.json("compare", first, second, "--measure", "MAP", "-q")["primary"] == "AP"


def test_run_files_are_compared_by_a_graded_measure(cli: Cli) -> None:
    write_set("set.jsonl", graded_set())
    for name, best_first in (("a.run", 0), ("b.run", QUESTIONS)):
        Path(name).write_text(
            "".join(
                f"{query} Q0 {document} {rank} {-rank} t\n"
                for query, documents in answers(best_first).items()
                for rank, document in enumerate(documents, 1)
            )
        )
    typed = ("a.run", "b.run", "--qrels", "set.jsonl", "--measure", "nDCG@10", "-q")
    assert cli.json("compare", *typed, "--corpus", "c")["conclusion"] == "better"
    unknown = cli.json("compare", *typed, code=3)
    assert unknown["verdict"]["state"] == "unknown"
    assert "--measure nDCG@10" in unknown["fair_answer"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("NumRet", "is a count"), ("nDCGG@10", "nDCG"), ("false abstentions", "measure")],
)
def test_a_measure_that_cannot_be_compared_is_refused(cli: Cli, name: str, message: str) -> None:
    golden_set, worse, better = write_two()
    assert cli.run("ab", golden_set, worse, better, "--measure", name) == 2
    assert message in cli.err
    assert cli.stored() == []


def run_graded(cli: Cli, *options: str) -> Any:
    golden_set, worse, _ = write_two()
    return cli.json("run", golden_set, worse, *declared(), "-q", *options)


def test_run_shows_and_stores_graded_values_with_what_they_cover(cli: Cli) -> None:
    document = run_graded(cli, "-m", "nDCG@10", "-m", "P@1")
    ndcg, precision = document["graded"]
    assert (ndcg["measure"], ndcg["questions"], ndcg["failed"]) == ("nDCG@10", QUESTIONS, 0)
    assert (precision["measure"], precision["mean"]) == ("P@1", 1.0)
    assert ndcg["qrels_digest"] == graded_set().qrels_digest
    assert ndcg["benchmark"] != precision["benchmark"] is not None
    assert cli.json("evaluations", "show", "latest")["graded"] == sorted(
        document["graded"], key=lambda one: str(one["measure"])
    )
    assert cli.run("evaluations", "show", "latest") == 0
    assert f"nDCG@10  {ndcg['mean']:.3f}" in cli.out


def test_the_command_that_runs_again_asks_for_the_measures_again(cli: Cli) -> None:
    golden_set, worse, _ = write_two()
    assert cli.run("run", golden_set, worse, *declared(), "-q", "-m", "nDCG@10") == 0
    assert "-m nDCG@10" in " ".join(cli.out.split())


def test_run_without_saving_shows_graded_values_too(cli: Cli) -> None:
    document = run_graded(cli, "-m", "AP", "--no-save")
    assert [one["measure"] for one in document["graded"]] == ["AP"]
    assert cli.stored() == []


@pytest.mark.parametrize("level", ["metadata", "redacted", "full"])
def test_rescore_adds_values_from_what_was_kept_at_any_level(cli: Cli, level: str) -> None:
    whole = run_graded(cli, "-m", "nDCG@10", "--privacy", level)
    Path("set.jsonl").unlink()
    document = cli.json("evaluations", "rescore", "latest", "-m", "nDCG@10", "-m", "AP(rel=2)")
    assert [one["measure"] for one in document["graded"]] == ["nDCG@10", "AP(rel=2)"]
    assert document["graded"][0] == whole["graded"][0]
    assert document["added"] == 1
    again = cli.json("evaluations", "rescore", "latest", "-m", "AP(rel=2)")
    assert (again["added"], again["graded"]) == (0, document["graded"][1:])


def test_rescore_gives_what_a_run_would_have_stored(cli: Cli) -> None:
    fresh = run_graded(cli, "-m", "ERR@10", "-m", "bpref", "--no-save")
    run_graded(cli)
    later = cli.json("evaluations", "rescore", "latest", "-m", "ERR@10", "-m", "bpref")

    def told(document: Any) -> list[Any]:
        return [(one["measure"], one["mean"], one["benchmark"]) for one in document["graded"]]

    assert told(later) == told(fresh)


def test_rescore_refuses_what_was_stored_without_outcomes(cli: Cli) -> None:
    run_graded(cli, "--privacy", "none")
    assert cli.run("evaluations", "rescore", "latest", "-m", "AP") == 2
    assert "privacy level none" in cli.err
    assert "[grades_unknown]" in cli.err


def test_rescore_needs_a_measure(cli: Cli) -> None:
    run_graded(cli)
    assert cli.run("evaluations", "rescore", "latest") == 2
    assert "-m" in cli.err


def test_a_graded_set_survives_import_and_export(cli: Cli) -> None:
    write_set("set.jsonl", graded_set())
    assert cli.run("sets", "import", "set.jsonl", "-q") == 0
    assert cli.run("sets", "export", "tiny", "again.yaml", "-q") == 0
    assert cli.run("sets", "import", "again.yaml", "-q") == 0
    assert cli.run("sets", "export", "tiny", "again.jsonl", "-q") == 0
    assert Path("again.jsonl").read_bytes() == Path("set.jsonl").read_bytes()
    first = json.loads(Path("set.jsonl").read_text().splitlines()[1])
    assert first["grades"][0] == {"id": "bad", "grade": 0}
