"""``evenhand ab`` as a user types it."""

from pathlib import Path

import pytest

from evenhand.cli.exits import Exit
from tests.cli.pairs import CANDIDATE, CURRENT, write_pair
from tests.cli.typed import Cli


def test_it_gives_one_verdict_and_the_paired_answer(cli: Cli) -> None:
    document = cli.json("ab", write_pair(), "old", "new", "-q")
    assert document["verdict"] == {"state": "comparable", "reasons": []}
    assert document["conclusion"] == "better"
    decided = document["differences"][0]
    assert (decided["measure"], decided["wins"], decided["losses"]) == ("Success@1", 13, 0)
    assert decided["delta"] == 13 / 40
    assert [flip["id"] for flip in document["flips"]][:2] == ["q03", "q06"]
    assert document["set_uses"] == 1


def test_both_results_are_stored_and_can_be_compared_again(cli: Cli) -> None:
    document = cli.json("ab", write_pair(), "old", "new", "-q")
    stored = {row["id"]: row["retriever"] for row in cli.stored()}
    assert stored == {
        document["current"]["evaluation_id"]: "old",
        document["candidate"]["evaluation_id"]: "new",
    }
    again = cli.json("compare", "old", "new", "-q")
    assert again["differences"] == document["differences"]


def test_no_save_leaves_nothing_behind(cli: Cli, folder: Path) -> None:
    (folder / ".evenhand" / "evenhand.db").unlink()
    document = cli.json("ab", write_pair(), "old", "new", "-q", "--no-save")
    assert document["conclusion"] == "better"
    assert (document["current"]["evaluation_id"], document["set_uses"]) == (None, None)
    assert list((folder / ".evenhand").iterdir()) == []


def test_several_candidates_are_decided_together(cli: Cli) -> None:
    document = cli.json("ab", write_pair(), "old", "new", "old", "-q")
    assert document["format"] == "evenhand.comparisons/1"
    tests = [one["differences"][0]["test"] for one in document["comparisons"]]
    assert [one["family"] for one in tests] == [2, 2]
    assert tests[0]["adjusted_p"] > tests[0]["p"]


def test_two_corpora_exit_3_without_a_number_and_with_the_command_that_helps(cli: Cli) -> None:
    name = write_pair(old=CURRENT, new=CANDIDATE | {"corpus": "corpus-2"})
    assert cli.run("ab", name, "old", "new", "-q") == Exit.NOT_COMPARABLE
    assert "Mismatch" in cli.out
    assert "Success@1" not in cli.out
    assert cli.out.rstrip().endswith(f"evenhand ab {name} old new --corpus PATH")
    fair = ("ab", name, "old", "new", "-q", "--corpus", "corpus-3")
    assert cli.run(*fair) == Exit.PASS


def test_an_undeclared_side_exits_3_and_prints_the_lines_to_paste(cli: Cli) -> None:
    name = write_pair(old=CURRENT)
    assert cli.run("ab", name, "old", "pair:candidate", "-q") == Exit.NOT_COMPARABLE
    assert "Unknown" in cli.out
    assert '[retrievers."pair:candidate"]' in cli.out
    assert 'use = "pair:candidate"' in cli.out


def test_failed_questions_that_decide_the_answer_exit_4(cli: Cli) -> None:
    name = write_pair(old=CURRENT, new=CURRENT | {"use": "pair:broken", "pipeline": "broken"})
    arguments = ("ab", name, "old", "new", "-q", "--max-failed-share", "0.9")
    document = cli.json(*arguments, code=Exit.INCONCLUSIVE)
    assert document["conclusion"] == "incomplete"


def test_too_many_failed_questions_exit_5(cli: Cli) -> None:
    name = write_pair(old=CURRENT, new=CURRENT | {"use": "pair:broken"})
    assert cli.run("ab", name, "old", "new") == Exit.WENT_WRONG
    assert "questions of the candidate side failed" in cli.err


def test_equal_declarations_with_other_rankings_are_reported(cli: Cli) -> None:
    name = write_pair(old=CURRENT, new=CANDIDATE | {"pipeline": "current"})
    document = cli.json("ab", name, "old", "new", "-q")
    assert [one["code"] for one in document["checks"]] == ["same_fingerprints_other_rankings"]
    assert document["checks"][0]["questions"] == 13


def test_documents_outside_the_corpus_at_hand_are_reported(cli: Cli) -> None:
    name = write_pair()
    Path("corpus.jsonl").write_text(
        "".join(f'{{"_id": "d{number:02}", "text": "t"}}\n' for number in range(40))
    )
    document = cli.json("ab", name, "old", "new", "-q", "--corpus", "corpus.jsonl")
    found = [(one["code"], one["side"], one["questions"]) for one in document["checks"]]
    assert found == [("outside_corpus", "current", 14), ("outside_corpus", "candidate", 1)]


def test_reports_are_written_and_a_workflow_s_summary_is_added_to(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, summary = write_pair(), folder / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert cli.run("ab", name, "old", "new", "-q", "--report", "a.html", "--markdown", "a.md") == 0
    assert "<title>new against old on forty</title>" in (folder / "a.html").read_text()
    text = (folder / "a.md").read_text()
    assert text.startswith("## new against old on forty\n")
    assert summary.read_text() == "before\n" + text


def test_a_report_in_a_folder_that_is_not_there_is_refused_before_any_work(cli: Cli) -> None:
    assert cli.run("ab", write_pair(), "old", "new", "--report", "no/a.html") == Exit.USAGE
    assert cli.stored() == []


def test_a_candidate_that_is_named_twice_is_refused_before_any_work(cli: Cli) -> None:
    assert cli.run("ab", write_pair(), "old", "new", "new") == Exit.USAGE
    assert "a candidate is named twice" in cli.err
    assert cli.stored() == []
