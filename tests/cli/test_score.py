"""``evenhand score`` as it is typed: the same numbers as trec_eval, and what must be said beside."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evenhand.cli.score_quick import quick_score, read_plain
from evenhand.reports import scores
from tests.cli.typed import Cli
from tests.json_schema import accepts
from tests.shared_data import shared_data

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\n"
RUN = "q1 Q0 d1 1 3.0 t\nq1 Q0 d2 2 2.0 t\nq1 Q0 d3 3 1.0 t\nq2 Q0 d9 1 1.0 t\nq2 Q0 d4 2 0.5 t\n"
HEAVY = (
    "click",
    "numpy",
    "sqlalchemy",
    "msgspec",
    "rich",
    "pydantic",
    "pyarrow",
    "evenhand.settings",
)


@pytest.fixture(autouse=True)
def _files(folder: Path) -> None:
    write(QRELS, "qrels")
    write(RUN, "run")
    del folder


def write(text: str, name: str) -> None:
    Path(name).write_text(text)


def test_one_run_is_a_table_of_measures_with_their_number_of_queries(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "-m", "RR", "-m", "nDCG@10") == 0
    assert cli.out.splitlines() == [
        "Measure    Mean  n",
        "RR       0.7500  2",
        "nDCG@10  0.7906  2",
    ]
    assert cli.err == ""


def test_without_measures_a_few_usual_ones_are_computed(cli: Cli) -> None:
    document = cli.json("score", "qrels", "run")
    assert list(document["measures"]) == ["nDCG@10", "AP", "RR", "R@100", "P@10"]


def test_the_json_has_the_shape_that_is_pinned(cli: Cli) -> None:
    assert cli.json("score", "qrels", "run", "-m", "RR", "-m", "P@1", "-q") == {
        "format": "evenhand.score/1",
        "queries": 2,
        "measures": {"RR": {"mean": 0.75, "n": 2}, "P@1": {"mean": 0.5, "n": 2}},
        "per_query": {"RR": {"q1": 1.0, "q2": 0.5}, "P@1": {"q1": 1.0, "q2": 0.0}},
    }
    assert "per_query" not in cli.json("score", "qrels", "run", "-m", "RR")


@pytest.mark.parametrize("options", [(), ("-q",)], ids=["means", "per query"])
@pytest.mark.parametrize("runs", [("run",), ("run", "run")], ids=["one run", "two runs"])
def test_the_json_is_what_its_schema_describes(
    cli: Cli, runs: tuple[str, ...], options: tuple[str, ...]
) -> None:
    schema = json.loads(Path(scores.__file__).with_name("score.schema.json").read_bytes())
    document = cli.json("score", "qrels", *runs, *options)
    assert accepts(schema, document)
    assert not accepts(schema, document | {"mean": 1})


def test_several_runs_are_one_table_and_one_document(cli: Cli) -> None:
    write(RUN.replace("d9", "d8"), "other")
    assert cli.run("score", "qrels", "run", "other", "-m", "RR", "-m", "P@1") == 0
    assert cli.out.splitlines() == [
        "Run        RR     P@1  n",
        "run    0.7500  0.5000  2",
        "other  0.7500  0.5000  2",
    ]
    document = cli.json("score", "qrels", "run", "other", "-m", "RR")
    assert document["format"] == "evenhand.scores/1"
    assert [(one["run"], one["measures"]["RR"]["mean"]) for one in document["runs"]] == [
        ("run", 0.75),
        ("other", 0.75),
    ]


def test_per_query_lines_are_parted_by_tabs_and_end_with_the_means(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "-m", "RR", "-m", "P@1", "-q") == 0
    assert cli.out.splitlines() == [
        "RR\tq1\t1.0000",
        "P@1\tq1\t1.0000",
        "RR\tq2\t0.5000",
        "P@1\tq2\t0.0000",
        "RR\tall\t0.7500",
        "P@1\tall\t0.5000",
    ]


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("markdown", ["| Measure | Mean | n |", "|---|---:|---:|", "| RR | 0.75 | 2 |"]),
        (
            "latex",
            [
                r"\begin{tabular}{lrr}",
                r"\hline",
                r"Measure & Mean & n \\",
                r"\hline",
                r"RR & 0.75 & 2 \\",
                r"\hline",
                r"\end{tabular}",
            ],
        ),
    ],
)
def test_a_table_is_laid_out_as_asked(cli: Cli, kind: str, lines: list[str]) -> None:
    assert cli.run("score", "qrels", "run", "-m", "RR", "--table", kind, "--digits", "2") == 0
    assert cli.out.splitlines() == lines


def test_the_call_that_gives_one_elsewhere_is_measured_against_every_judgement(cli: Cli) -> None:
    # B-014: where the ideal ranking is made of what came back, one document of five gives 1.
    write("".join(f"q 0 {document} 1\n" for document in range(1, 6)), "five")
    write("q Q0 1 1 1.0 t\n", "one")
    document = cli.json("score", "five", "one", "-m", "nDCG@5", "-m", "P@5", "-m", "R@5")
    assert document["measures"]["nDCG@5"]["mean"] == pytest.approx(0.33916, abs=5e-6)
    assert document["measures"]["P@5"]["mean"] == document["measures"]["R@5"]["mean"] == 0.2


def test_queries_of_one_side_only_are_named(cli: Cli) -> None:
    write(QRELS + "q3 0 d5 1\n", "qrels")
    write(RUN + "q9 Q0 d1 1 1.0 t\n", "run")
    document = cli.json("score", "qrels", "run", "-m", "RR", "-q")
    assert document["per_query"]["RR"] == {"q1": 1.0, "q2": 0.5, "q3": 0.0}
    assert document["measures"]["RR"] == {"mean": 0.5, "n": 3}
    assert cli.err.splitlines() == [
        "warning: 1 query is judged and not in the run, counted with 0: q3",
        "warning: 1 query is in the run and not judged, left out: q9",
    ]


def test_a_tie_that_touches_a_judged_document_is_told_with_what_it_allows(cli: Cli) -> None:
    write("q1 0 d1 1\n", "qrels")
    write("q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.5 t\nq1 Q0 d3 3 0.1 t\n", "run")
    assert cli.run("score", "qrels", "run", "-m", "P@1", "-m", "R@5") == 0
    assert "P@1      0.0000  1" in cli.out
    assert cli.err == (
        "warning: 2 rows share their score with another one of their query, 1 judged document is "
        "among them, and rank by document id; by their order alone a mean may lie within "
        "P@1 0.0000 to 1.0000\n"
    )


def test_scores_that_32_bits_cannot_tell_apart_are_told(cli: Cli) -> None:
    write("q2 0 d0 1\n", "qrels")
    write("q2 Q0 d0 1 16777217 t\nq2 Q0 d9 2 16777216 t\n", "run")
    assert cli.json("score", "qrels", "run", "-m", "RR")["measures"]["RR"]["mean"] == 1.0
    assert "1 scores are told apart here and would be equal in 32 bits" in cli.err


def test_columns_beyond_the_sixth_are_told(cli: Cli) -> None:
    write("q1 0 d1 1\n", "qrels")
    write("q1 Q0 d1 1 2 t and more\nq1 Q0 d2 2 1 t\n", "run")
    assert cli.json("score", "qrels", "run", "-m", "RR")["measures"]["RR"]["mean"] == 1.0
    assert "1 row of the run has more than 6 columns" in cli.err


def test_quiet_warns_of_nothing(cli: Cli) -> None:
    write(QRELS + "q3 0 d5 1\n", "qrels")
    assert cli.run("score", "qrels", "run", "--quiet") == 0
    assert cli.err == ""


def test_depth_looks_at_the_best_rows_only(cli: Cli) -> None:
    assert cli.json("score", "qrels", "run", "-m", "RR", "--depth", "1", "-q")["per_query"] == {
        "RR": {"q1": 1.0, "q2": 0.0}
    }


def test_gzip_and_standard_input_are_read(cli: Cli) -> None:
    Path("run.gz").write_bytes(gzip.compress(RUN.encode()))
    plain = cli.json("score", "qrels", "run")
    assert cli.json("score", "qrels", "run.gz") == plain
    done = subprocess.run(
        [sys.executable, "-m", "evenhand", "score", "qrels", "-", "--json"],
        input=RUN.encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == plain


def test_judged_hits_are_kept_and_scored_again_without_the_files(cli: Cli) -> None:
    measures = ("-m", "nDCG@10", "-m", "AP(rel=2)", "-m", "Judged@2")
    plain = cli.json("score", "qrels", "run", "--write-hits", "run.hits", "-q", *measures)
    shallow = cli.json("score", "qrels", "run", "-m", "RR", "--depth", "1")
    Path("qrels").unlink()
    Path("run").unlink()
    assert cli.json("score", "run.hits", "-q", *measures) == plain
    assert cli.json("score", "run.hits", "-m", "RR", "--depth", "1") == shallow
    two = cli.json("score", "run.hits", "run.hits", "-m", "RR")
    assert [one["run"] for one in two["runs"]] == ["run.hits", "run.hits"]
    assert cli.run("score", "run.hits", "--write-hits", "other.hits") == 2
    assert "such a file already" in cli.err


def test_hits_of_a_depth_are_not_scored_beyond_it(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "--depth", "1", "--write-hits", "run.hits") == 0
    assert cli.run("score", "run.hits", "--depth", "2") == 2
    assert "holds fewer rows of each query" in cli.err
    assert cli.run("score", "run.hits", "run") == 2
    assert "run" in cli.err


def test_a_beir_folder_gives_the_judgements_of_its_split(cli: Cli) -> None:
    Path("beir/qrels").mkdir(parents=True)
    rows = QRELS.replace(" 0 ", "\t").replace(" ", "\t")
    write("query-id\tcorpus-id\tscore\n" + rows, "beir/qrels/dev.tsv")
    plain = cli.json("score", "qrels", "run")
    assert cli.json("score", "beir", "run") == plain
    assert cli.json("score", "beir", "run", "--split", "dev") == plain
    assert cli.run("score", "beir", "run", "--split", "train") == 2
    assert "there are: dev" in cli.err


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (QRELS, RUN + "q2 Q0 d4 3 0.1 t\n", "run, line 6"),
        (QRELS, "q1 Q0 d1 1 nan t\n", "run, line 1"),
        (QRELS, "q1 Q0 d1 1\n", "run, line 1"),
        (QRELS + "q1 0 d1 2\n", RUN, "qrels, line 5"),
        (QRELS + "q1 0 d7 1.5\n", RUN, "qrels, line 5"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(cli: Cli, qrels: str, run: str, message: str) -> None:
    write(qrels, "qrels")
    write(run, "run")
    assert cli.run("score", "qrels", "run") == 2
    assert message in cli.err
    assert "[invalid_file]" in cli.err
    assert cli.out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("qrels", "run", "-m", "nDCGG@10"), "nDCG"),
        (("qrels", "run", "-m", "P"), "P"),
        (("-", "-"), "standard input can be read once only"),
        (("-", "run", "run"), "standard input can be read once only"),
        (("qrels",), "RUN"),
        (("qrels", "nowhere"), "nowhere"),
        (("qrels", "run", "--depth", "0"), "--depth"),
        (("qrels", "run", "run", "--write-hits", "x"), "of one run"),
    ],
)
def test_a_wrong_call_exits_2_and_says_why(
    cli: Cli, arguments: tuple[str, ...], message: str
) -> None:
    assert cli.run("score", *arguments) == 2
    assert message in cli.err


def test_a_small_run_loads_nothing_heavy() -> None:
    code = (
        "import sys; from evenhand.cli.main import run_command; "
        "code = run_command(['score', 'qrels', 'run']); print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    code_of, *loaded = done.stderr.split()
    assert code_of == "0"
    assert [name for name in HEAVY if name in loaded] == []


@pytest.mark.parametrize(
    "typed",
    [
        ("-m", "RR", "-q"),
        ("--measure", "RR", "-m", "MAP", "--per-query", "--json"),
        (),
        ("--quiet",),
        ("-m", "nonsense"),
        ("missing", "--json"),
    ],
)
def test_what_is_typed_in_the_usual_way_gives_what_the_command_gives(
    cli: Cli, typed: tuple[str, ...]
) -> None:
    write(QRELS + "q3 0 d5 1\n", "qrels")
    arguments = ("score", "qrels", "run", *typed)
    quick = (cli.run(*arguments), cli.out, cli.err)
    # An option that is left to click.
    slow = (cli.run(*arguments, "--digits", "4"), cli.out, cli.err)
    assert quick == slow


@pytest.mark.parametrize(
    "words",
    [["qrels", "-"], ["qrels", "run", "-m"], ["qrels", "run", "--help"], ["-m", "RR"]],
)
def test_words_that_are_not_plain_are_left_to_the_command(words: list[str]) -> None:
    assert read_plain(words) is None


def test_one_file_is_left_to_the_command_but_for_one_of_judged_hits(cli: Cli) -> None:
    assert cli.run("score", "qrels", "run", "--write-hits", "hits") == 0
    assert quick_score(["qrels"]) is None
    assert quick_score(["hits", "-m", "RR"]) == 0


def test_a_tie_that_changes_no_digit_shown_gives_no_bounds(cli: Cli) -> None:
    qrels = [f"q{number} 0 d1 1\n" for number in range(30_000)]
    rows = ["q0 Q0 d1 1 2 x\n", "q0 Q0 d2 1 2 x\n"]
    write("".join(qrels), "many")
    write("".join(rows), "tied")
    assert cli.run("score", "many", "tied", "-m", "RR") == 0
    assert "their order changes no mean in the digits shown" in cli.err
    assert "lie within" not in cli.err


def test_the_values_are_those_of_trec_eval(cli: Cli) -> None:
    folder = shared_data("cranfield")
    expected = json.loads((folder / "expected" / "bm25.pytrec_eval.json").read_bytes())
    names = {
        "nDCG@10": "ndcg_cut_10",
        "AP": "map",
        "RR": "recip_rank",
        "P@10": "P_10",
        "R@10": "recall_10",
    }
    asked = [part for name in names for part in ("-m", name)]
    run = str(folder / "runs" / "bm25.trec.gz")
    document = cli.json("score", str(folder), run, "-q", "--quiet", *asked)
    for query, values in expected["per_query"].items():
        for ours, theirs in names.items():
            found = document["per_query"][ours][query]
            assert found == pytest.approx(values[theirs], abs=6e-6)
