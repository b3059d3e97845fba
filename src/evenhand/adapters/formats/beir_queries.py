"""Which queries does a BEIR folder hold?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.retrieval import InvalidGoldenSet
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.retrieval.golden import DocId, Form, GoldenQuestion, QueryId
from evenhand.core.retrieval.grades import MIN_RELEVANCE

_QUERIES: Final = ("queries.jsonl", "queries.jsonl.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One line of queries.jsonl, and where it is.

    Attributes:
        id, text: not checked yet; `build_question` does.
        form, hard_class: as ``metadata`` says, by default ``match`` and None.
        file, line: for messages.
    """

    id: QueryId
    text: str
    form: str
    hard_class: str | None
    file: str
    line: int


def is_beir_folder(path: Path) -> bool:
    """Whether a folder has queries in BEIR's layout."""
    return _find(path) is not None


def read_queries(path: Path, folder: str) -> dict[QueryId, Query]:
    """The queries of a folder by id, in the order of the file.

    Args:
        path: the folder.
        folder: what messages call it.

    Raises:
        InvalidFile: there is no such file, an id occurs twice, or a value is not text.
    """
    source = _find(path)
    if source is None:
        raise InvalidFile(folder, "has no queries.jsonl")
    file = f"{folder}/{source.name}"
    found: dict[QueryId, Query] = {}
    for number, line in read_lines(source, file):
        query = _query(decode_object(line, file, number), file, number)
        first = found.setdefault(query.id, query)
        if first is not query:
            raise InvalidFile(file, _same_id(first.line, number), line=number)
    return found


def build_question(
    query: Query, grades: Mapping[DocId, int], *, is_unjudged: bool
) -> GoldenQuestion:
    """The golden question of a query, with a target for each grade of at least 1.

    Args:
        query: as the file spells it.
        grades: of its judged documents, in the order of the targets.
        is_unjudged: whether nobody knows what answers it.

    Raises:
        InvalidFile: the query breaks a rule of golden questions; names its line.
    """
    try:
        return GoldenQuestion(
            id=query.id,
            question=query.text,
            form=query.form,
            expected_document_ids=[d for d, grade in grades.items() if grade >= MIN_RELEVANCE],
            hard_class=query.hard_class,
            unjudged=is_unjudged,
            grades=grades.items(),
        )
    except InvalidGoldenSet as error:
        raise InvalidFile(query.file, error.rule, line=query.line) from error


def _query(record: Mapping[str, object], file: str, line: int) -> Query:
    metadata = record.get("metadata")
    fields = metadata if isinstance(metadata, dict) else {}
    query_id = _text(record.get("_id"), "_id", file, line)
    hard_class = fields.get("hard_class")
    return Query(
        id=QueryId(to_bytes(query_id)),
        text=_text(record.get("text"), "text", file, line),
        form=_text(fields.get("form", Form.MATCH.value), "metadata.form", file, line),
        hard_class=None
        if hard_class is None
        else _text(hard_class, "metadata.hard_class", file, line),
        file=file,
        line=line,
    )


def _text(value: object, field: str, file: str, line: int) -> str:
    if not isinstance(value, str):
        raise InvalidFile(file, _no_text(field), line=line)
    return value


def _find(path: Path) -> Path | None:
    return next((path / name for name in _QUERIES if (path / name).is_file()), None)


def _same_id(first: int, second: int) -> str:
    return f"one id occurs on line {first} and on line {second}"


def _no_text(field: str) -> str:
    return f"{field} must be text"
