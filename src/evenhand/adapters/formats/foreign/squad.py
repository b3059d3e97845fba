"""Which questions and passages does a SQuAD file hold? Versions 1.1 and 2.0, XQuAD, MLQA.

The paragraph that a question was written for answers it; it has no id, so its id is made of its
text (ADR-0010). ``is_impossible`` says that *this paragraph* does not answer. Whether another
paragraph does, nobody has looked, so such a question is unjudged; who knows better says so with
an option.

Source: rajpurkar.github.io/SQuAD-explorer; SQuAD 2.0: Rajpurkar, Jia and Liang 2018.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.fields import Record, records_of, text_of
from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    Passage,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind, read_document


def read_squad(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a file, with their paragraphs as passages.

    Raises:
        InvalidFile: a field is missing or of another type.
    """
    value = read_document(path, file)
    data = value.get("data") if isinstance(value, dict) else None
    questions = tuple(_questions(data, file, options))
    impossible = sum(question.passages is None for question in questions)
    remark = (
        f"questions that their own paragraph does not answer, taken as unjudged: {impossible} "
        f"(--impossible-is-no-answer says that nothing in the corpus answers them)"
    )
    return Found(questions=questions, remarks=(remark,) if impossible else ())


def _questions(data: object, file: str, options: ReadOptions) -> Iterator[FoundQuestion]:
    for article_place, article in records_of(data, "data", file):
        title = article.get("title")
        if title is not None and not isinstance(title, str):
            raise refused(file, article_place, "title must be text")
        paragraphs = article.get("paragraphs")
        for where, paragraph in records_of(paragraphs, "paragraphs", file, article_place):
            passage = Passage(text_of(paragraph, "context", file, where), _title(title))
            for place, record in records_of(paragraph.get("qas"), "qas", file, where):
                yield _question(record, passage, file, place, options)


def _question(
    record: Record, passage: Passage, file: str, place: Place, options: ReadOptions
) -> FoundQuestion:
    is_impossible = record.get("is_impossible", False)
    if not isinstance(is_impossible, bool):
        raise refused(file, place, "is_impossible must be true or false")
    is_no_answer = is_impossible and options.impossible_is_no_answer
    return FoundQuestion(
        id=text_of(record, "id", file, place),
        text=text_of(record, "question", file, place),
        place=place,
        targets=() if is_no_answer else None,
        # A question that the corpus does not answer has no passages either, and says so.
        passages=() if is_no_answer else (None if is_impossible else (passage,)),
        answer=None if is_impossible else _answer(record, file, place),
    )


def _answer(record: Record, file: str, place: Place) -> str | None:
    for _, answer in records_of(record.get("answers", []), "answers", file, place):
        return text_of(answer, "text", file, place)
    return None


def _title(title: str | None) -> str:
    return (title or "").replace("_", " ")


def _sniff(head: Head) -> str | None:
    if head.kind is Kind.DOCUMENT and "paragraphs" in head.first_of("data"):
        return "it has data with paragraphs"
    return None


SQUAD: Final = Format(name="squad", sniff=_sniff, read=read_squad)
