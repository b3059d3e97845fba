"""Which questions and documents does a file of a SMART collection hold?

Records begin with ``.I`` and an id; ``.T``, ``.A``, ``.B`` and ``.W`` alone on a line begin title,
authors, source and text. The TIME collection has ``*FIND`` and a number before each question and
``*STOP`` at the end. White space becomes single blanks.

The numbers that a file prints need not be those that its judgements use: Cranfield's queries
print 001 to 365 with gaps, and its judgements count them from 1 to 225.

Source: the collections as the University of Glasgow's IR group hands them out (ir.dcs.gla.ac.uk).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.found import Format, Found, FoundQuestion, ReadOptions
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.adapters.formats.lines import read_lines, require_utf8
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import to_bytes

_RECORD: Final = re.compile(r"\.I\s+(\S+)\s*")
_FIELD: Final = re.compile(r"\.([A-Z])\s*")
_FIND: Final = re.compile(r"\*FIND\s+(\S+)\s*")
_STOP: Final = "*STOP"
_TITLE, _TEXT = "T", "W"
#: A record of a file of documents has one of these; most files of queries have none.
_DOCUMENT_FIELDS: Final = re.compile(r"^\.[TAB]\s*$", re.MULTILINE)


def read_smart(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a file.

    Raises:
        InvalidFile: text before the first record, or a record without a text.
    """
    del options
    questions: list[FoundQuestion] = []
    for line, name, fields in _records(path, file):
        text = fields.get(_TEXT, "")
        if not text:
            raise InvalidFile(file, "the record has no text", line=line)
        questions.append(FoundQuestion(id=name, text=text, place=line))
    return Found(questions=tuple(questions))


def read_smart_documents(path: Path, file: str) -> Iterator[CorpusDocument]:
    """The documents of a file: title from ``.T``, text from ``.W``, either may be empty.

    Raises:
        InvalidFile: text before the first record.
    """
    for _, name, fields in _records(path, file):
        yield CorpusDocument(
            id=to_bytes(name), title=fields.get(_TITLE, ""), text=fields.get(_TEXT, "")
        )


def is_smart(head: Head) -> bool:
    """Whether a file has SMART records."""
    first = head.text.lstrip().partition("\n")[0].rstrip()
    return head.kind is Kind.TEXT and bool(_RECORD.fullmatch(first) or _FIND.fullmatch(first))


def _records(path: Path, file: str) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    begins, name = 0, ""
    fields: dict[str, list[str]] = {}
    current = ""
    for number, line in read_lines(path, file):
        text = require_utf8(line, file, number)
        found = _RECORD.fullmatch(text) or _FIND.fullmatch(text)
        if found or text.strip() == _STOP:
            if begins:
                yield begins, name, _joined(fields)
            begins, name = (number, found[1]) if found else (0, "")
            fields, current = {}, _TEXT if text.startswith("*") else ""
        elif field := _FIELD.fullmatch(text):
            current = field[1]
        elif not begins:
            raise InvalidFile(file, "has text before the first record", line=number)
        else:
            fields.setdefault(current, []).append(text)
    if begins:
        yield begins, name, _joined(fields)


def _joined(fields: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: " ".join(" ".join(lines).split()) for name, lines in fields.items()}


def _sniff(head: Head) -> str | None:
    if not is_smart(head) or _has_documents(head):
        return None
    return "its records begin with .I or *FIND and have only a text"


def _sniff_documents(head: Head) -> str | None:
    found = is_smart(head) and _has_documents(head)
    return "its records begin with .I and have titles or authors" if found else None


def _has_documents(head: Head) -> bool:
    first = re.split(r"^\.I ", head.text, maxsplit=2, flags=re.MULTILINE)[:2]
    return _DOCUMENT_FIELDS.search(first[-1]) is not None


SMART: Final = Format(name="smart", sniff=_sniff, read=read_smart)
SMART_DOCUMENTS: Final = Format(
    name="smart-documents",
    sniff=_sniff_documents,
    read=(
        "holds documents, no questions; give it with --documents beside the questions, "
        "or say --format smart where it is a file of questions after all"
    ),
)
