"""Files of answers that are to be reviewed: one case a line, read strictly."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.review_cases import read_review_cases
from evenhand.core.errors import InvalidFile
from evenhand.core.review.review_case import ReviewCase

CANARY = "quokka-canary"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "cases.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def a_line(**stated: Any) -> str:
    case = {"case_id": "c1", "question": "Q?", "answer": CANARY, "passages": ["P"]}
    return json.dumps(case | stated)


def test_a_case_is_read_as_it_is(tmp_path: Path) -> None:
    found = read_review_cases(written(tmp_path, a_line(), a_line(case_id="c2", answer_id="a2")))
    assert list(found) == ["c1", "c2"]
    assert found["c1"] == ReviewCase(
        case_id="c1", answer_id="c1", question="Q?", answer=CANARY, passages=("P",)
    )
    assert found["c2"].answer_id == "a2"


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ('{"case_id": "c1"}', "must have case_id, question, answer and passages"),
        ('{"case_id": "", "question": "", "answer": "", "passages": []}', "case_id must have 1"),
        ('{"case_id": "c", "question": 1, "answer": "", "passages": []}', "question must be a"),
        ('{"case_id": "c", "question": "", "answer": "", "passages": [1]}', "each of passages"),
        ('{"case_id": "c", "question": "", "answer": "", "passages": ""}', "passages must be"),
        ("[]", "must be a JSON object"),
    ],
)
def test_a_file_of_cases_is_read_strictly(tmp_path: Path, line: str, rule: str) -> None:
    with pytest.raises(InvalidFile) as error:
        read_review_cases(written(tmp_path, a_line(case_id="c0"), line))
    assert f"cases.jsonl, line 2: {rule}" in str(error.value)
    assert CANARY not in str(error.value)


@pytest.mark.parametrize("member", ["case_id", "answer_id"])
def test_no_case_and_no_answer_stands_twice_in_a_file(tmp_path: Path, member: str) -> None:
    lines = [a_line(**{"case_id": case, member: "same"}) for case in ("c1", "c2")]
    with pytest.raises(InvalidFile, match=f"line 2: has an? {member} twice"):
        read_review_cases(written(tmp_path, *lines))


def test_a_file_without_a_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="holds no case"):
        read_review_cases(written(tmp_path, ""))
