"""Which questions do MTRAG's generation tasks hold?

A task a line: ``input`` is a conversation, whose last turn is the question; ``contexts`` are the
passages that its annotators found to answer it. ``answerability`` decides: ANSWERABLE and PARTIAL
have these passages as targets, UNANSWERABLE says that the corpus does not answer, UNDERSPECIFIED
and CONVERSATIONAL ask for no document and are unjudged.

Contexts with a ``score`` are what a retriever gave (the files ``RAG`` and ``reference+RAG``): the
tasks of such a file are refused, since nothing tells its passages apart.

Source: github.com/IBM/mt-rag-benchmark, mtrag-human and mtragun-human, generation_tasks; Katsis
and others 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.fields import (
    Record,
    distinct,
    optional_text,
    records_of,
    text_of,
)
from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.identity.canonical import to_bytes

_LABEL_KEYS: Final = ("answerability", "Answerability")
_WITH_PASSAGES: Final = ("ANSWERABLE", "PARTIAL")
_NO_ANSWER: Final = "UNANSWERABLE"
_UNJUDGED: Final = ("UNDERSPECIFIED", "CONVERSATIONAL")


def read_mtrag(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a file of tasks, and the passages that they name.

    Raises:
        InvalidFile: a field is missing or of another type, a label that is not known, contexts
            that a retriever gave.
    """
    del options
    questions: list[FoundQuestion] = []
    documents: list[CorpusDocument] = []
    cut = 0
    for number, line in read_lines(path, file):
        task = decode_object(line, file, number)
        passages = tuple(_passages(task, file, number))
        turns = [turn for _, turn in records_of(task.get("input"), "input", file, number)]
        if not turns:
            raise refused(file, number, "input has no turn")
        cut += len(turns) > 1
        documents += passages
        questions.append(
            FoundQuestion(
                id=text_of(task, "task_id", file, number),
                text=text_of(turns[-1], "text", file, number),
                place=number,
                targets=_targets(task, passages, file, number),
                answer=_answer(task, file, number),
            )
        )
    remark = f"questions that come after other turns, which are left out: {cut}"
    return Found(questions=tuple(questions), documents=documents, remarks=(remark,) if cut else ())


def _passages(task: Record, file: str, line: int) -> Iterator[CorpusDocument]:
    for _, context in records_of(task.get("contexts"), "contexts", file, line):
        if "score" in context:
            raise refused(file, line, _RETRIEVED)
        yield CorpusDocument(
            id=to_bytes(text_of(context, "document_id", file, line)),
            title=optional_text(context, "title", file, line) or "",
            text=text_of(context, "text", file, line),
        )


def _targets(
    task: Record, passages: tuple[CorpusDocument, ...], file: str, line: int
) -> tuple[str, ...] | None:
    label = _label(task, file, line)
    if label in _UNJUDGED:
        return None
    if label == _NO_ANSWER:
        return ()
    if label not in _WITH_PASSAGES:
        raise refused(file, line, "has an answerability that is not known")
    if not passages:
        raise refused(file, line, f"is {label} and has no contexts")
    return distinct([one.id.decode() for one in passages])


def _label(task: Record, file: str, line: int) -> str:
    value = next((task[key] for key in _LABEL_KEYS if key in task), None)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        raise refused(file, line, "answerability must be one label")
    return value


def _answer(task: Record, file: str, line: int) -> str | None:
    for _, target in records_of(task.get("targets", []), "targets", file, line):
        return optional_text(target, "text", file, line)
    return None


def _sniff(head: Head) -> str | None:
    found = head.kind in (Kind.LINES, Kind.DOCUMENT) and {"task_id", "input", "contexts"}
    return "its tasks have task_id, input and contexts" if found and found <= head.names else None


_RETRIEVED: Final = (
    "has contexts with a score: a retriever gave them, and they are no judgement; "
    "the file of reference tasks has none"
)

MTRAG: Final = Format(name="mtrag", sniff=_sniff, read=read_mtrag)
