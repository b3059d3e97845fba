"""``evenhand run`` as a user types it."""

import json
import re
from pathlib import Path

import pytest

from evenhand.cli.main import run_command
from tests.builders import a_question, a_set
from tests.cli.typed import (
    RIGHT,
    Cli,
    asked,
    counting,
    declared,
    write_module,
    write_search,
    write_set,
)

CANARY = "run-canary"


def test_data_goes_to_standard_output_and_talk_to_standard_error(cli: Cli) -> None:
    assert cli.run("run", write_set(), write_search()) == 0
    assert "Success@1" in cli.out
    assert "not compared with the previous run: unknown" in cli.err
    assert "Success@1" not in cli.err


def test_json_is_one_document_and_nothing_else(cli: Cli) -> None:
    found = cli.json("run", write_set(), write_search())

    assert found["retriever"] == "search:find"
    assert found["counts"]["answerable_top1_hits"] == 3
    assert found["id"] == cli.stored()[0]["id"]


def test_quiet_leaves_standard_error_empty(cli: Cli) -> None:
    assert cli.run("run", write_set(), write_search(), "-q", "--report", "page.html") == 0
    assert cli.err == ""
    assert cli.out != ""


def test_missed_questions_are_named_when_asked_for(cli: Cli) -> None:
    operands = (write_set(), write_search({}))

    assert cli.run("run", *operands) == 0
    assert "Option -v names them" in cli.out
    assert cli.run("run", *operands, "-v") == 0
    assert re.search(r"q1 +\[", cli.out)


def test_no_save_stores_nothing_and_compares_with_nothing(cli: Cli) -> None:
    operands = (write_set(), write_search(), *declared())
    assert cli.run("run", *operands) == 0

    found = cli.json("run", *operands, "--no-save")

    assert (found["id"], found["privacy"], found["verdict"], found["previous"]) == (None,) * 4
    assert found["differences"] is None
    assert len(cli.stored()) == 1


def test_depth_is_what_the_retriever_is_asked_for(cli: Cli) -> None:
    write_module(
        "def find(question, limit):\n    return [f'{question}-{n}' for n in range(limit)]\n"
    )
    found = cli.json("run", write_set(), "search:find", *declared(), "--depth", "7")
    assert (found["depth"], found["provenance"]["pipelineIdentity"]) == (7, "p+d7")

    assert cli.run("run", "set.jsonl", "search:find", *declared()) == 0
    assert "Depth changed: 7 results were asked for before, 12 now." in cli.out


def test_questions_may_be_asked_in_batches_and_after_a_warm_up(cli: Cli) -> None:
    write_module(
        "class Search:\n"
        "    identifier = 'many'\n"
        "    def retrieve(self, question, limit):\n"
        "        raise AssertionError\n"
        "    def retrieve_many(self, questions, limit):\n"
        f"        return [{RIGHT!r}.get(question, []) for question in questions]\n"
    )
    found = cli.json("run", write_set(), "search:Search", "--batch", "3")

    assert (found["counts"]["top1_hits"], found["conditions"]["batch"]) == (4, 3)
    write_module(counting("return []"))
    assert cli.run("run", "set.jsonl", "search:find", "--warmup", "2") == 0
    assert asked() == 6


def test_several_jobs_give_the_same_result(cli: Cli) -> None:
    operands = ("run", write_set(), write_search(), *declared())
    one, two = (cli.json(*operands, "--jobs", jobs) for jobs in ("1", "2"))

    assert (one["counts"], one["fingerprints"]) == (two["counts"], two["fingerprints"])
    assert two["verdict"]["state"] == "comparable"
    assert two["conditions"]["jobs"] == 2


def test_a_retriever_that_fails_to_close_keeps_its_result(cli: Cli) -> None:
    write_module(
        "class Search:\n"
        "    identifier = 'untidy'\n"
        "    def retrieve(self, question, limit):\n"
        "        return []\n"
        "    def close(self):\n"
        f"        raise OSError('{CANARY}')\n"
    )
    assert cli.run("run", write_set(), "search:Search") == 0
    assert "warning: closing the retriever raised OSError" in cli.err
    assert CANARY not in cli.err
    assert len(cli.stored()) == 1


@pytest.mark.parametrize("level", ["none", "metadata", "redacted", "full"])
def test_the_privacy_level_is_shown_and_stored(cli: Cli, level: str) -> None:
    assert cli.run("run", write_set(), write_search(), "--privacy", level) == 0
    assert f"privacy {level}: " in cli.out
    assert [one["privacy"] for one in cli.stored()] == [level]


def test_a_run_file_is_imported_and_comparable_once_its_corpus_is_named(cli: Cli) -> None:
    Path("old.trec").write_text("q1 Q0 d1 1 2.0 t\nq2 Q0 x 1 1.0 t\n", encoding="utf-8")
    found = cli.json("run", write_set(), "old.trec")
    assert (found["basis"], found["verdict"]["state"]) == ("imported", "unknown")
    assert found["counts"]["answerable_top1_hits"] == 1

    states = [
        cli.json("run", "set.jsonl", "old.trec", "--corpus", "c-1")["verdict"]["state"]
        for _ in range(2)
    ]
    assert states == ["unknown", "comparable"]


def test_of_a_run_file_no_latency_is_told_kept_or_compared(cli: Cli) -> None:
    for name in ("one.trec", "two.trec"):
        Path(name).write_text("q1 Q0 d1 1 2.0 t\nq2 Q0 x 1 1.0 t\n", encoding="utf-8")
    run = ("run", write_set(), "one.trec", "--corpus", "c-1", "--report", "page.html")
    found = cli.json(*run)
    assert (found["latency"], found["conditions"]["machine"]) == (None, "unknown")

    assert cli.run(*run) == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "machine:" not in cli.out + page
    assert "unmeasured before" not in cli.out + page
    assert cli.run("evaluations", "export", "latest", "kept.json") == 0
    kept = json.loads(Path("kept.json").read_bytes())
    assert {one["latency_ms"] for one in kept["outcomes"]} == {None}
    runs = ("one.trec", "two.trec", "--qrels", "set.jsonl", "--corpus", "c-1")
    compared = cli.json("compare", *runs, code=0)
    assert compared["latency"]["refused"] == "not_local"
    assert compared["latency"]["delta_ms"] is None


def test_absent_and_foreign_queries_of_a_run_file_are_told(cli: Cli) -> None:
    asked_for = [a_question(f"q{n}", f"d{n}") for n in range(8)]
    name = write_set(golden_set=a_set(*asked_for, a_question("z-none")))
    Path("old.trec").write_text(
        "q1 Q0 d1 1 2.0 t\nalien Q0 d1 1 1.0 t\nother<b> Q0 d1 1 1.0 t\n", encoding="utf-8"
    )
    found = cli.json("run", name, "old.trec", "--corpus", "c-1")
    assert found["run_file"] == {
        "absent": 8,
        "absent_ids": ["q0", "q2", "q3", "q4", "q5"],
        "absent_no_answer": 1,
        "foreign": 2,
        "foreign_ids": ["alien", "other<b>"],
    }
    assert found["rates"]["abstention"]["value"] == 1.0

    assert cli.run("run", name, "old.trec", "--report", "page.html") == 0
    told = " ".join(cli.out.split())
    page = " ".join(Path("page.html").read_text(encoding="utf-8").split())
    for sentence in (
        "8 of 9 questions are absent from the run file and count as if nothing came back",
        "q0, q2, q3, q4, q5 and 3 more.",
        "Abstention rests on absence alone: 1 of 1 no-answer questions",
    ):
        assert sentence in told
        assert sentence in page
    assert "2 queries of the run file are none of the questions asked: alien, other<b>." in told
    assert "alien, other&lt;b&gt;." in page


def test_of_a_run_file_that_has_each_question_and_no_other_nothing_is_told(cli: Cli) -> None:
    name = write_set(golden_set=a_set(a_question("q1", "d1"), a_question("q2")))
    Path("old.trec").write_text("q1 Q0 d1 1 2.0 t\nq2 Q0 x 1 1.0 t\n", encoding="utf-8")

    assert cli.run("run", name, "old.trec") == 0
    assert "run file does" not in cli.out
    assert "absent" not in cli.out
    assert "of the questions asked" not in cli.out
    assert cli.json("run", name, write_search())["run_file"] is None


def test_an_empty_retriever_is_flagged_and_its_headline_is_no_pooled_rate(cli: Cli) -> None:
    answerable = [a_question(f"a{n}", f"d{n}") for n in range(29)]
    nothing = [a_question(f"n{n}") for n in range(31)]
    name = write_set(golden_set=a_set(*answerable, *nothing))
    write_module("def find(question, limit):\n    return []\n")

    assert cli.run("run", name, "search:find") == 0
    head, _, rest = cli.out.partition("attempted 60")
    assert re.search(r"Success@1 +0\.000 \(0 of 29\)", head)
    assert re.search(r"Abstention +1\.000 \(31 of 31\)", head)
    assert "0.517" not in head
    assert "31 of 60" in rest
    flagged = [line for line in cli.out.splitlines() if line.startswith("! ")]
    assert flagged
    assert cli.json("run", name, "search:find")["flags"]["returned_nothing"] is True


def test_the_report_is_one_page_that_needs_nothing_else(cli: Cli) -> None:
    Path("out").mkdir()
    before = sorted(Path().iterdir())
    text = f"<script>{CANARY}</script>"
    name = write_set("out/set.jsonl", a_set(a_question("q1", "d1", text=text)))

    assert cli.run("run", name, write_search({}), *declared(), "--report", "out/page.html") == 0
    assert "report: out/page.html" in cli.err
    page = Path("out/page.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert sorted(path.name for path in Path("out").iterdir()) == ["page.html", "set.jsonl"]
    assert {path.name for path in Path().iterdir()} == {
        "search.py",
        *(path.name for path in before),
    }
    assert re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*", page) == []
    assert "url(" not in page.replace("url(#", "")
    assert "@import" not in page
    assert "<script>" not in page
    assert CANARY in page
    assert cli.stored()[0]["id"] in page


def test_a_report_replaces_the_one_before(cli: Cli) -> None:
    operands = ("run", write_set(), write_search(), *declared(), "--report", "page.html")
    assert cli.run(*operands) == 0
    first = Path("page.html").read_text(encoding="utf-8")

    assert cli.run(*operands) == 0
    assert Path("page.html").read_text(encoding="utf-8") != first


def test_run_command_gives_the_code_of_the_verdict(cli: Cli) -> None:
    # As `evenhand` itself calls it, without a terminal in between.
    assert cli.run("run", write_set(), write_search()) == run_command(
        ["run", "set.jsonl", "search:find", "-q"]
    )
