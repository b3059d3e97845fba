"""How are answers read that a pipeline gave to the questions of a set? One JSON object a line."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.review.given_answer import GivenAnswer

_NEEDED: Final = frozenset({"query_id", "answer"})
_LABELS: Final = ("prompt", "model")
_MEMBERS: Final = _NEEDED | set(_LABELS)
_LONGEST_LABEL: Final = 190
#: As long as no answer is; a line may hold more.
_LONGEST_ANSWER: Final = 1_000_000


def read_answers(path: Path, known: AbstractSet[bytes]) -> tuple[GivenAnswer, ...]:
    """The answers of a file, in its order.

    Args:
        path: JSON Lines, plain or gzip: ``{"query_id": …, "answer": …, "prompt": …, "model": …}``;
            the last two are labels and may be missing.
        known: ids of the set's questions, as bytes.

    Raises:
        InvalidFile: the first line that breaks a rule, by file, line (from 1) and rule; a file
            without an answer. No text is repeated.
    """
    found: dict[bytes, GivenAnswer] = {}
    for number, line in read_lines(path, path.name):
        one = _answer(decode_object(line, path.name, number), path.name, number)
        if one.query_id not in known:
            raise InvalidFile(path.name, "query_id is of no question of the set", line=number)
        if one.query_id in found:
            raise InvalidFile(path.name, "answers a question twice", line=number)
        found[one.query_id] = one
    if not found:
        raise InvalidFile(path.name, "holds no answer")
    return tuple(found.values())


def _answer(record: dict[str, object], file: str, line: int) -> GivenAnswer:
    if record.keys() - _MEMBERS or _NEEDED - record.keys():
        rule = "must have query_id and answer, may have prompt and model, and no more"
        raise InvalidFile(file, rule, line=line)
    query_id, answer = record["query_id"], record["answer"]
    if not isinstance(query_id, str) or not query_id:
        raise InvalidFile(file, "query_id must be a text", line=line)
    if not isinstance(answer, str) or "\0" in answer or len(answer) > _LONGEST_ANSWER:
        rule = f"answer must be a text of at most {_LONGEST_ANSWER} characters without NUL"
        raise InvalidFile(file, rule, line=line)
    prompt, model = (_label(record.get(name), name, file, line) for name in _LABELS)
    return GivenAnswer(
        query_id=to_bytes(query_id, field="query_id"), text=answer, prompt=prompt, model=model
    )


def _label(value: object, name: str, file: str, line: int) -> str | None:
    if value is None:
        return None
    if (
        not isinstance(value, str)
        or not 1 <= len(value) <= _LONGEST_LABEL
        or any(one < " " or one == "\x7f" for one in value)
    ):
        rule = f"{name} must have 1 to {_LONGEST_LABEL} characters and no control character"
        raise InvalidFile(file, rule, line=line)
    return value
