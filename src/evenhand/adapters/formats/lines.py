"""Which lines does a file have, under one set of rules for every format?

Only LF ends a line, with or without a CR before it; other characters that some functions take
for line ends are text. A byte order mark at the start is dropped, blank lines are skipped, gzip
is recognised by its first bytes and never by the name. Memory is bounded by the longest line.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

from evenhand.core.errors import InvalidFile

#: Longest line that is read, in bytes after decompression. A whole book is below 8 MiB.
MAX_LINE_BYTES: Final = 32 * 2**20

_GZIP: Final = b"\x1f\x8b"
_MARK: Final = b"\xef\xbb\xbf"
_UNREADABLE: Final = (OSError, EOFError, zlib.error)
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path, file: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, without their ends.

    Args:
        path: the file, plain or gzip.
        file: what messages call it.

    Yields:
        Number of the line, from 1 and blank lines counted, and its bytes.

    Raises:
        InvalidFile: the file cannot be read, its gzip data are damaged, it is UTF-16, or a line
            is longer than ``MAX_LINE_BYTES``.
    """
    for number, raw in read_raw_lines(path, file):
        marked = without_mark(raw, file) if number == 1 else raw
        line = marked.removesuffix(b"\n").removesuffix(b"\r")
        if line.strip(b" \t"):
            yield number, line


def read_raw_lines(path: Path, file: str) -> Iterator[tuple[int, bytes]]:
    """All lines of a file as they are, their ends and a byte order mark included.

    Raises:
        InvalidFile: as :func:`read_lines`, but for UTF-16.
    """
    number = 0
    with open_binary(path, file) as stream:
        while True:
            number += 1
            # One block around one call: what the consumer raises between lines is not ours.
            try:
                line = stream.readline(MAX_LINE_BYTES + 1)
            except _UNREADABLE as error:
                raise _refused(file, error, number) from None
            if not line:
                return
            if len(line) > MAX_LINE_BYTES:
                raise InvalidFile(file, _too_long("line", MAX_LINE_BYTES), line=number)
            yield number, line


def read_whole(path: Path, file: str, *, limit: int) -> bytes:
    """All bytes of a file, plain or gzip, without a byte order mark.

    Args:
        path: the file.
        file: what messages call it.
        limit: most bytes that are read.

    Raises:
        InvalidFile: as :func:`read_lines`, or the file is longer than ``limit``.
    """
    with open_binary(path, file) as stream, _readable(file):
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise InvalidFile(file, _too_long("file", limit))
    return without_mark(content, file)


def read_beginning(path: Path, file: str, *, size: int) -> bytes:
    """The first bytes of a file, plain or gzip, a byte order mark included.

    Raises:
        InvalidFile: it cannot be read, or its gzip data are damaged as far as they were read.
    """
    with open_binary(path, file) as stream, _readable(file):
        return stream.read(size)


def require_utf8(content: bytes, file: str, line: int | None = None) -> str:
    """The text of some bytes.

    Raises:
        InvalidFile: they are not UTF-8.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1 if line is None else line
        # Not chained: the driver's message repeats the bytes.
        raise InvalidFile(file, "is not UTF-8", line=number) from None


def without_mark(content: bytes, file: str) -> bytes:
    """The bytes at the start of a file without a byte order mark.

    Raises:
        InvalidFile: the mark is that of UTF-16.
    """
    if content.startswith(_UTF16):
        raise InvalidFile(file, "is UTF-16; it must be UTF-8", line=1)
    return content.removeprefix(_MARK)


@contextmanager
def open_binary(path: Path, file: str) -> Iterator[BinaryIO]:
    """A file opened for reading, decompressed where its first bytes say gzip.

    Raises:
        InvalidFile: it cannot be opened.
    """
    with _readable(file):
        raw = path.open("rb")
    with raw:
        with _readable(file):
            is_gzip = raw.read(2) == _GZIP
            raw.seek(0)
        yield cast("BinaryIO", gzip.GzipFile(fileobj=raw)) if is_gzip else raw


@contextmanager
def _readable(file: str) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE as error:
        raise _refused(file, error, None) from None


def _refused(file: str, error: Exception, line: int | None) -> InvalidFile:
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        rule = f"cannot be read: {error.strerror or type(error).__name__}"
        return InvalidFile(file, rule, line=line)
    return InvalidFile(file, "is damaged or truncated gzip data", line=line)


def _too_long(what: str, limit: int) -> str:
    return f"is a {what} of more than {limit} bytes"
