"""Which questions and documents does an AutoRAG data set hold?

A folder with ``qa.parquet`` (``qid``, ``query``, ``retrieval_gt``, ``generation_gt``) and usually
``corpus.parquet`` (``doc_id``, ``contents``), or the first file alone. ``retrieval_gt`` is a list
of lists of ids: of each inner list one document is wanted. A golden question has targets any one
of which is a hit, so the lists become one, and how many questions lost the "and" is told. A list
without any id says nothing, and the question is unjudged.

Source: marker-inc-korea.github.io/AutoRAG, data_creation/data_format.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.fields import distinct, kind_of, text_of, texts_of
from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.adapters.formats.foreign.parquet import parquet_rows
from evenhand.core.identity.canonical import to_bytes

_QUESTIONS, _CORPUS = "qa.parquet", "corpus.parquet"
_COLUMNS: Final = frozenset(("qid", "query", "retrieval_gt"))


def read_autorag(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a folder or of ``qa.parquet``, with the documents of the corpus beside it.

    Raises:
        InvalidFile: a column is missing or of another type.
        MissingExtra: pyarrow is not installed.
    """
    del options
    source = path / _QUESTIONS if path.is_dir() else path
    name = f"{file}/{_QUESTIONS}" if path.is_dir() else file
    corpus = path / _CORPUS
    questions: list[FoundQuestion] = []
    several = 0
    for place, row in parquet_rows(source, name):
        groups = _groups(row.get("retrieval_gt"), name, place)
        several += len(groups) > 1
        questions.append(
            FoundQuestion(
                id=text_of(row, "qid", name, place),
                text=text_of(row, "query", name, place),
                place=place,
                targets=distinct([one for group in groups for one in group]) or None,
                answer=_answer(row.get("generation_gt"), name, place),
            )
        )
    has_corpus = path.is_dir() and corpus.is_file()
    remark = (
        f"questions that want several documents together, any one of which now hits: {several}"
    )
    return Found(
        questions=tuple(questions),
        documents=_Corpus(corpus, f"{file}/{_CORPUS}") if has_corpus else None,
        is_whole_corpus=has_corpus,
        remarks=(remark,) if several else (),
    )


def _groups(value: object, file: str, place: Place) -> tuple[tuple[str, ...], ...]:
    """The id lists: one text is one list of one id, a flat list is one list of one id each."""
    if value is None:
        return ()
    if isinstance(value, str):
        return ((value,),) if value else ()
    if not isinstance(value, list):
        raise refused(file, place, _no_lists(value))
    lists = [one if isinstance(one, list) else [one] for one in value]
    filled = [[one for one in members if one not in ("", None)] for members in lists]
    return tuple(texts_of(one, "retrieval_gt", file, place) for one in filled if one)


def _answer(value: object, file: str, place: Place) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if value is None or value == "":
        return None
    return texts_of([value], "generation_gt", file, place)[0]


class _Corpus:
    """The documents of ``corpus.parquet``, read anew by everyone who goes over them."""

    def __init__(self, path: Path, file: str) -> None:
        self._path = path
        self._file = file

    def __iter__(self) -> Iterator[CorpusDocument]:
        for place, row in parquet_rows(self._path, self._file):
            text = row.get("contents")
            if not isinstance(text, str):
                raise refused(self._file, place, f"contents must be text, not {kind_of(text)}")
            name = text_of(row, "doc_id", self._file, place)
            yield CorpusDocument(id=to_bytes(name), title="", text=text)


def _sniff(head: Head) -> str | None:
    if head.kind is Kind.FOLDER and _QUESTIONS in head.names:
        return f"the folder has {_QUESTIONS}"
    if head.kind is Kind.PARQUET and head.names >= _COLUMNS:
        return f"it has the columns {', '.join(sorted(_COLUMNS))}"
    return None


def _no_lists(value: object) -> str:
    return f"retrieval_gt must be a list of lists of ids, not {kind_of(value)}"


AUTORAG: Final = Format(name="autorag", sniff=_sniff, read=read_autorag)
