"""``evenhand compare`` as a user types it."""

from pathlib import Path

import pytest

from evenhand.cli.exits import Exit
from tests.builders import a_question, a_set
from tests.cli.pairs import CANDIDATE, CURRENT, write_pair
from tests.cli.typed import Cli, write_set


def run_both(cli: Cli) -> str:
    """Both retrievers, run and stored; gives the set's name."""
    name = write_pair()
    for retriever in ("old", "new"):
        assert cli.run("run", name, retriever, "-q") == Exit.PASS
    return name


@pytest.mark.parametrize(("current", "candidate"), [("old", "new"), ("old", "latest")], ids=str)
def test_stored_results_are_compared_by_name_and_word(
    cli: Cli, current: str, candidate: str
) -> None:
    run_both(cli)
    document = cli.json("compare", current, candidate, "-q")
    assert (document["conclusion"], document["differences"][0]["delta"]) == ("better", 13 / 40)
    assert document["current"]["retriever"] == "old"
    assert document["set_uses"] == 1


def test_ids_and_the_previous_run(cli: Cli) -> None:
    name = run_both(cli)
    assert cli.run("run", name, "new", "-q") == Exit.PASS
    newest, second, _ = (row["id"] for row in cli.stored())
    document = cli.json("compare", "previous", newest, "-q")
    assert document["current"]["evaluation_id"] == second
    assert document["conclusion"] == "inconclusive"
    assert document["treatment_changed"] is False


def test_a_set_that_is_named_gives_the_names_of_questions(cli: Cli) -> None:
    name = run_both(cli)
    moved = str(Path(name).rename("moved.jsonl"))
    assert cli.run("compare", "old", "new", "-q") == Exit.PASS
    assert "position 3" in cli.out
    assert cli.run("compare", "old", "new", "-q", "--set", moved) == Exit.PASS
    assert "q03" in cli.out
    assert cli.run("compare", "old", "new", "-q", "--set", "forty") == Exit.PASS


def test_the_baseline_in_the_store_and_in_a_file(cli: Cli) -> None:
    run_both(cli)
    assert cli.run("baseline", "set", "old", "-q") in (Exit.PASS, Exit.USAGE)
    oldest = cli.stored()[-1]["id"]
    assert cli.run("baseline", "set", oldest, "-q") == Exit.PASS
    assert cli.run("baseline", "export", "base.json", "-q") == Exit.PASS
    for operand in ("baseline", "base.json"):
        document = cli.json("compare", operand, "new", "-q")
        assert document["current"]["is_baseline"]
        assert document["conclusion"] == "better"


def write_runs() -> tuple[str, str]:
    """Two TREC run files for the forty questions."""
    for run, missed in (("one.run", 3), ("two.run", 40)):
        lines = (
            f"q{number:02} Q0 {'x' if number % missed == 0 else f'd{number:02}'} 1 1.0 tag\n"
            for number in range(40)
        )
        Path(run).write_text("".join(lines))
    return "one.run", "two.run"


def test_two_run_files_with_judgements_and_a_corpus(cli: Cli, folder: Path) -> None:
    name, runs = write_pair(), write_runs()
    (folder / ".evenhand" / "evenhand.db").unlink()
    command = ("compare", *runs, "--qrels", name, "--corpus", "corpus-1", "-q")
    document = cli.json(*command)
    assert (document["conclusion"], document["current"]["basis"]) == ("better", "imported")
    assert document["latency"]["refused"] == "not_local"
    assert document["current"]["provenance"]["modelRevision"].startswith("imported:")
    assert list((folder / ".evenhand").iterdir()) == []


def test_run_files_without_a_corpus_are_unknown_and_the_flag_is_printed(cli: Cli) -> None:
    name, runs = write_pair(), write_runs()
    code = cli.run("compare", *runs, "--qrels", name, "-q")
    assert code == Exit.NOT_COMPARABLE
    assert "Unknown" in cli.out
    assert f"evenhand compare one.run two.run --qrels {name} --corpus LABEL" in cli.out


def test_a_run_file_against_a_stored_result_on_the_same_corpus(cli: Cli) -> None:
    name, runs = run_both(cli), write_runs()
    document = cli.json("compare", "old", runs[1], "--qrels", name, "--corpus", "corpus-1", "-q")
    assert document["conclusion"] == "better"


def test_a_run_file_needs_judgements(cli: Cli) -> None:
    write_pair()
    assert cli.run("compare", *write_runs()) == Exit.USAGE
    assert "--qrels" in cli.err


def test_what_cannot_be_compared_exits_3_without_a_number(cli: Cli) -> None:
    run_both(cli)
    name = write_pair(old=CURRENT, new=CANDIDATE | {"corpus": "corpus-2"})
    assert cli.run("run", name, "new", "-q") == Exit.PASS
    assert cli.run("compare", "old", "new", "-q", "--set", name) == Exit.NOT_COMPARABLE
    assert "Success@1" not in cli.out
    assert cli.out.rstrip().endswith(f"evenhand ab {name} old new")


@pytest.mark.parametrize(
    "operands", [("new", "nothing"), ("previous", "baseline"), ("new", "new")], ids=str
)
def test_operands_that_name_nothing_are_usage(cli: Cli, operands: tuple[str, str]) -> None:
    run_both(cli)
    assert cli.run("compare", *operands) == Exit.USAGE


def test_looking_again_is_no_further_decision(cli: Cli) -> None:
    run_both(cli)
    uses = [cli.json("compare", "old", "new", "-q")["set_uses"] for _ in range(2)]
    assert uses == [1, 1]


def test_results_without_outcomes_are_comparable_and_decide_nothing(cli: Cli) -> None:
    name = write_pair()
    for retriever in ("old", "new"):
        assert cli.run("run", name, retriever, "-q", "--privacy", "none") == Exit.PASS
    document = cli.json("compare", "old", "new", "-q", code=Exit.INCONCLUSIVE)
    assert (document["verdict"]["state"], document["differences"]) == ("comparable", None)
    assert cli.run("compare", "old", "new", "-q") == Exit.INCONCLUSIVE
    assert "keep no outcomes at this privacy level" in " ".join(cli.out.split())


def test_the_advised_command_names_the_set_as_it_was_typed_and_runs(cli: Cli) -> None:
    run_both(cli)
    name = write_pair(old=CURRENT, new=CANDIDATE | {"corpus": "corpus-2"})
    assert cli.run("run", name, "new", "-q") == Exit.PASS
    assert cli.run("compare", "old", "new", "-q") == Exit.NOT_COMPARABLE
    advised = cli.out.rstrip().splitlines()[-1].strip()
    assert advised == f"evenhand ab {name} old new"
    write_pair()
    assert cli.run(*advised.split()[1:], "-q") == Exit.PASS


def test_questions_are_named_where_the_set_still_lies_where_it_was(cli: Cli) -> None:
    name = run_both(cli)
    assert cli.run("compare", "old", "new", "-q") == Exit.PASS
    assert "q03" in cli.out
    Path(name).unlink()
    assert cli.run("compare", "old", "new", "-q") == Exit.PASS
    assert "q03" not in cli.out


def test_a_set_that_is_nowhere_has_a_word_that_stands_for_it(cli: Cli) -> None:
    name = run_both(cli)
    write_pair(old=CURRENT, new=CANDIDATE | {"corpus": "corpus-2"})
    assert cli.run("run", name, "new", "-q") == Exit.PASS
    Path(name).unlink()
    assert cli.run("compare", "old", "new", "-q") == Exit.NOT_COMPARABLE
    assert cli.out.rstrip().endswith("evenhand ab SET old new")


def test_one_and_the_same_file_is_not_compared_with_itself(cli: Cli) -> None:
    name, runs = write_pair(), write_runs()
    command = ("--qrels", name, "--corpus", "corpus-1", "-q")
    assert cli.run("compare", runs[0], f"./{runs[0]}", *command) == Exit.USAGE
    assert "operands: both name the same file" in cli.err
    run_both(cli)
    assert cli.run("baseline", "set", "latest") == Exit.PASS
    assert cli.run("baseline", "export", "b.json") == Exit.PASS
    assert cli.run("compare", "b.json", "b.json") == Exit.USAGE
    assert "operands: both name the same file" in cli.err


def test_a_measure_that_speaks_of_no_question_decides_nothing_and_says_so(cli: Cli) -> None:
    name = write_pair()
    write_set(name, a_set(*(a_question(f"r{number}") for number in range(4))))
    for retriever in ("old", "new"):
        assert cli.run("run", name, retriever, "-q") == Exit.PASS
    assert cli.run("compare", "old", "new", "--measure", "nDCG@10") == Exit.INCONCLUSIVE
    said = " ".join(cli.out.split())
    assert "no question of the set has a value of nDCG@10: there is nothing to score" in said


def test_a_comparison_that_ends_without_an_answer_leaves_no_older_report(cli: Cli) -> None:
    run_both(cli)
    assert cli.run("compare", "old", "new", "--report", "r.html", "--markdown", "m.md") == 0
    assert cli.run("compare", "old", "gone", "--report", "r.html", "--markdown", "m.md") == 2
    assert "Comparison: no result" in Path("m.md").read_text()
    assert "Better" not in Path("r.html").read_text()
