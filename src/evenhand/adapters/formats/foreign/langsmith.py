"""Which questions does an export of a LangSmith data set hold?

One document with ``name`` and ``examples``, a list of examples, or an example a line; an example
has ``inputs`` and ``outputs``, both with keys of the user's choice. The question is the input
that has a name for questions, or the only input that is text. LangSmith knows no documents:
questions are unjudged unless an output holds document ids and an option names it.

Source: langsmith.schemas.Example (github.com/langchain-ai/langsmith-sdk).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.columns import (
    ANSWER_NAMES,
    QUESTION_NAMES,
    document_ids,
)
from evenhand.adapters.formats.foreign.fields import Record, optional_text, records_of, text_of
from evenhand.adapters.formats.foreign.found import (
    Columns,
    Format,
    Found,
    FoundQuestion,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind, read_document, read_head
from evenhand.adapters.formats.foreign.tables import read_table

_INPUTS, _OUTPUTS, _EXAMPLES = "inputs", "outputs", "examples"
#: Besides the names of tables, what LangChain's own data sets call a question.
_INPUT_NAMES: Final = ("input", *QUESTION_NAMES)
_OUTPUT_NAMES: Final = (*ANSWER_NAMES, "output")


def read_langsmith(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of an export.

    Raises:
        InvalidFile: an example has no inputs, or it is not clear which one is the question.
    """
    name = None
    if read_head(path, file).kind is Kind.LINES:
        examples: Iterator[tuple[Place, Record]] = iter(read_table(path, file))
    else:
        document = read_document(path, file)
        if isinstance(document, dict):
            name = optional_text(document, "name", file, "the data set")
            document = document.get(_EXAMPLES)
        examples = iter(records_of(document, _EXAMPLES, file))
    questions = tuple(
        _question(example, file, place, options.columns) for place, example in examples
    )
    return Found(questions=questions, name=name)


def _question(example: Record, file: str, place: Place, columns: Columns) -> FoundQuestion:
    inputs = _object(example, _INPUTS, file, place)
    outputs = {} if example.get(_OUTPUTS) is None else _object(example, _OUTPUTS, file, place)
    both = {**outputs, **inputs}
    for key in (columns.question, columns.answer, columns.documents):
        if key is not None and key not in both:
            raise refused(file, place, f"has no input or output {key!r}")
    key = columns.question or _question_key(inputs, file, place)
    answers = [name for name in outputs if name.casefold() in _OUTPUT_NAMES]
    answer = columns.answer or (answers[0] if len(answers) == 1 else None)
    return FoundQuestion(
        id=optional_text(example, columns.id or "id", file, place),
        text=text_of(both, key, file, place),
        place=place,
        targets=document_ids(both, columns.documents, file, place),
        answer=_text_or_none(both, answer),
    )


def _question_key(inputs: Record, file: str, place: Place) -> str:
    named = [key for key in inputs if key.casefold() in _INPUT_NAMES]
    texts = [key for key, value in inputs.items() if isinstance(value, str)]
    found = named or texts
    if len(found) != 1:
        raise refused(file, place, _unclear(list(inputs)))
    return found[0]


def _text_or_none(record: Record, key: str | None) -> str | None:
    # An answer may be a whole message with its calls of tools; a hint is text.
    value = None if key is None else record.get(key)
    return value if isinstance(value, str) and value else None


def _object(example: Record, key: str, file: str, place: Place) -> Record:
    value = example.get(key)
    if not isinstance(value, dict):
        raise refused(file, place, f"{key} must be an object")
    return value


def _sniff(head: Head) -> str | None:
    first = head.first_of(_EXAMPLES) or head.first_element
    found = head.kind in (Kind.DOCUMENT, Kind.LINES) and isinstance(first.get(_INPUTS), dict)
    return "its examples have inputs" if found else None


def _unclear(names: list[str]) -> str:
    there = ", ".join(map(repr, names)) or "none"
    return f"which input is the question? say it with --question-column, of: {there}"


LANGSMITH: Final = Format(name="langsmith", sniff=_sniff, read=read_langsmith)
