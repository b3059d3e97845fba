"""``evenhand score`` over files that are not quite what they should be, and public cases of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.reports import scores
from tests import cases_runner
from tests.adapters.formats.beir_folder import document, query, write_beir
from tests.cli.typed import Cli
from tests.json_schema import accepts

RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\n"
PAGE = "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n"
MARK = "\ufeff"


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    Path("qrels").write_text("q1 0 d1 1\n")
    Path("run").write_text(RUN)
    Path("page.html").write_text(PAGE)
    del folder


def write_case(given: dict[str, Any]) -> None:
    """The judgements and the run of a case as TREC files."""
    judged = [f"{q} 0 {d} {g}\n" for q, of in given["qrels"].items() for d, g in of.items()]
    rows = [f"{q} Q0 {d} 1 {s!r} t\n" for q, of in given["run"].items() for d, s in of]
    Path("qrels").write_text("".join(judged), encoding="utf-8")
    Path("run").write_text("".join(rows), encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "rule"),
    [
        (("", "run"), 2, "the name of a file is empty"),
        (("qrels", ""), 2, "the name of a file is empty"),
        (("qrels", "run", "--split", "dev"), 2, "--split: only a BEIR folder has splits"),
        (("page.html", "run"), 2, "line 1: must have 4 columns (query 0 document grade), but has"),
        (("page.html", "run"), 2, "; it is an HTML page"),
        (("qrels", "page.html"), 2, "; it is an HTML page"),
        (("run", "run"), 2, "; it is a run, no judgements"),
    ],
)
def test_what_is_no_input_is_refused_with_what_it_is(
    cli: Cli, arguments: tuple[str, ...], code: int, rule: str
) -> None:
    assert cli.run("score", *arguments) == code
    assert rule in cli.err


def test_a_split_is_none_of_a_file_of_judged_hits_either(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "--write-hits", "hits") == 0
    assert cli.run("score", "hits", "--split", "dev") == 2
    assert "--split: only a BEIR folder has splits" in cli.err


def test_a_long_name_of_a_measure_is_cut_in_the_message(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "-m", "x" * 5000) == 2
    assert "no such measure" in cli.err
    assert len(cli.err) < 300


@pytest.mark.parametrize("which", ["qrels", "run"])
def test_a_byte_order_mark_of_a_file_that_was_put_behind_another_is_refused(
    cli: Cli, which: str
) -> None:
    more = "q2 0 d1 1\n" if which == "qrels" else "q2 Q0 d1 1 1.0 t\n"
    begun = Path(which).read_text()
    Path(which).write_text(MARK + begun + MARK + more, encoding="utf-8")
    assert cli.run("score", "qrels", "run") == 2
    line = 2 if which == "qrels" else 3
    assert f"{which}, line {line}: begins with a byte order mark" in cli.err
    Path(which).write_text(MARK + begun + more, encoding="utf-8")
    assert cli.run("score", "qrels", "run") == 0


def test_two_marks_at_the_beginning_are_one_too_many(cli: Cli) -> None:
    Path("qrels").write_text(f"{MARK}{MARK}q1 0 d1 1\n", encoding="utf-8")
    assert cli.run("score", "qrels", "run") == 2
    assert "qrels, line 1: begins with a byte order mark" in cli.err


def test_markdown_reads_the_name_of_a_run_as_text(cli: Cli) -> None:
    names = ("a_**b**.run", "`c`<d>|e.run", "@somebody.run")
    for name in names:
        Path(name).write_text(RUN)
    assert cli.run("score", "qrels", *names, "-m", "RR", "--table", "markdown") == 0
    rows = cli.out.splitlines()
    assert rows[2:] == [
        r"| a\_\*\*b\*\*.run | 1.0000 | 1 |",
        r"| \`c\`\<d\>\|e.run | 1.0000 | 1 |",
        r"| \@somebody.run | 1.0000 | 1 |",
    ]


def test_scores_that_only_tie_in_32_bits_do_so_where_that_is_asked_for(cli: Cli) -> None:
    case = cases_runner.load("B-004")
    write_case(case["given"])
    told = cli.json("score", "qrels", "run", "-m", "RR", "-q")
    wanted = {one: of["RR"] for one, of in case["expected"]["per_query"].items()}
    assert told["per_query"]["RR"] == wanted
    assert "precision" not in told
    # As the case says of float32: both pairs collapse and d9 wins the tie.
    told = cli.json("score", "qrels", "run", "-m", "RR", "-q", "--precision", "32")
    assert (told["precision"], told["per_query"]["RR"]) == (32, {"q1": 0.5, "q2": 0.5})
    schema = json.loads(Path(scores.__file__).with_name("score.schema.json").read_bytes())
    assert accepts(schema, told)
    assert cli.run("score", "qrels", "run", "-m", "RR", "--precision", "32") == 0
    assert cli.out.splitlines()[0] == "Measure  Mean (32-bit scores)  n"
    assert "would be equal in 32 bits" not in cli.err
    assert cli.run("score", "qrels", "run", "run", "-m", "RR", "--precision", "32") == 0
    assert cli.out.startswith("Run (32-bit scores)")


def test_judged_hits_keep_the_precision_and_are_not_mixed(cli: Cli) -> None:
    write_case(cases_runner.load("B-004")["given"])
    for bits in ("32", "64"):
        command = ("score", "qrels", "run", "--precision", bits, "--write-hits", f"hits{bits}")
        assert cli.run(*command) == 0
    assert cli.json("score", "hits32", "-m", "RR")["precision"] == 32
    assert cli.run("score", "hits32", "--precision", "64") == 2
    assert "hits32: ranks scores of 32 bits; make it again from the run" in cli.err
    assert cli.run("score", "hits32", "hits64") == 2
    assert "they do not stand in one table" in cli.err


def test_ids_that_differ_by_normalisation_alone_are_two_and_it_is_said(cli: Cli) -> None:
    case = cases_runner.load("B-041")
    write_case(case["given"])
    assert Path("qrels").read_bytes().split()[2].hex() == case["given"]["gold_hex"]
    assert Path("run").read_bytes().split()[2].hex() == case["given"]["run_hex"]
    told = cli.json("score", "qrels", "run", "-m", "RR", "-q")
    assert told["per_query"]["RR"] == {"q1": case["expected"]["per_query"]["q1"]["RR"]}
    assert case["expected"]["warnings"] == ["ids_differ_by_normalisation"]
    assert cli.run("score", "qrels", "run", "-m", "RR") == 0
    assert "1 row of the run names an id that differs from a judged one only by" in cli.err
    assert r"such as 'cafe\u0301' for 'caf\xe9'" in cli.err
    # Of a query as well; and nothing is said where both spellings are judged.
    Path("qrels").write_text("café 0 d1 1\n", encoding="utf-8")
    Path("run").write_text("cafe\u0301 Q0 d1 1 1.0 t\n", encoding="utf-8")
    assert cli.run("score", "qrels", "run") == 0
    assert "only by Unicode normalisation" in cli.err
    Path("qrels").write_text("q 0 café 1\nq 0 cafe\u0301 0\n", encoding="utf-8")
    Path("run").write_text("q Q0 cafe\u0301 1 1.0 t\n", encoding="utf-8")
    assert cli.run("score", "qrels", "run") == 0
    assert "normalisation" not in cli.err


def test_unjudged_documents_count_as_not_relevant_and_are_counted(cli: Cli) -> None:
    case = cases_runner.load("B-022")
    write_case(case["given"])
    expected = dict(case["expected"]["per_query"]["q"])
    unjudged = expected.pop("unjudged@5")
    asked = [part for name in (*expected, "Judged@5") for part in ("-m", name)]
    told = cli.json("score", "qrels", "run", *asked)
    for name, value in expected.items():
        assert told["measures"][name] == {"mean": pytest.approx(value, abs=1e-9), "n": 1}
    assert 1 - told["measures"]["Judged@5"]["mean"] == pytest.approx(unjudged)


@pytest.mark.parametrize("row", [1, 2])
def test_judgements_that_point_nowhere_are_refused_with_what_is_not_there(
    cli: Cli, row: int
) -> None:
    case = cases_runner.load("B-055")
    given, report = case["given"], case["expected"]["report"]
    Path("set").mkdir()
    write_beir(
        Path("set"),
        queries=[query(one) for one in given["queries"]],
        corpus=[document(one) for one in given["corpus"]],
        qrels=[tuple(given["qrels"][0]), tuple(given["qrels"][row])],
    )
    assert cli.run("sets", "import", "set") == 2
    [missing] = report["missing_documents"] if row == 1 else report["missing_questions"]
    assert f"'{missing}'" in cli.err
    assert cli.json("sets", "list") == []


def test_as_judgements_of_a_run_they_stay_judgements(cli: Cli) -> None:
    case = cases_runner.load("B-055")
    given, expected = case["given"], case["expected"]["any_of"][1]["per_query"]["q1"]
    judged: dict[str, dict[str, int]] = {}
    for one, target, grade in given["qrels"]:
        judged.setdefault(one, {})[target] = grade
    write_case({"qrels": judged, "run": given["run"]})
    told = cli.json("score", "qrels", "run", "-m", "R@10", "-m", "nDCG", "-q")
    for name, value in expected.items():
        assert told["per_query"][name]["q1"] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("content", "why"), [(RUN, "is a TREC run (query Q0"), (PAGE, "is an HTML page and no data")]
)
def test_an_import_says_what_a_file_is_instead(cli: Cli, content: str, why: str) -> None:
    Path("given").write_text(content)
    Path("topics.tsv").write_text("1\tfirst question\n")
    assert cli.run("sets", "import", "given") == 2
    assert f"given: {why}" in cli.err
    assert cli.run("sets", "import", "topics.tsv", "--qrels", "given") == 2
    assert f"given: {why}" in cli.err
