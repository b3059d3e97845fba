"""Which golden set is a data set of the package ``ir_datasets``?

Named ``ir_datasets:ID``. The package brings the files: what it has not on this machine yet it
fetches itself, from the places it knows; Evenhand asks for nothing else.

Source: ir-datasets.com; ``queries_iter``, ``qrels_iter``, ``docs_iter``, ``default_text``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.found import Found, FoundQuestion, ReadOptions
from evenhand.adapters.formats.qrels_tsv import Judgement
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.identity.canonical import to_bytes
from evenhand.core.retrieval.golden import DocId, QueryId

PREFIX: Final = "ir_datasets:"


def read_ir_datasets(reference: str, options: ReadOptions) -> Found:
    """The queries, judgements and documents of a data set.

    Args:
        reference: ``ir_datasets:`` and the id.
        options: which field of a query is the question, by default its customary text.

    Raises:
        MissingExtra: the package is not installed.
        InvalidFile: it knows no such data set, or the data set has no queries.
    """
    try:
        import ir_datasets
    except ImportError as error:
        raise MissingExtra("ir_datasets", "adapters") from error
    try:
        dataset = ir_datasets.load(reference.removeprefix(PREFIX))
    except KeyError:
        raise InvalidFile(reference, "the package knows no such data set") from None
    if not dataset.has_queries():
        raise InvalidFile(reference, "has no queries")
    try:
        questions = tuple(_questions(dataset, reference, options))
        judgements = tuple(_judgements(dataset)) if dataset.has_qrels() else None
    except InvalidFile:
        raise
    except Exception as error:
        # Whatever its downloads and parsers raise; a message of theirs may hold anything.
        raise InvalidFile(reference, _not_given(error)) from error
    return Found(
        questions=questions,
        name=reference.removeprefix(PREFIX),
        judgements=judgements,
        documents=_documents(dataset) if dataset.has_docs() else None,
    )


def _questions(dataset: Any, reference: str, options: ReadOptions) -> Iterator[FoundQuestion]:
    for number, query in enumerate(dataset.queries_iter(), 1):
        text = _text(query, reference, options)
        yield FoundQuestion(id=query.query_id, text=text, place=f"query {number}")


def _text(query: Any, reference: str, options: ReadOptions) -> str:
    if options.topic_field is None:
        return str(query.default_text())
    if options.topic_field not in query._fields:
        raise InvalidFile(reference, _no_field(query._fields))
    return str(getattr(query, options.topic_field))


def _judgements(dataset: Any) -> Iterator[Judgement]:
    for number, row in enumerate(dataset.qrels_iter(), 1):
        yield Judgement(
            query_id=QueryId(to_bytes(row.query_id)),
            document_id=DocId(to_bytes(row.doc_id)),
            grade=int(row.relevance),
            line=number,
        )


def _documents(dataset: Any) -> Iterator[CorpusDocument]:
    for document in dataset.docs_iter():
        yield CorpusDocument(
            id=to_bytes(document.doc_id), title="", text=str(document.default_text())
        )


def _not_given(error: Exception) -> str:
    return f"the package could not give it ({type(error).__name__})"


def _no_field(fields: tuple[str, ...]) -> str:
    return f"a query has the fields {', '.join(fields)}"
