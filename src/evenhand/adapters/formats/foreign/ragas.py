"""Which questions does a file of Ragas hold? Data sets and test sets, and annotations.

A data set is a table (CSV, JSON Lines, a JSON list, Parquet) of samples: ``user_input`` is the
question, ``reference`` the answer, ``reference_context_ids`` the documents that answer it and
``reference_contexts`` their texts where there are no ids. ``retrieved_contexts`` are what some
retriever gave, not a judgement, and are not read. An annotation file holds the same samples as
``metric_input`` under the name of each measure, one for each answer that was looked at.

Source: ragas.dataset_schema.SingleTurnSample and MetricAnnotation (github.com/explodinggradients/
ragas); ids of contexts may be whole numbers there.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.fields import (
    Record,
    distinct,
    kind_of,
    optional_text,
    records_of,
    text_of,
    texts_of,
)
from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    Passage,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind, read_document, read_head
from evenhand.adapters.formats.foreign.tables import csv_header, read_table

_QUESTION, _ANSWER = "user_input", "reference"
_IDS, _TEXTS = "reference_context_ids", "reference_contexts"
_SAMPLE: Final = "metric_input"
_OTHERS: Final = frozenset(
    (_ANSWER, _IDS, _TEXTS, "response", "retrieved_contexts", "synthesizer_name")
)


def read_ragas(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a data set or of an annotation file.

    Raises:
        InvalidFile: a field is missing or of another type; a conversation of several turns.
    """
    del options
    if _is_annotation(read_head(path, file)):
        samples = list(_annotated(read_document(path, file), file))
        questions = _merged(samples, file)
        remark = f"annotations of one question are one question: {len(samples)} annotations"
        return Found(questions=questions, remarks=(remark, _NO_NUMBERS))
    reader = _Samples(file)
    questions = tuple(reader.questions(read_table(path, file)))
    numbers = f"document ids that were whole numbers, kept as their digits: {reader.numbers}"
    return Found(questions=questions, remarks=(numbers,) if reader.numbers else ())


class _Samples:
    """Reads samples, and counts the ids that were numbers."""

    def __init__(self, file: str) -> None:
        self.numbers = 0
        self._file = file

    def questions(self, rows: Iterable[tuple[Place, Record]]) -> Iterator[FoundQuestion]:
        """The questions of some samples."""
        for place, row in rows:
            if isinstance(row.get(_QUESTION), list):
                raise refused(self._file, place, _CONVERSATION)
            yield FoundQuestion(
                text=text_of(row, _QUESTION, self._file, place),
                place=place,
                targets=self._targets(row.get(_IDS), place),
                passages=self._passages(row.get(_TEXTS), place),
                answer=optional_text(row, _ANSWER, self._file, place),
            )

    def _targets(self, value: object, place: Place) -> tuple[str, ...] | None:
        ids = self._list(value, _IDS, place)
        if not ids:
            return None
        digits: list[str] = []
        for one in ids:
            # Ragas allows whole numbers here. 7.0 and true stay refused: which id are they?
            is_number = isinstance(one, int) and not isinstance(one, bool)
            self.numbers += is_number
            digits += texts_of([str(one) if is_number else one], _IDS, self._file, place)
        return distinct(digits)

    def _passages(self, value: object, place: Place) -> tuple[Passage, ...] | None:
        texts = self._list(value, _TEXTS, place)
        if not texts:
            return None
        return tuple(map(Passage, distinct(texts_of(texts, _TEXTS, self._file, place))))

    def _list(self, value: object, key: str, place: Place) -> list[object] | None:
        """A list, or the text of one: in CSV it is what Python prints for a list."""
        if value is None or value == "":
            return None
        if isinstance(value, str):
            value = _printed(value)
            if value is None:
                raise refused(self._file, place, _no_list(key))
        if not isinstance(value, list):
            raise refused(self._file, place, _wrong_list(key, value))
        return value


def _printed(text: str) -> object:
    """The value that Python prints like this; None where it is no plain value. Nothing is run."""
    with warnings.catch_warnings():
        # A lone backslash in somebody's text is no news to the user.
        warnings.simplefilter("ignore")
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None


def _annotated(document: object, file: str) -> Iterator[tuple[Place, Record]]:
    if not isinstance(document, dict):
        return
    for measure, samples in document.items():
        for place, sample in records_of(samples, measure, file):
            held = sample.get(_SAMPLE)
            if not isinstance(held, dict):
                raise refused(file, place, f"{_SAMPLE} must be an object, not {kind_of(held)}")
            yield place, held


def _merged(samples: Iterable[tuple[Place, Record]], file: str) -> tuple[FoundQuestion, ...]:
    found: dict[str, FoundQuestion] = {}
    for question in _Samples(file).questions(samples):
        found.setdefault(question.text, question)
    return tuple(found.values())


def _is_annotation(head: Head) -> bool:
    values = head.value.values() if isinstance(head.value, dict) else ()
    return head.kind is Kind.DOCUMENT and any(
        isinstance(one, list) and one and isinstance(one[0], dict) and _SAMPLE in one[0]
        for one in values
    )


def _sniff(head: Head) -> str | None:
    if _is_annotation(head):
        return f"it has a {_SAMPLE} for each annotation"
    names = frozenset(csv_header(head.text)) if head.kind is Kind.TEXT else head.names
    if _QUESTION in names and names & _OTHERS:
        return f"it has {_QUESTION} and {', '.join(sorted(names & _OTHERS))}"
    return None


_NO_NUMBERS: Final = "what the annotations say of answers has no place in a golden set"
_CONVERSATION: Final = "is a conversation of several turns; a golden question has one text"


def _no_list(key: str) -> str:
    return f"{key} is text that is no list"


def _wrong_list(key: str, value: object) -> str:
    return f"{key} must be a list, not {kind_of(value)}"


RAGAS: Final = Format(name="ragas", sniff=_sniff, read=read_ragas)
