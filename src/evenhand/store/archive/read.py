"""Is this an archive, whole and unaltered, and which rows does it hold?

Everything is looked at before a row is believed: which members there are, how large, what the
manifest says, and of each table every line, its order, number and digest. What is read is bounded
whatever the file claims: the manifest by ``MAX_MANIFEST_BYTES``, a line by ``MAX_LINE_BYTES``, a
member by the size that the manifest states, and by about a thousand times its packed size, which
is what deflate can do.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from evenhand.core.errors.database import InvalidArchive
from evenhand.store.archive.layout import Layout, UnfitValue, Value, decode_line, read_line
from evenhand.store.archive.manifest import Manifest, TableEntry, UnfitManifest
from evenhand.store.archive.rows import MAX_LINE_BYTES, Tally
from evenhand.store.archive.write import MANIFEST

#: A manifest of several hundred tables is smaller.
MAX_MANIFEST_BYTES: Final = 4 * 2**20
_CHUNK: Final = 2**20
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED: Final = 0x1
_UNREADABLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    UnicodeError,
    ValueError,
)

Row = list[Value]


class Archive:
    """An open archive.

    Args:
        container: its ZIP file.
        file: what messages call it.
        manifest: what it says of itself.

    Attributes:
        manifest: what it says of itself.
    """

    def __init__(self, container: zipfile.ZipFile, file: str, manifest: Manifest) -> None:
        self._container = container
        self._file = file
        self.manifest = manifest

    def verify(self) -> None:
        """Read everything once.

        Raises:
            InvalidArchive: a line is no row of its table, lines are out of order, or they are not
                those whose number, size and digest the manifest states.
        """
        for entry in self.manifest.tables:
            tally, before = Tally(entry.layout), None
            key_of = entry.layout.key_of()
            for number, (line, row) in enumerate(self._lines(entry, read_line), 1):
                try:
                    key = key_of(row)
                except UnfitValue as error:
                    raise self.unfit(entry, error.rule, number) from None
                if before is not None and not before < key:
                    raise self.unfit(entry, "is not behind the line before it, by key", number)
                tally.add(line)
                before = key
            self._compare(entry, tally.entry())

    def rows(self, entry: TableEntry) -> Iterator[Row]:
        """The rows of a table that was verified, in order.

        Raises:
            InvalidArchive: the file was changed meanwhile, and a line is no row any more.
        """
        return (row for _, row in self._lines(entry, decode_line))

    def _lines(
        self, entry: TableEntry, take: Callable[[Layout, bytes], Row]
    ) -> Iterator[tuple[bytes, Row]]:
        layout = entry.layout
        for number, line in enumerate(self._split(entry), 1):
            if not line.endswith(b"\n"):
                raise self.unfit(entry, "does not end with a line feed", number)
            try:
                row = take(layout, line[:-1])
            except UnfitValue as error:
                raise self.unfit(entry, error.rule, number) from None
            yield line, row

    def _split(self, entry: TableEntry) -> Iterator[bytes]:
        """Lines with their ends; the last one may have none."""
        rest: list[bytes] = []
        held = 0
        for chunk in self._chunks(entry):
            first, feed, behind = chunk.partition(b"\n")
            rest.append(first)
            held += len(first)
            if held > MAX_LINE_BYTES:
                raise self.unfit(entry, f"holds a line longer than {MAX_LINE_BYTES} bytes")
            if feed:
                rest.append(feed)
                line = b"".join(rest)
                # A line may be large: it is not kept twice while it is looked at.
                rest.clear()
                yield line
                *whole, last = behind.split(b"\n")
                yield from (line + b"\n" for line in whole)
                rest, held = [last], len(last)
        if held:
            yield b"".join(rest)

    def _chunks(self, entry: TableEntry) -> Iterator[bytes]:
        with _readable(self._file, entry.member):
            member = self._container.open(entry.member)
        with member:
            while True:
                # One block around one call: what the consumer raises is not ours.
                with _readable(self._file, entry.member):
                    chunk = member.read(_CHUNK)
                if not chunk:
                    return
                yield chunk

    def _compare(self, stated: TableEntry, found: TableEntry) -> None:
        if found.rows != stated.rows:
            rule = f"holds {found.rows} rows, the manifest states {stated.rows}"
            raise self.unfit(stated, rule)
        if found.sha256 != stated.sha256:
            raise self.unfit(stated, "has another digest than the manifest states")

    def refused(self, rule: str) -> InvalidArchive:
        """The error that says what is wrong with the manifest."""
        return InvalidArchive(self._file, rule, member=MANIFEST)

    def unfit(self, entry: TableEntry, rule: str, line: int | None = None) -> InvalidArchive:
        """The error that says what is wrong with a table."""
        return InvalidArchive(self._file, rule, member=entry.member, line=line)


@contextmanager
def opened(stream: BinaryIO, file: str) -> Iterator[Archive]:
    """An archive whose members are those that its manifest names; the tables are not read yet.

    Args:
        stream: the file.
        file: what messages call it.

    Raises:
        InvalidArchive: it is no archive, or not a whole one.
    """
    with _readable(file, None):
        container = zipfile.ZipFile(stream)
    with container:
        _require_plain_members(container, file)
        manifest = _read_manifest(container, file)
        _require_members(container, manifest, file)
        yield Archive(container, file, manifest)


def _require_plain_members(container: zipfile.ZipFile, file: str) -> None:
    seen: set[str] = set()
    for info in container.infolist():
        if info.filename in seen:
            raise InvalidArchive(file, "holds two members of one name")
        seen.add(info.filename)
        if info.compress_type not in _PACKED or info.flag_bits & _ENCRYPTED:
            raise InvalidArchive(file, "holds a member that is encrypted or packed otherwise")
    if container.comment:
        raise InvalidArchive(file, "holds a comment")


def _read_manifest(container: zipfile.ZipFile, file: str) -> Manifest:
    if MANIFEST not in container.namelist():
        raise InvalidArchive(file, f"holds no {MANIFEST}: it is no archive of Evenhand")
    # With a bound: the size that the file states is only what the file states, and a read
    # without one unpacks all that there is before it looks at it.
    with _readable(file, MANIFEST), container.open(MANIFEST) as member:
        content = member.read(MAX_MANIFEST_BYTES + 1)
    if len(content) > MAX_MANIFEST_BYTES:
        rule = f"is larger than {MAX_MANIFEST_BYTES} bytes"
        raise InvalidArchive(file, rule, member=MANIFEST)
    try:
        return Manifest.decode(content)
    except UnfitManifest as error:
        raise InvalidArchive(file, error.rule, member=MANIFEST) from None


def _require_members(container: zipfile.ZipFile, manifest: Manifest, file: str) -> None:
    sizes = {info.filename: info.file_size for info in container.infolist()}
    del sizes[MANIFEST]
    for entry in manifest.tables:
        size = sizes.pop(entry.member, None)
        if size is None:
            raise InvalidArchive(file, "is missing", member=entry.member)
        if size != entry.size:
            rule = f"has {size} bytes, the manifest states {entry.size}"
            raise InvalidArchive(file, rule, member=entry.member)
    if sizes:
        rule = f"holds {len(sizes)} members that its manifest does not name"
        raise InvalidArchive(file, rule)


@contextmanager
def _readable(file: str, member: str | None) -> Iterator[None]:
    try:
        yield
    except _UNREADABLE:
        # What the library says may repeat names that somebody else chose.
        rule = "is no ZIP file, or a damaged one" if member is None else "cannot be unpacked"
        raise InvalidArchive(file, rule, member=member) from None
