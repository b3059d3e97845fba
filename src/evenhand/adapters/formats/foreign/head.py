"""What does the beginning of a file show of its format?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.foreign.parquet import MAGIC, column_names
from evenhand.adapters.formats.lines import (
    read_beginning,
    read_lines,
    read_whole,
    without_mark,
)
from evenhand.adapters.formats.strict_json import decode_value
from evenhand.core.errors import InvalidFile

#: Largest JSON document that is read, in bytes after decompression; JSON Lines has no limit.
MAX_DOCUMENT_BYTES: Final = 64 * 2**20

_HEAD_BYTES: Final = 2**16
_LINES_ENDINGS: Final = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")


class Kind(StrEnum):
    """What a file is made of."""

    FOLDER = "folder"
    PARQUET = "Parquet file"
    DOCUMENT = "JSON document"
    LINES = "JSON Lines file"
    TEXT = "text file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file.

    Attributes:
        path, file: where it is, and what messages call it.
        kind: what it is made of.
        names: entries of a folder, columns of a Parquet file, keys of a JSON document (those of
            its first element for a list) or of the first JSON line.
        value: the JSON document or the first JSON line, else None.
        text: the first 64 KiB of a text file, whole lines, bytes that are not UTF-8 replaced.
    """

    path: Path
    file: str
    kind: Kind
    names: frozenset[str] = frozenset()
    value: object = None
    text: str = ""

    @property
    def first_element(self) -> Mapping[str, object]:
        """The first object of a JSON list, or the JSON object itself; empty for anything else."""
        value = self.value[0] if isinstance(self.value, list) and self.value else self.value
        return value if isinstance(value, dict) else {}

    def first_of(self, key: str) -> Mapping[str, object]:
        """The first object of a list under a key; empty where there is none."""
        held = self.first_element.get(key)
        first = held[0] if isinstance(held, list) and held else None
        return first if isinstance(first, dict) else {}


def read_head(path: Path, file: str) -> Head:
    """Look at a file or folder.

    Raises:
        InvalidFile: it cannot be read, or looks like a JSON document and is none.
        MissingExtra: it is a Parquet file and pyarrow is not installed.
    """
    if path.is_dir():
        names = frozenset(one.name for one in path.iterdir())
        return Head(path=path, file=file, kind=Kind.FOLDER, names=names)
    begin = read_beginning(path, file, size=_HEAD_BYTES)
    if begin.startswith(MAGIC):
        return Head(path=path, file=file, kind=Kind.PARQUET, names=column_names(path, file))
    begin = without_mark(begin, file)
    if begin.lstrip()[:1] in (b"{", b"["):
        return _json_head(path, file)
    whole = begin if len(begin) < _HEAD_BYTES else begin[: begin.rfind(b"\n") + 1] or begin
    return Head(path=path, file=file, kind=Kind.TEXT, text=whole.decode("utf-8", "replace"))


def read_document(path: Path, file: str) -> object:
    """The value of a JSON document.

    Raises:
        InvalidFile: it is larger than ``MAX_DOCUMENT_BYTES``, not JSON, or not strict.
    """
    return decode_value(read_whole(path, file, limit=MAX_DOCUMENT_BYTES), file, None)


def _json_head(path: Path, file: str) -> Head:
    lines = read_lines(path, file)
    try:
        number, line = next(lines)
        value = decode_value(line, file, number)
        is_alone = next(lines, None) is None
    except InvalidFile:
        if path.name.endswith(_LINES_ENDINGS):
            raise
        # Not one value a line: an indented document, or one too long for a line.
        return _document_head(path, file)
    has_lines = path.name.endswith(_LINES_ENDINGS)
    if has_lines and not isinstance(value, dict):
        raise InvalidFile(file, "must be a JSON object", line=number)
    if not isinstance(value, dict) or (is_alone and not has_lines):
        return _document_head(path, file)
    return Head(path=path, file=file, kind=Kind.LINES, names=frozenset(value), value=value)


def _document_head(path: Path, file: str) -> Head:
    value = read_document(path, file)
    head = Head(path=path, file=file, kind=Kind.DOCUMENT, value=value)
    names = frozenset(head.first_element)
    return Head(path=path, file=file, kind=Kind.DOCUMENT, names=names, value=value)
