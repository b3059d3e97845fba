"""Which questions do RAGChecker's inputs and outputs hold?

``results`` with ``query_id``, ``query`` and ``gt_answer``. ``retrieved_context`` is what a
retriever gave, and what the outputs add (claims, entailments, measures) is a model's opinion of
it: neither says which documents of a corpus answer, so the questions are unjudged.

Source: ragchecker.container.RAGResult (github.com/amazon-science/RAGChecker).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.fields import optional_text, records_of, text_of
from evenhand.adapters.formats.foreign.found import Format, Found, FoundQuestion, ReadOptions
from evenhand.adapters.formats.foreign.head import Head, Kind, read_document
from evenhand.core.errors import InvalidFile

_REMARK: Final = (
    "retrieved_context, claims and measures are left out: they tell of a retriever and of a "
    "model's opinion, not of what the corpus holds"
)


def read_ragchecker(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a file.

    Raises:
        InvalidFile: a field is missing or of another type.
    """
    del options
    document = read_document(path, file)
    if not isinstance(document, dict):
        raise InvalidFile(file, "must be a JSON object")
    questions = tuple(
        FoundQuestion(
            id=text_of(result, "query_id", file, place),
            text=text_of(result, "query", file, place),
            place=place,
            answer=optional_text(result, "gt_answer", file, place),
        )
        for place, result in records_of(document.get("results"), "results", file)
    )
    return Found(questions=questions, remarks=(_REMARK,))


def _sniff(head: Head) -> str | None:
    first = head.first_of("results")
    found = head.kind is Kind.DOCUMENT and {"query_id", "query"} <= first.keys()
    return "its results have query_id and query" if found else None


RAGCHECKER: Final = Format(name="ragchecker", sniff=_sniff, read=read_ragchecker)
