"""Which bytes does an input have, on disk and unpacked, and what is their digest?

A path, or ``-`` for standard input. Gzip is recognised by its first bytes, never by the name. The
digest is taken of the bytes as they lie on disk, in the pass that reads them.
"""

from __future__ import annotations

import hashlib
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Final, cast

from evenhand.core.errors import InvalidFile

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

    def __init__(self, path: str | Path) -> None:
        self.path: Path | None = Path(path)
        self._held: IO[bytes] | None = None
        self.label = Path(path).name
        if str(path) == STANDARD_INPUT:
            self.label, self.path = "standard input", None
            self._held = _spooled(sys.stdin.buffer)
        elif self.path.is_fifo():  # as a shell's <(…) is
            self.label = str(path)
            with self._readable(), self.path.open("rb") as stream:
                self._held = _spooled(stream)
            self.path = None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._held.close()

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """The input from its first byte.

        Raises:
            InvalidFile: it cannot be opened or read, or its gzip data are damaged.
        """
        with self._readable():
            raw = self._raw()
        with raw as stream:
            with self._readable():
                stream.seek(0)
                mark = stream.read(len(_PARQUET))
                stream.seek(0)
            yield Opened(stream, mark, self._readable)

    def _raw(self) -> AbstractContextManager[IO[bytes]]:
        if self._held is not None:
            return nullcontext(self._held)
        return cast("IO[bytes]", Path(str(self.path)).open("rb", buffering=0))

    @property
    def size(self) -> int:
        """Bytes on disk."""
        if self._held is not None:
            return self._held.seek(0, io.SEEK_END)
        return Path(str(self.path)).stat().st_size

    def refused(self, rule: str, *, line: int | None = None) -> InvalidFile:
        """The error that says what is wrong with the input."""
        return InvalidFile(self.label, rule, line=line)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (EOFError, zlib.error):
            raise self.refused(_DAMAGED) from None
        except OSError as error:
            raise self.refused(_unreadable(error)) from None


def _unreadable(error: OSError) -> str:
    # The error of gzip data alone comes from no call of the system.
    return _DAMAGED if error.errno is None else f"cannot be read: {error.strerror}"


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
    """

    def __init__(
        self, raw: IO[bytes], mark: bytes, readable: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._hashed = _Hashed(raw)
        self.is_parquet = mark == _PARQUET
        self._stream: io.RawIOBase | io.BufferedIOBase = self._hashed
        if mark.startswith(_GZIP):
            import gzip

            self._stream = gzip.GzipFile(fileobj=io.BufferedReader(self._hashed, 2**18))
        self._readable = readable

    def readinto(self, view: memoryview) -> int:
        """Fill the view; fewer bytes than it has room for only at the end."""
        filled = 0
        with self._readable():
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
            with self._readable():
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
        self._raw = raw
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count: int = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        self.digest.update(memoryview(buffer)[:count])
        return count
