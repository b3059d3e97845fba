"""Which bytes does an input have, on disk and unpacked, and what is their digest?

A path, or ``-`` for standard input. Gzip is recognised by its first bytes, never by the name. The
digest is taken of the bytes as they lie on disk, in the pass that reads them; of few bytes they
are kept, and digested when somebody asks.
"""

from __future__ import annotations

import io
import os
import stat
import sys

from evenhand.core.errors import InvalidFile

# Not from typing, nor are contextlib, hashlib, pathlib and zlib imported but where they are used:
# each takes as long to import as a thousand rows to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Iterator
    from types import TracebackType
    from typing import IO, Final, Self

STANDARD_INPUT: Final = "-"

_GZIP: Final = b"\x1f\x8b"
_DAMAGED: Final = "is damaged or truncated gzip data"
#: Gzip data may unpack to so many times their size, and to so many bytes in every case. Runs and
#: judgements seldom unpack to ten times theirs; what is made to fill a memory, to a thousand.
MAX_UNPACKED_RATIO: Final = 40
FREE_UNPACKED_BYTES: Final = 16 * 2**20
_TOO_MUCH: Final = (
    f"unpacks to more than {MAX_UNPACKED_RATIO} times its size, beyond "
    f"{FREE_UNPACKED_BYTES // 2**20} MiB; if that is right, unpack it first"
)
_PACKED_PARQUET: Final = (
    "is Parquet inside gzip; unpack it first, Parquet packs its columns itself"
)
_PARQUET: Final = b"PAR1"
_STEP: Final = 2**20
_PART: Final = 2**24  # most bytes that are asked for at a time
_KEPT: Final = 8 * 2**20  # bytes that are kept until their digest is asked for
_IN_MEMORY: Final = 8 * 2**20  # of standard input; more of it goes to a temporary file


class Source:
    """One input, which may be opened more than once inside its ``with``.

    Attributes:
        label: what messages call it: the file's name.
        path: None for what can be read only once: standard input, a pipe.

    Args:
        path: of a file, or ``-``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        name = os.fspath(path)
        self.path: str | None = name
        self._held: IO[bytes] | None = None
        self.label = os.path.basename(name.rstrip("/"))  # noqa: PTH119 -- see above
        if name == STANDARD_INPUT:
            self.label, self.path = "standard input", None
            self._held = _spooled(sys.stdin.buffer)
        elif _is_pipe(name):  # as a shell's <(…) is
            self.label = name
            with _Readable(self), open(name, "rb") as stream:  # noqa: PTH123 -- see above
                self._held = _spooled(stream)
            self.path = None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._held.close()

    def opened(self) -> Opened:
        """The input from its first byte, to be read inside its ``with``.

        Raises:
            InvalidFile: it cannot be opened or read, or its gzip data are damaged.
        """
        with _Readable(self):
            if self._held is None:
                raw: IO[bytes] = open(str(self.path), "rb", buffering=0)  # noqa: PTH123, SIM115 -- Opened closes it
                return Opened(raw, _Readable(self), is_kept=False)
            self._held.seek(0)
            return Opened(self._held, _Readable(self), is_kept=True)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        if self._held is not None:
            return self._held.seek(0, io.SEEK_END)
        return os.stat(str(self.path)).st_size  # noqa: PTH116 -- see above

    def refused(self, rule: str, *, line: int | None = None) -> InvalidFile:
        """The error that says what is wrong with the input."""
        return InvalidFile(self.label, rule, line=line)


class _Readable:
    """Says of an input what the system, or gzip, says while it is opened and read."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def refused(self, rule: str) -> InvalidFile:
        """The error that says what is wrong with the input."""
        return self._source.refused(rule)

    def __enter__(self) -> None:
        """Nothing is held."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _at: TracebackType | None,
    ) -> None:
        if error is None:
            return
        from zlib import error as damaged

        if isinstance(error, (EOFError, damaged)):
            raise self._source.refused(_DAMAGED) from None
        if isinstance(error, OSError):
            raise self._source.refused(_unreadable(error)) from None


def _too_long(limit: int) -> str:
    return f"is a line of more than {limit} bytes"


def _unreadable(error: OSError) -> str:
    # The error of gzip data alone comes from no call of the system.
    return _DAMAGED if error.errno is None else f"cannot be read: {error.strerror}"


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 -- see above
    except OSError:
        return False


def _spooled(stream: IO[bytes]) -> IO[bytes]:
    """A copy that can be read more than once; closed by the source."""
    import shutil
    import tempfile

    held = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
    shutil.copyfileobj(stream, held, 2**20)
    return held


class Opened:
    """An input that is being read.

    Attributes:
        is_parquet: whether it begins like a Parquet file.

    Args:
        raw: from its first byte.
        readable: what says why it cannot be read.
        is_kept: whether it stays open at the end.
    """

    def __init__(self, raw: IO[bytes], readable: _Readable, *, is_kept: bool) -> None:
        self._raw, self._readable, self._is_kept = raw, readable, is_kept
        self._unpacked = 0
        try:
            mark = raw.read(len(_PARQUET))
            raw.seek(0)
        except OSError:
            self.__exit__()
            raise
        self._hashed = _Hashed(raw)
        self.is_parquet = mark == _PARQUET
        self._stream: io.RawIOBase | io.BufferedIOBase = self._hashed
        if mark.startswith(_GZIP):
            import gzip

            packed = gzip.GzipFile(fileobj=io.BufferedReader(self._hashed, 2**18))
            self._stream = packed
            with readable:
                begin = packed.peek(len(_PARQUET))[: len(_PARQUET)]
            if begin == _PARQUET:
                self.__exit__()
                raise readable.refused(_PACKED_PARQUET)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_kept:
            self._raw.close()

    def readinto(self, view: memoryview) -> int:
        """Fill the view; fewer bytes than it has room for only at the end."""
        filled = 0
        with self._readable:
            while filled < len(view):
                count = self._stream.readinto(view[filled:])
                if not count:
                    break
                filled += count
                self._count(count)
        return filled

    def read(self, limit: int) -> bytes:
        """At most this many bytes; fewer only at the end."""
        parts: list[bytes] = []
        with self._readable:
            while limit > 0 and (part := self._stream.read(min(limit, _PART))):
                parts.append(part)
                limit -= len(part)
                self._count(len(part))
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def room(self, limit: int, *, before: int, after: int) -> tuple[bytearray, int, int]:
        """At most so many bytes with room around them, and where they begin and end.

        Raises:
            InvalidFile: among them is no end of a line for longer than a line may be.
        """
        # Few large parts: each gives the interpreter away, and waits until it comes back.
        step = _PART if self._stream is self._hashed else _STEP
        room, begun = bytearray(before), before
        while limit and (content := self.read(min(step, limit))):
            room += content
            limit -= len(content)
            begun = self._require_ends(room, begun)
        end = len(room)
        room += bytes(after)
        return room, before, end

    def _require_ends(self, room: bytearray, start: int) -> int:
        """Where the last line begins, or one before it, of text whose lines have an end.

        Raises:
            InvalidFile: a line is longer than a line may be.
        """
        end = len(room)
        while end - start > _STEP:
            after = room.rfind(b"\n", start, start + _STEP) + 1
            if not after:
                after = room.find(b"\n", start + _STEP, end) + 1
                self._require_end((after or end) - start)
            if not after:
                break
            start = after
        return start

    def _require_end(self, size: int) -> None:
        # Imported here for what else that imports.
        from evenhand.adapters.formats.lines import MAX_LINE_BYTES

        if size > MAX_LINE_BYTES:
            raise self._readable.refused(_too_long(MAX_LINE_BYTES))

    def lines(self, longest: int) -> Iterator[bytes]:
        """Each line with its end, cut behind so many bytes and one."""
        stream = self._stream
        if stream is self._hashed:
            stream = io.BufferedReader(self._hashed, 2**18)
        while True:
            with self._readable:
                line = stream.readline(longest + 1)
            if not line:
                return
            self._count(len(line))
            yield line

    def _count(self, unpacked: int) -> None:
        """Refuse gzip data that unpack to too much, before more of it is held.

        Raises:
            InvalidFile: they do.
        """
        self._unpacked += unpacked
        if self._stream is self._hashed or self._unpacked <= FREE_UNPACKED_BYTES:
            return
        if self._unpacked > MAX_UNPACKED_RATIO * self._raw.tell():
            raise self._readable.refused(_TOO_MUCH)

    def sha256(self) -> str:
        """Hexadecimal digest of the bytes on disk; right once all of it was read."""
        return self._hashed.sha256()


class _Hashed(io.RawIOBase):
    """A stream whose bytes are digested on the way.

    The first of them are kept instead, until more is read or the digest is asked for: of a small
    run nobody may ask for it, and what it takes to make one is imported in a quarter of the time
    in which such a run is scored.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._kept: list[bytes] = []
        self._digest: hashlib._Hash | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if sum(map(len, self._kept)) > _KEPT:
            self._digested()
        content: bytes = self._raw.read(size)
        self._kept.append(content)
        if self._digest is not None:
            self._digested()
        return content

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        digest = self._digested()
        count: int = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        digest.update(memoryview(buffer)[:count])
        return count

    def sha256(self) -> str:
        """Hexadecimal digest of what was read."""
        return self._digested().hexdigest()

    def _digested(self) -> hashlib._Hash:
        """The digest of all that was read so far."""
        if self._digest is None:
            import hashlib

            self._digest = hashlib.sha256()
        for content in self._kept:
            self._digest.update(content)
        self._kept.clear()
        return self._digest
