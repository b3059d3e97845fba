"""How is a golden set written as a BEIR folder, so that `beir.read_beir` gives it back?

``queries.jsonl`` with form and hard class in ``metadata``, ``qrels/test.tsv`` with the grades, 1
where nobody graded, ``no_answer.tsv``. An unjudged question is in neither of the last two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.foreign.facets import (
    Held,
    ordered_judgements,
    reduced,
    require_utf8,
)
from evenhand.adapters.formats.foreign.folders import make_folder
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import Answerability, Form, GoldenQuestion, GoldenSet

HELD: Final = Held(
    format="beir", facets=frozenset(("form", "hard_class", "grades", "no_answer", "unjudged"))
)

_QRELS_HEADER: Final = b"query-id\tcorpus-id\tscore\n"
_QUERY_HEADER: Final = b"query-id"
_MARK: Final = "\ufeff".encode()


def write_beir(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    """Write a set as a folder.

    Returns:
        The set as it was written, without what the user dropped.

    Raises:
        InvalidFile: BEIR cannot hold something of it, or the folder cannot be written.
    """
    written = reduced(golden_set, HELD, drop, path.name)
    require_utf8(written, HELD, path.name)
    for number, one in enumerate(written.questions, 1):
        if not all(map(_is_cell, (one.id, *dict(one.judgements)))):
            raise InvalidFile(path.name, _no_cell(number))
    make_folder(path / "qrels")
    encoder = msgspec.json.Encoder()
    with writing(path / "queries.jsonl") as stream:
        stream.write(encoder.encode_lines(map(_query, written.questions)))
    with writing(path / "qrels" / "test.tsv") as stream:
        stream.write(_QRELS_HEADER)
        stream.writelines(_rows(written))
    with writing(path / "no_answer.tsv") as stream:
        stream.write(_QUERY_HEADER + b"\n")
        stream.writelines(
            one.id + b"\n"
            for one in written.questions
            if one.answerability is Answerability.NO_ANSWER
        )
    return written


def _query(one: GoldenQuestion) -> dict[str, object]:
    record: dict[str, object] = {"_id": one.id.decode(), "text": one.question.decode()}
    metadata: dict[str, str] = {}
    if one.form is not Form.MATCH:
        metadata["form"] = one.form.value
    if one.hard_class is not None:
        metadata["hard_class"] = one.hard_class.decode()
    return record | {"metadata": metadata} if metadata else record


def _rows(golden_set: GoldenSet) -> Iterator[bytes]:
    for one in golden_set.questions:
        for document, grade in ordered_judgements(one):
            yield b"%b\t%b\t%d\n" % (one.id, document, grade)


def _is_cell(content: bytes) -> bool:
    """Whether an id can stand in a tab-separated line and be the same when it is read."""
    has_ends = any(one in content for one in (b"\t", b"\n", b"\r"))
    is_taken = content == _QUERY_HEADER or content.startswith(_MARK) or not content.strip()
    return not has_ends and not is_taken


def _no_cell(number: int) -> str:
    return (
        f"question {number} has an id with a tab or a line end, of blanks only, with a byte order "
        f"mark, or that reads like a header; beir cannot hold it"
    )
