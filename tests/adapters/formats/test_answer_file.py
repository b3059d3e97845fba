"""Files of answers to the questions of a set: one a line, read strictly."""

import json
from pathlib import Path

import pytest

from evenhand.adapters.formats.answer_file import read_answers
from evenhand.core.errors import InvalidFile
from evenhand.core.review.given_answer import GivenAnswer

CANARY = "quokka-canary"
KNOWN = frozenset({b"q1", b"q2"})


def written(folder: Path, *lines: object) -> Path:
    path = folder / "answers.jsonl"
    texts = (one if isinstance(one, str) else json.dumps(one) for one in lines)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_answers_are_read_as_they_are(tmp_path: Path) -> None:
    first = {"query_id": "q2", "answer": "", "prompt": "p1", "model": "m1"}
    path = written(tmp_path, first, {"query_id": "q1", "answer": CANARY})
    assert read_answers(path, KNOWN) == (
        GivenAnswer(query_id=b"q2", text="", prompt="p1", model="m1"),
        GivenAnswer(query_id=b"q1", text=CANARY),
    )


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ({"query_id": "q2"}, "must have query_id and answer"),
        ({"query_id": "q2", "answer": "", "score": 1}, "must have query_id and answer"),
        ({"query_id": "q3", "answer": CANARY}, "query_id is of no question of the set"),
        ({"query_id": "q1", "answer": CANARY}, "answers a question twice"),
        ({"query_id": 2, "answer": CANARY}, "query_id must be a text"),
        ({"query_id": "q2", "answer": None}, "answer must be a text"),
        ({"query_id": "q2", "answer": "a\0b"}, "answer must be a text"),
        ({"query_id": "q2", "answer": "", "model": ""}, "model must have 1 to 190"),
        ({"query_id": "q2", "answer": "", "prompt": "a\n"}, "prompt must have 1 to 190"),
        ("[]", "must be a JSON object"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named_without_its_text(
    tmp_path: Path, line: object, rule: str
) -> None:
    path = written(tmp_path, {"query_id": "q1", "answer": CANARY}, line)
    with pytest.raises(InvalidFile) as error:
        read_answers(path, KNOWN)
    assert f"answers.jsonl, line 2: {rule}" in str(error.value)
    assert CANARY not in str(error.value)


def test_a_file_without_an_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="holds no answer"):
        read_answers(written(tmp_path), KNOWN)
