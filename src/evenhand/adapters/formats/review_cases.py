"""How are answers read that are to be reviewed? One JSON object a line, each case once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.review.review_case import ReviewCase

#: As long as an id of a job may be.
_LONGEST_ID: Final = 190
_MOST_PASSAGES: Final = 900
_NEEDED: Final = frozenset({"case_id", "question", "answer", "passages"})
_MEMBERS: Final = _NEEDED | {"answer_id"}


def read_review_cases(path: Path) -> dict[str, ReviewCase]:
    """Cases by their id, in the order of the file.

    Args:
        path: JSON Lines, plain or gzip: ``{"case_id": …, "question": …, "answer": …,
            "passages": [text, …], "answer_id": …}``; without an id of the answer it is the
            case's.

    Raises:
        InvalidFile: the first line that breaks a rule, by file, line (from 1) and rule; a file
            without a case. No text is repeated.
    """
    found: dict[str, ReviewCase] = {}
    answers: set[str] = set()
    for number, line in read_lines(path, path.name):
        case = _case(decode_object(line, path.name, number), path.name, number)
        if case.case_id in found:
            raise InvalidFile(path.name, "has a case_id twice", line=number)
        if case.answer_id in answers:
            raise InvalidFile(path.name, "has an answer_id twice", line=number)
        found[case.case_id] = case
        answers.add(case.answer_id)
    if not found:
        raise InvalidFile(path.name, "holds no case")
    return found


def write_review_cases(path: Path, cases: Iterable[ReviewCase]) -> None:
    """Write cases as :func:`read_review_cases` reads them, whole or not at all, for the owner only.

    Raises:
        UnwritableFile: the file cannot be written.
    """
    with writing(path, mode=0o600) as stream:
        for one in cases:
            stream.write(
                msgspec.json.encode(
                    {
                        "case_id": one.case_id,
                        "answer_id": one.answer_id,
                        "question": one.question,
                        "answer": one.answer,
                        "passages": one.passages,
                    }
                )
                + b"\n"
            )


def _case(record: dict[str, object], file: str, line: int) -> ReviewCase:
    if record.keys() - _MEMBERS or _NEEDED - record.keys():
        rule = "must have case_id, question, answer and passages, may have answer_id, and no more"
        raise InvalidFile(file, rule, line=line)
    case_id = _id(record["case_id"], "case_id", file, line)
    passages = record["passages"]
    if not isinstance(passages, list) or len(passages) > _MOST_PASSAGES:
        rule = f"passages must be a list of at most {_MOST_PASSAGES} texts"
        raise InvalidFile(file, rule, line=line)
    return ReviewCase(
        case_id=case_id,
        answer_id=_id(record.get("answer_id", case_id), "answer_id", file, line),
        question=_text(record["question"], "question", file, line),
        answer=_text(record["answer"], "answer", file, line),
        passages=tuple(_text(one, "each of passages", file, line) for one in passages),
    )


def _id(value: object, member: str, file: str, line: int) -> str:
    text = _text(value, member, file, line)
    if not 1 <= len(text) <= _LONGEST_ID or any(one < " " or one == "\x7f" for one in text):
        rule = f"{member} must have 1 to {_LONGEST_ID} characters and no control character"
        raise InvalidFile(file, rule, line=line)
    return text


def _text(value: object, member: str, file: str, line: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        rule = f"{member} must be a text without NUL"
        raise InvalidFile(file, rule, line=line)
    return value
