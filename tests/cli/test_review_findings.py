"""What a hostile reviewer found on the way from a retriever to the page, and must stay mended."""

import json
import shlex
from pathlib import Path

import pytest

from evenhand.cli.exits import Exit
from evenhand.cli.main import run_command

CANARY = "CANARY-9f3b"
QUESTIONS = f"""\
{{"format": "evenhand.golden/1", "identifier": "s", "name": "S", "description": ""}}
{{"id": "q1", "question": "{CANARY} one?", "form": "match", "expected_document_ids": ["d1"]}}
{{"id": "q2", "question": "{CANARY} two?", "form": "gap", "expected_document_ids": ["d2"]}}
"""
RETRIEVERS = f"""\
import asyncio


class Stop(BaseException):
    pass


def cancelled(question, limit):
    raise asyncio.CancelledError(question)


def leaves(question, limit):
    raise GeneratorExit(question)


def stops(question, limit):
    raise Stop(question)


def prints(question, limit):
    print("NOISE", question)
    return ["d1"]


def text(question, limit):
    return "d1"


def good(question, limit):
    return ["{CANARY}-document", "d1"]
"""
LABELS = (
    *("--corpus", "c1", "--model", "not-applicable"),
    *("--chunking", "not-applicable", "--pipeline", "p1"),
)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("evenhand.toml").write_text("", encoding="utf-8")
    Path("s.jsonl").write_text(QUESTIONS, encoding="utf-8")
    Path("reviewed_retrievers.py").write_text(RETRIEVERS, encoding="utf-8")
    return tmp_path


def use(function: str, *options: str) -> int:
    return run_command(["run", "s.jsonl", f"reviewed_retrievers:{function}", *options])


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("function", ["cancelled", "leaves", "stops"])
def test_whatever_a_retriever_raises_is_no_verdict_and_tells_no_text(
    capfd: pytest.CaptureFixture[str], function: str, jobs: str
) -> None:
    code = use(function, "--jobs", jobs)

    said = capfd.readouterr()
    assert code == Exit.WENT_WRONG
    assert CANARY not in said.out + said.err


def test_what_a_retriever_prints_is_not_in_the_document(capfd: pytest.CaptureFixture[str]) -> None:
    code = use("prints", "--json")

    said = capfd.readouterr()
    assert code == Exit.PASS
    assert json.loads(said.out)["counts"]["answerable_top1_hits"] == 1
    assert "NOISE" in said.err


def test_fusion_refuses_what_its_components_are_refused_alone() -> None:
    Path("evenhand.toml").write_text(
        '[retrievers.a]\nuse = "reviewed_retrievers:text"\n'
        '[retrievers.b]\nuse = "reviewed_retrievers:good"\n'
        '[retrievers.both]\nuse = "fusion"\nretrievers = ["a", "b"]\n',
        encoding="utf-8",
    )

    assert run_command(["run", "s.jsonl", "both"]) == Exit.WENT_WRONG


@pytest.mark.parametrize(
    ("level", "is_there"), [("full", True), ("redacted", False), ("none", False)]
)
def test_a_page_holds_ranked_ids_only_where_the_store_does(level: str, is_there: bool) -> None:
    assert use("good", "--privacy", level, "--report", "page.html") == Exit.PASS

    page = Path("page.html").read_text(encoding="utf-8")
    assert (f"{CANARY}-document" in page) is is_there


def test_the_command_for_a_fair_answer_states_the_labels_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert use("good", *LABELS) == Exit.PASS
    printed = capsys.readouterr().out
    command = "".join(printed[printed.index("evenhand run") :].split("\n\n")[0])

    again = shlex.split(command)[1:]

    assert run_command([*again, "--fail-on-regression"]) == Exit.PASS
    assert "Comparable" in capsys.readouterr().out


def test_an_identifier_that_no_index_could_hold_is_refused_before_the_first_question(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("long_named.py").write_text(
        "class Long:\n    identifier = 'x' * 256\n\n"
        "    def retrieve(self, question, limit):\n        raise AssertionError\n",
        encoding="utf-8",
    )

    assert run_command(["run", "s.jsonl", "long_named:Long"]) == Exit.USAGE
    assert "at most 255 bytes" in capsys.readouterr().err
