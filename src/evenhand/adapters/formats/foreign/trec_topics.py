"""Which questions does a file of TREC topics hold? Classic, XML, and tab-separated.

Classic topics are SGML in which only ``top`` is closed: ``<num> Number: 301``, ``<title>``,
``<desc> Description:``, ``<narr> Narrative:``. XML topics have an id as ``number`` and fields as
elements. A tab-separated file has an id and a text a line. White space within a field becomes
single blanks; ids are kept as they stand.

Source: the TREC ad hoc topic format (trec.nist.gov, topics of 1998 to 2004), topics of
TREC-COVID, and Anserini's tools/topics-and-qrels.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from xml.parsers import expat

from evenhand.adapters.formats.foreign.found import (
    Format,
    Found,
    FoundQuestion,
    Place,
    ReadOptions,
    refused,
)
from evenhand.adapters.formats.foreign.head import MAX_DOCUMENT_BYTES, Head, Kind
from evenhand.adapters.formats.lines import read_lines, read_whole, require_utf8
from evenhand.core.errors import InvalidFile

#: Fields that hold the question where the user names none, the first that a topic has.
_QUESTION_FIELDS: Final = ("title", "query")

_TAG: Final = re.compile(r"\s*<(/?)([A-Za-z][\w-]*)>")
_ID_FIELD: Final = "num"
_TOPIC: Final = "top"
#: What NIST writes before the content of a field.
_LABEL: Final = re.compile(r"^(?:number|topic|description|narrative):\s*", re.IGNORECASE)
_TOPIC_NAMES: Final = ("topic", "query")
_ID_NAMES: Final = ("number", "id")


class _Topic(NamedTuple):
    id: str
    fields: Mapping[str, str]
    place: Place


def read_classic(path: Path, file: str, options: ReadOptions) -> Found:
    """The topics of a classic file.

    Raises:
        InvalidFile: a topic without an id or without the field, or one that is not closed.
    """
    return _found(_classic_topics(path, file), file, options)


def read_xml(path: Path, file: str, options: ReadOptions) -> Found:
    """The topics of an XML file.

    Raises:
        InvalidFile: it is not well-formed, has a document type, which could define entities
            without end, or a topic has no id or not the field.
    """
    return _found(_xml_topics(path, file), file, options)


def read_tsv(path: Path, file: str, options: ReadOptions) -> Found:
    """The topics of a tab-separated file.

    Raises:
        InvalidFile: a line without exactly two columns, or an empty column.
    """
    del options
    questions: list[FoundQuestion] = []
    for number, line in read_lines(path, file):
        columns = require_utf8(line, file, number).split("\t")
        if len(columns) != 2:
            raise InvalidFile(file, _not_two(len(columns)), line=number)
        questions.append(FoundQuestion(id=columns[0], text=columns[1], place=number))
    return Found(questions=tuple(questions))


def _found(topics: Iterator[_Topic], file: str, options: ReadOptions) -> Found:
    wanted = _QUESTION_FIELDS if options.topic_field is None else (options.topic_field,)
    questions: list[FoundQuestion] = []
    used: set[str] = set()
    for topic in topics:
        if not topic.id:
            raise refused(file, topic.place, "a topic has no id")
        field = next((one for one in wanted if topic.fields.get(one)), None)
        if field is None:
            raise refused(file, topic.place, _no_field(wanted, topic.fields))
        used.add(field)
        text = topic.fields[field]
        questions.append(FoundQuestion(id=topic.id, text=text, place=topic.place))
    remark = f"the question of a topic is its {' or '.join(sorted(used))} (--topic-field)"
    return Found(questions=tuple(questions), remarks=(remark,) if used else ())


def _classic_topics(path: Path, file: str) -> Iterator[_Topic]:
    fields: dict[str, list[str]] | None = None
    begins, current = 0, ""
    for number, line in read_lines(path, file):
        rest = require_utf8(line, file, number)
        while found := _TAG.match(rest):
            name, rest = found[2].lower(), rest[found.end() :]
            if name == _TOPIC:
                if (fields is None) is bool(found[1]):
                    raise InvalidFile(file, "a topic begins or ends within another", line=number)
                if fields is not None:
                    yield _Topic(_clean(fields.pop(_ID_FIELD, [])), _cleaned(fields), begins)
                fields, begins, current = (None if found[1] else {}), number, ""
            else:
                current = "" if found[1] else name
        if fields is not None and current:
            fields.setdefault(current, []).append(rest.replace(f"</{current}>", " "))
    if fields is not None:
        raise InvalidFile(file, "the last topic is not closed", line=begins)


def _cleaned(fields: Mapping[str, list[str]]) -> dict[str, str]:
    return {name: _clean(lines) for name, lines in fields.items()}


def _clean(lines: list[str]) -> str:
    return _LABEL.sub("", " ".join(" ".join(lines).split()))


def _xml_topics(path: Path, file: str) -> Iterator[_Topic]:
    collector = _XmlTopics(file)
    parser = expat.ParserCreate()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.StartDoctypeDeclHandler = collector.doctype
    collector.line = lambda: parser.CurrentLineNumber
    try:
        parser.Parse(read_whole(path, file, limit=MAX_DOCUMENT_BYTES), True)  # noqa: FBT003
    except expat.ExpatError as error:
        raise InvalidFile(file, _no_xml(error), line=error.lineno) from None
    yield from collector.topics


class _XmlTopics:
    """Collects topics while a parser goes over the file."""

    def __init__(self, file: str) -> None:
        self.topics: list[_Topic] = []
        self.line: Callable[[], int] = lambda: 1
        self._file = file
        self._id: str | None = None
        self._field = ""
        self._parts: dict[str, list[str]] = {}
        self._begins = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        if self._id is None and name in _TOPIC_NAMES:
            found = [attributes[one] for one in _ID_NAMES if one in attributes]
            self._id, self._begins = (found[0] if found else ""), self.line()
            self._parts = {}
        elif self._id is not None:
            self._field = name

    def text(self, content: str) -> None:
        """Some text of the element that began last."""
        if self._id is not None and self._field:
            self._parts.setdefault(self._field, []).append(content)

    def end(self, name: str) -> None:
        """An element ends."""
        if self._field == name:
            self._field = ""
        elif self._id is not None and name in _TOPIC_NAMES:
            fields = {one: " ".join("".join(parts).split()) for one, parts in self._parts.items()}
            self.topics.append(_Topic(self._id, fields, self._begins))
            self._id = None

    def doctype(self, *_: object) -> None:
        """A document type begins."""
        raise InvalidFile(self._file, "has a document type; topics need none", line=self.line())


def _sniff_classic(head: Head) -> str | None:
    return "it has <top> topics" if head.kind is Kind.TEXT and _has(head, r"<top>") else None


def _sniff_xml(head: Head) -> str | None:
    is_xml = head.kind is Kind.TEXT and head.text.lstrip().startswith("<")
    return "it is XML with topics" if is_xml and _has(head, r"<topics?[ >]") else None


def _sniff_tsv(head: Head) -> str | None:
    lines = [line for line in head.text.split("\n") if line.strip()]
    if head.kind is not Kind.TEXT or not lines:
        return None
    if any(line.count("\t") != 1 or not line.partition("\t")[0].strip() for line in lines):
        return None
    if lines[0].partition("\t")[0].casefold() in ("id", "_id", "qid", "query-id", "query_id"):
        return None
    return "each line has an id, a tab and a text"


def _has(head: Head, pattern: str) -> bool:
    return re.search(rf"^\s*{pattern}", head.text, re.IGNORECASE | re.MULTILINE) is not None


def _not_two(found: int) -> str:
    return f"must have 2 columns parted by a tab (id, text), not {found}"


def _no_field(wanted: tuple[str, ...], fields: Mapping[str, str]) -> str:
    there = ", ".join(sorted(name for name, text in fields.items() if text)) or "none"
    return f"the topic has no text in {' or '.join(wanted)}; there are: {there}"


def _no_xml(error: expat.ExpatError) -> str:
    return f"is not XML: {expat.ErrorString(error.code)}"


CLASSIC: Final = Format(name="trec", sniff=_sniff_classic, read=read_classic)
XML: Final = Format(name="trec-xml", sniff=_sniff_xml, read=read_xml)
TSV: Final = Format(name="trec-tsv", sniff=_sniff_tsv, read=read_tsv)
