"""Which documents does a corpus hold? BEIR folders, JSON Lines, and folders of text files.

Documents stream in the order of the files. What identifies a corpus is `corpus_manifest`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.lines import read_lines, read_whole, require_utf8
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile
from evenhand.core.identity.canonical import to_bytes

#: Largest text or Markdown file that is read as a document, in bytes.
MAX_TEXT_BYTES: Final = 64 * 2**20

_CORPUS_NAMES: Final = ("corpus.jsonl", "corpus.jsonl.gz")
_CORPUS_ENDINGS: Final = (".jsonl", ".jsonl.gz")
_TEXT_ENDINGS: Final = (".txt", ".md")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusDocument:
    """One document.

    Attributes:
        id: original bytes, not empty, no NUL.
        title: may be empty.
        text: may be empty; everything else about it is as it was read.
        scope: who may see it, None where the corpus has no scopes.
    """

    id: bytes
    title: str
    text: str
    scope: bytes | None = None


def read_corpus(path: Path, scope_field: str | None = None) -> Iterator[CorpusDocument]:
    """The documents of a corpus, in the order of its files.

    Args:
        path: a folder with ``corpus.jsonl`` or ``corpus.jsonl.gz`` (the first wins), such a file
            under any name, or a folder of ``*.txt`` and ``*.md`` files at any depth. The id of a
            text file is its relative POSIX path, its title is empty; names that begin with a dot
            and folders behind links are left out.
        scope_field: the field of a JSON document, or of its ``metadata``, that holds the access
            scope as text. A document without it has no scope.

    Raises:
        InvalidFile: no such corpus, an id that is missing or occurs twice (both places are
            named), a value that is not text, or ``scope_field`` occurs in no document.
    """
    file = find_corpus(path).name
    seen: dict[bytes, int] = {}
    for document, line in read_documents(path, scope_field):
        first = seen.setdefault(document.id, line)
        if first != line:
            raise repeated_id(file, first, line)
        yield document


def read_documents(
    path: Path, scope_field: str | None = None
) -> Iterator[tuple[CorpusDocument, int]]:
    """As :func:`read_corpus`, with the line of each document and without a look for repeats.

    Memory does not grow with the corpus; finding repeated ids is left to whoever sorts. The line
    counts from 1 and is 1 for a text file, whose id nothing can repeat.
    """
    source = find_corpus(path)
    if source.is_dir():
        if scope_field is not None:
            raise InvalidFile(path.name, "text files have no field that could hold a scope")
        yield from _text_files(source)
        return
    is_empty, has_scope = True, False
    for number, line in read_lines(source, source.name):
        document = _build(line, source.name, number, scope_field)
        is_empty, has_scope = False, has_scope or document.scope is not None
        yield document, number
    if is_empty:
        raise InvalidFile(source.name, "holds no documents")
    if scope_field is not None and not has_scope:
        raise InvalidFile(source.name, _no_scope(scope_field))


def find_corpus(path: Path) -> Path:
    """The file that holds the documents of a corpus, or the folder of its text files.

    Raises:
        InvalidFile: there is no such corpus.
    """
    if path.is_dir():
        named = (path / name for name in _CORPUS_NAMES)
        return next((file for file in named if file.is_file()), path)
    if not path.exists():
        raise InvalidFile(str(path), "does not exist")
    if not path.name.endswith(_CORPUS_ENDINGS):
        raise InvalidFile(path.name, "is no corpus: the name must end in .jsonl or .jsonl.gz")
    return path


def repeated_id(file: str, one: int, other: int) -> InvalidFile:
    """The error for an id that occurs on two lines of a corpus file."""
    earlier, later = sorted((one, other))
    return InvalidFile(file, _same_id(earlier, later), line=later)


def _build(line: bytes, file: str, number: int, scope_field: str | None) -> CorpusDocument:
    record = decode_object(line, file, number)
    document_id = _text(record, "_id", file, number)
    if not document_id:
        raise InvalidFile(file, "_id must not be empty", line=number)
    if "\0" in document_id:
        raise InvalidFile(file, "_id must not hold NUL", line=number)
    return CorpusDocument(
        id=to_bytes(document_id),
        title="" if record.get("title") is None else _text(record, "title", file, number),
        text=_text(record, "text", file, number),
        scope=None if scope_field is None else _scope(record, scope_field, file, number),
    )


def _text(record: dict[str, object], field: str, file: str, line: int) -> str:
    value = record.get(field, msgspec.UNSET)
    if value is msgspec.UNSET:
        raise InvalidFile(file, _missing(field), line=line)
    if not isinstance(value, str):
        raise InvalidFile(file, _no_text(field), line=line)
    return value


def _scope(record: dict[str, object], field: str, file: str, line: int) -> bytes | None:
    metadata = record.get("metadata")
    holder = record if field in record or not isinstance(metadata, dict) else metadata
    if holder.get(field) is None:
        return None
    return to_bytes(_text(holder, field, file, line))


def _text_files(folder: Path) -> Iterator[tuple[CorpusDocument, int]]:
    found = False
    for path, name in _walk(folder):
        found = True
        content = read_whole(path, name, limit=MAX_TEXT_BYTES)
        text = require_utf8(content, name)
        yield CorpusDocument(id=os.fsencode(name), title="", text=text), 1
    if not found:
        raise InvalidFile(str(folder), "holds neither corpus.jsonl nor *.txt or *.md files")


def _walk(folder: Path) -> Iterator[tuple[Path, str]]:
    """Text files below a folder with their relative POSIX paths, in one order everywhere."""
    for parent, folders, names in os.walk(folder, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(_TEXT_ENDINGS) and not name.startswith("."):
                path = Path(parent) / name
                yield path, path.relative_to(folder).as_posix()


def _unreadable(error: OSError) -> None:
    raise InvalidFile(str(error.filename), "is a folder that cannot be read") from error


def _missing(field: str) -> str:
    return f"{field} is missing"


def _no_text(field: str) -> str:
    return f"{field} must be text"


def _same_id(first: int, second: int) -> str:
    return f"one document id occurs on line {first} and on line {second}"


def _no_scope(field: str) -> str:
    return f"no document has the field {field!r}, so there is no scope"
