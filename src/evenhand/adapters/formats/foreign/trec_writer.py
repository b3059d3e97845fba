"""How are questions and judgements written as TREC topics and qrels?

``topics.tsv`` has an id, a tab and a text a line; ``qrels.txt`` has query, 0, document and grade.
A query without a line in the qrels is unjudged; TREC has no way to say that nothing answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.facets import (
    Held,
    ordered_judgements,
    reduced,
    require_utf8,
)
from evenhand.adapters.formats.foreign.folders import make_folder
from evenhand.adapters.formats.qrels_tsv import Judgement
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenSet

HELD: Final = Held(format="trec", facets=frozenset(("grades", "unjudged")))
TOPICS_NAME, QRELS_NAME = "topics.tsv", "qrels.txt"

_MARK: Final = "\ufeff".encode()


def write_trec(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    """Write a set as a folder of topics and qrels, with grade 1 where nobody graded.

    Returns:
        The set as it was written, without what the user dropped.

    Raises:
        InvalidFile: TREC cannot hold something of it, or the folder cannot be written.
    """
    written = reduced(golden_set, HELD, drop, path.name)
    require_utf8(written, HELD, path.name)
    for number, one in enumerate(written.questions, 1):
        if not all(map(_is_word, (one.id, *dict(one.judgements)))):
            raise InvalidFile(path.name, _no_word(number))
        if any(end in one.question for end in (b"\t", b"\n", b"\r")):
            raise InvalidFile(path.name, _no_line(number))
    make_folder(path)
    with writing(path / TOPICS_NAME) as stream:
        stream.writelines(one.id + b"\t" + one.question + b"\n" for one in written.questions)
    with writing(path / QRELS_NAME) as stream:
        for one in written.questions:
            stream.writelines(_row(one.id, *judgement) for judgement in ordered_judgements(one))
    return written


def write_qrels(path: Path, judgements: Iterable[Judgement]) -> int:
    """Write judgements with their grades as TREC qrels.

    Returns:
        How many were written.

    Raises:
        InvalidFile: an id has white space, which would part it, or the file cannot be written.
    """
    count = 0
    with writing(path) as stream:
        for row in judgements:
            if not (_is_word(row.query_id) and _is_word(row.document_id)):
                raise InvalidFile(path.name, _no_word_row(row.line))
            stream.write(_row(row.query_id, row.document_id, row.grade))
            count += 1
    return count


def _row(query: bytes, document: bytes, grade: int) -> bytes:
    return b"%b 0 %b %d\n" % (query, document, grade)


def _is_word(content: bytes) -> bool:
    return content.split() == [content] and not content.startswith(_MARK)


def _no_word(number: int) -> str:
    return f"question {number} has an id with white space or a byte order mark, which trec parts"


def _no_word_row(line: int) -> str:
    return f"the judgement read from line {line} has an id with white space, which trec parts"


def _no_line(number: int) -> str:
    return f"question {number} has a tab or a line end in its text, which trec cannot hold"
