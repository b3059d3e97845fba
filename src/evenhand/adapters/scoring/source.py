"""Which bytes does an input have, on disk and unpacked, and what is their digest?

A path, or ``-`` for standard input. Gzip is recognised by its first bytes, never by the name. The
digest is taken of the bytes as they lie on disk, in the pass that reads them.
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
    from collections.abc import Iterator
    from types import TracebackType
    from typing import IO, Final, Self

STANDARD_INPUT: Final = "-"

_GZIP: Final = b"\x1f\x8b"
_DAMAGED: Final = "is damaged or truncated gzip data"
_PARQUET: Final = b"PAR1"
_STEP: Final = 2**20
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

            self._stream = gzip.GzipFile(fileobj=io.BufferedReader(self._hashed, 2**18))

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
        return filled

    def read(self, limit: int) -> bytes:
        """At most this many bytes; fewer only at the end."""
        parts: list[bytes] = []
        while limit > 0:
            room = bytearray(min(limit, _STEP))
            count = self.readinto(memoryview(room))
            parts.append(bytes(memoryview(room)[:count]))
            limit -= count
            if count < len(room):
                break
        return b"".join(parts)

    def room(self, limit: int, *, before: int, after: int) -> tuple[bytearray, int, int]:
        """At most so many bytes with room around them, and where they begin and end."""
        room = bytearray(before)
        while limit and (content := self.read(min(_STEP, limit))):
            room += content
            limit -= len(content)
        end = len(room)
        room += bytes(after)
        return room, before, end

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
            yield line

    @property
    def sha256(self) -> str:
        """Hexadecimal digest of the bytes on disk; right once all of it was read."""
        return self._hashed.digest.hexdigest()


class _Hashed(io.RawIOBase):
    """A stream whose bytes are digested on the way."""

    def __init__(self, raw: IO[bytes]) -> None:
        import hashlib

        self._raw = raw
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count: int = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        self.digest.update(memoryview(buffer)[:count])
        return count
