"""``run --answers``: answers beside a run, as the privacy level leaves them, and a review of them."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from evenhand.store.uow import Database, open_database
from tests.cli.typed import RIGHT, Cli, write_set
from tests.usecases.conftest import CountingIds, SettableClock

CANARY = "quokka-canary"
DATABASE = Path(".evenhand/evenhand.db")


@pytest.fixture
def retriever() -> str:
    name = "answering_retriever"
    Path(f"{name}.py").write_text(
        f"def retrieve(question, limit):\n    return {RIGHT!r}.get(question, [])\n",
        encoding="utf-8",
    )
    return f"{name}:retrieve"


@pytest.fixture
def question_ids() -> list[str]:
    lines = Path(write_set()).read_text("utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines[1:]]


def write_answers(*answers: Mapping[str, object]) -> str:
    lines = "\n".join(map(json.dumps, answers))
    Path("answers.jsonl").write_text(lines, encoding="utf-8")
    return "answers.jsonl"


def opened() -> Database:
    return open_database(
        f"sqlite:///{DATABASE.resolve()}", clock=SettableClock(), ids=CountingIds()
    )


def stored(evaluation_id: str) -> list[tuple[str, int, str | None, str | None, str | None]]:
    database = opened()
    found = database.read(lambda uow: uow.answers.list_of(evaluation_id))
    database.close()
    return [(one.answer_sha256, one.characters, one.text, one.prompt, one.model) for one in found]


@pytest.mark.parametrize("level", ["none", "metadata", "redacted", "full"])
def test_an_answer_is_kept_as_the_privacy_level_says(
    cli: Cli, retriever: str, question_ids: list[str], level: str
) -> None:
    text = f"It is the {CANARY}."
    file = write_answers(
        {"query_id": question_ids[0], "answer": text, "prompt": "p1", "model": "m1"}
    )
    run = ("run", "set.jsonl", retriever, "--answers", file, "--privacy", level)
    assert cli.run(*run) == 0, cli.err
    (evaluation,) = cli.stored()
    digest = hashlib.sha256(text.encode()).hexdigest()
    kept = (digest, len(text), text if level == "full" else None, "p1", "m1")
    assert stored(evaluation["id"]) == ([] if level == "none" else [kept])
    # The bytes of the files themselves: what must not be kept is nowhere in them.
    written = b"".join(path.read_bytes() for path in DATABASE.parent.iterdir())
    assert (CANARY.encode() in written) is (level == "full")
    assert (digest.encode() in written) is (level != "none")
    assert CANARY not in cli.out + cli.err


def test_a_wrong_file_is_refused_before_a_question_is_asked(
    cli: Cli, retriever: str, question_ids: list[str]
) -> None:
    file = write_answers({"query_id": "nobody", "answer": CANARY})
    assert cli.run("run", "set.jsonl", retriever, "--answers", file) == 2
    assert "answers.jsonl, line 1" in cli.err
    assert CANARY not in cli.err
    assert cli.stored() == []
    assert question_ids
    assert cli.run("run", "set.jsonl", retriever, "--answers", file, "--no-save") == 2


def test_answers_go_with_their_evaluation(
    cli: Cli, retriever: str, question_ids: list[str]
) -> None:
    file = write_answers({"query_id": question_ids[0], "answer": CANARY})
    assert cli.run("run", "set.jsonl", retriever, "--answers", file) == 0
    (evaluation,) = cli.stored()
    database = opened()
    database.run(lambda uow: uow.evaluations.delete(evaluation["id"], actor="tester"))
    database.close()
    assert stored(evaluation["id"]) == []
    written = b"".join(path.read_bytes() for path in DATABASE.parent.iterdir())
    assert CANARY.encode() not in written


def test_stored_answers_become_a_file_of_cases(
    cli: Cli, retriever: str, question_ids: list[str]
) -> None:
    file = write_answers(*({"query_id": one, "answer": f"{CANARY} {one}"} for one in question_ids))
    assert cli.run("run", "set.jsonl", retriever, "--answers", file) == 0
    documents = [{"_id": f"d{n}", "title": "", "text": f"text {n}"} for n in range(1, 10)]
    Path("corpus.jsonl").write_text("\n".join(map(json.dumps, documents)), encoding="utf-8")
    (evaluation,) = cli.stored()
    make = ("reviews", "inputs", "latest", "set.jsonl", "--output", "cases.jsonl")
    assert cli.run(*make, "--corpus", "corpus.jsonl") == 0, cli.err
    cases = [json.loads(line) for line in Path("cases.jsonl").read_text("utf-8").splitlines()]
    assert [one["case_id"] for one in cases] == sorted(question_ids)
    by_question = {one["question"]: one for one in cases}
    for question, answered in RIGHT.items():
        if question in by_question:
            passages = [f"text {document[1:]}" for document in answered]
            assert by_question[question]["passages"] == passages
    assert cases[0]["answer_id"] == f"{evaluation['id']}/0"
    assert Path("cases.jsonl").stat().st_mode & 0o077 == 0
    Path("corpus.jsonl").write_text(json.dumps(documents[8]), encoding="utf-8")
    assert cli.run(*make, "--corpus", "corpus.jsonl") == 2
    assert "lacks a document that was retrieved" in cli.err


def test_without_texts_there_are_no_cases(
    cli: Cli, retriever: str, question_ids: list[str]
) -> None:
    file = write_answers({"query_id": question_ids[0], "answer": CANARY})
    assert cli.run("run", "set.jsonl", retriever, "--answers", file, "--privacy", "metadata") == 0
    Path("corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "t"}', encoding="utf-8")
    make = ("reviews", "inputs", "latest", "set.jsonl", "--output", "cases.jsonl")
    assert cli.run(*make, "--corpus", "corpus.jsonl") == 2
    assert "no text of an answer is stored" in cli.err
    assert not Path("cases.jsonl").exists()
