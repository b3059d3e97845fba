import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.retrievers import program
from evenhand.adapters.retrievers.command import CommandRetriever, split_command
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import RetrievalFailed, RetrieverNotFound
from evenhand.usecases.ports import ScoredRetriever
from tests.adapters.retrievers.support import command_of

# A child that does what the question says; each start appends a line to the file `starts`.
CHILD = """
import json, os, sys, time
with open("starts", "a") as starts:
    print(os.getpid(), file=starts)
for line in sys.stdin:
    asked = json.loads(line)
    question = asked["question"]
    if question == "exit":
        sys.exit(3)
    if question == "hang":
        sys.stdin.read()
    if question == "canary":
        answer = "canary, not JSON"
    elif question == "twice":
        answer = '{"ids": ["a"]}\\n{"ids": ["b"]}'
    elif question == "fail":
        answer = '{"error": "INDEX_MISSING"}'
    elif question == "scores":
        answer = '{"results": [["a", 2], ["b", 0.5]]}'
    elif question == "large":
        answer = '{"ids": ["' + "x" * (17 * 2**20) + '"]}'
    elif question == "length":
        answer = json.dumps({"ids": [str(len(question)), str(asked["limit"])]})
    else:
        answer = json.dumps({"ids": [question[:40], str(len(question)), str(asked["limit"])]})
    print(answer, flush=True)
    if question == "last":
        sys.exit(0)
"""


@pytest.fixture
def child(tmp_path: Path) -> Path:
    path = tmp_path / "child.py"
    path.write_text(CHILD)
    return path


@pytest.fixture
def retriever(child: Path) -> Iterator[CommandRetriever]:
    with make(child) as opened:
        yield opened


def make(child: Path, **options: Any) -> CommandRetriever:
    return CommandRetriever("child", command_of(child), folder=child.parent, **options)


def starts(child: Path) -> list[int]:
    return [int(line) for line in (child.parent / "starts").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def code_of(retriever: CommandRetriever, question: str) -> str:
    with pytest.raises(RetrievalFailed) as caught:
        retriever.retrieve(question, 12)
    assert "canary" not in str(caught.value)
    return caught.value.code


def test_question_and_limit_arrive_and_ids_come_back(retriever: CommandRetriever) -> None:
    assert retriever.retrieve("where?\nhere é", 7) == ["where?\nhere é", "13", "7"]


def test_command_is_started_once_for_many_questions(
    retriever: CommandRetriever, child: Path
) -> None:
    for number in range(5):
        retriever.retrieve(str(number), 12)

    assert len(starts(child)) == 1


def test_command_is_not_started_before_the_first_question(child: Path) -> None:
    with make(child):
        assert not (child.parent / "starts").exists()


def test_question_longer_than_a_pipe_holds_arrives(retriever: CommandRetriever) -> None:
    assert retriever.retrieve("y" * 300_000, 1)[1] == "300000"


def test_scores_are_left_out_without_the_option(retriever: CommandRetriever) -> None:
    assert retriever.retrieve("scores", 12) == ["a", "b"]
    assert not isinstance(retriever, ScoredRetriever)


def test_scores_come_with_the_option(child: Path) -> None:
    with make(child, scored=True) as retriever:
        assert isinstance(retriever, ScoredRetriever)
        assert retriever.retrieve_scored("scores", 12) == [("a", 2.0), ("b", 0.5)]


def test_stated_error_fails_the_question_and_the_command_goes_on(
    retriever: CommandRetriever, child: Path
) -> None:
    assert code_of(retriever, "fail") == "INDEX_MISSING"
    assert retriever.retrieve("next", 12)[0] == "next"
    assert len(starts(child)) == 1


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("canary", "malformed_answer"),
        ("twice", "malformed_answer"),
        ("exit", "command_exited"),
        ("large", "answer_too_large"),
    ],
)
def test_broken_answer_fails_that_question_and_the_next_gets_a_new_start(
    retriever: CommandRetriever, child: Path, question: str, code: str
) -> None:
    retriever.retrieve("before", 12)

    assert code_of(retriever, question) == code
    assert retriever.retrieve("after", 12)[0] == "after"
    assert len(starts(child)) == 2


def test_silence_fails_the_question_and_ends_the_command(child: Path) -> None:
    with make(child, timeout_seconds=30) as retriever:
        retriever.retrieve("before", 12)
        # Only now, so that starting an interpreter is no part of the time.
        retriever._timeout_seconds = 0.05

        assert code_of(retriever, "hang") == "timeout"
        assert not is_running(starts(child)[0])

        retriever._timeout_seconds = 30
        assert retriever.retrieve("after", 12)[0] == "after"


def test_command_that_ends_after_an_answer_is_started_again(
    retriever: CommandRetriever, child: Path
) -> None:
    assert retriever.retrieve("last", 12)[0] == "last"
    process = retriever._running
    assert process is not None
    process._process.wait(30)

    assert retriever.retrieve("after", 12)[0] == "after"
    assert len(starts(child)) == 2


def test_program_that_cannot_run_fails_each_question(tmp_path: Path) -> None:
    with CommandRetriever("gone", (str(tmp_path / "gone"),), folder=tmp_path) as retriever:
        assert code_of(retriever, "any") == "command_not_started"
        assert code_of(retriever, "any") == "command_not_started"


@pytest.mark.parametrize("question", ["short", "y" * 300_000], ids=["short", "long"])
def test_program_that_ends_without_reading_fails_each_question(
    tmp_path: Path, question: str
) -> None:
    with CommandRetriever("deaf", (sys.executable, "-c", ""), folder=tmp_path) as retriever:
        assert code_of(retriever, question) == "command_exited"
        assert code_of(retriever, question) == "command_exited"


def test_close_ends_a_command_that_ignores_the_end_of_input_and_a_plea(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_GRACE_SECONDS", 0.05)
    stubborn = tmp_path / "stubborn.py"
    stubborn.write_text(
        "import os, signal, sys\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "sys.stdin.readline()\n"
        """print('{"ids": ["' + str(os.getpid()) + '"]}', flush=True)\n"""
        "sys.stdin.read()\n"
        "signal.pause()\n"
    )
    retriever = CommandRetriever("stubborn", command_of(stubborn), folder=tmp_path)
    pid = int(retriever.retrieve("who?", 12)[0])
    assert is_running(pid)

    retriever.close()

    assert not is_running(pid)


def test_close_twice_and_before_any_question_is_nothing(child: Path) -> None:
    retriever = make(child)
    retriever.close()
    retriever.close()


def test_children_of_the_command_end_with_it_when_it_hangs(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "held")
    (tmp_path / "grandchild.py").write_text(
        "import signal\nwith open('held', 'w'):\n    signal.pause()\n"
    )
    parent = tmp_path / "parent.py"
    parent.write_text(
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, 'grandchild.py'])\n"
        "sys.stdin.readline()\n"
        "print('{\"ids\": []}', flush=True)\n"
        "child.wait()\n"
    )
    with CommandRetriever("parent", command_of(parent), folder=tmp_path) as retriever:
        retriever.retrieve("first", 12)
        # Opens once the grandchild has opened its end, and reads to the end once that has ended.
        with (tmp_path / "held").open("rb") as held:
            retriever._timeout_seconds = 0.05
            assert code_of(retriever, "hang") == "timeout"
            assert held.read() == b""


def test_command_runs_in_its_folder_with_standard_error_left_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "talk.py"
    script.write_text(
        "import json, os, sys\n"
        "for line in sys.stdin:\n"
        "    print('a word to the user', file=sys.stderr, flush=True)\n"
        "    print(json.dumps({'ids': [os.getcwd()]}), flush=True)\n"
    )
    with CommandRetriever("talk", command_of(script), folder=tmp_path) as retriever:
        assert retriever.retrieve("where?", 12) == [str(tmp_path.resolve())]
    assert capfd.readouterr().err == "a word to the user\n"


def test_words_are_split_as_a_shell_would_and_never_given_to_one(tmp_path: Path) -> None:
    line = f"{sys.executable} -c 'a b' $HOME ; ls"

    assert split_command(line, tmp_path, "x") == (
        sys.executable,
        "-c",
        "a b",
        "$HOME",
        ";",
        "ls",
    )


@pytest.mark.parametrize("line", ["", "   ", "python 'canary"])
def test_command_that_cannot_be_read_is_refused_without_being_repeated(
    tmp_path: Path, line: str
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        split_command(line, tmp_path, "x")
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("line", ["no-such-program-anywhere --x canary", "./gone canary"])
def test_missing_program_is_refused_before_any_question(tmp_path: Path, line: str) -> None:
    with pytest.raises(RetrieverNotFound) as caught:
        split_command(line, tmp_path, "mine")
    assert caught.value.identifier == "mine"
    assert "canary" not in str(caught.value)


def test_program_beside_the_configuration_is_found(tmp_path: Path) -> None:
    beside = tmp_path / "search"
    beside.write_text("#!/bin/sh\n")
    beside.chmod(0o700)

    assert split_command("./search --fast", tmp_path, "x") == ("./search", "--fast")
