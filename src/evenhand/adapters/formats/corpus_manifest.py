"""How does a corpus of any size become sorted identities, a digest and a manifest file?

Documents are read once. Their identities are sorted in runs of bounded size that lie in a
temporary folder, then merged, so that memory does not grow with the corpus.
"""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from evenhand.adapters.formats.corpus import find_corpus, read_documents, repeated_id
from evenhand.adapters.formats.lines import read_raw_lines, require_utf8
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.corpus import (
    CorpusDigest,
    DocumentIdentity,
    content_sha256,
    parse_manifest,
)
from evenhand.usecases.ports import Progress

#: Bytes of sorted records that are held in memory at a time; Python's own overhead comes on top.
RUN_BYTES: Final = 8 * 2**20
#: Runs that are merged at a time; well below the usual limit of open files.
MERGE_WIDTH: Final = 64

_NO_SCOPE: Final = b"-"
_PROGRESS_STEP: Final = 1000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSummary:
    """A corpus in numbers.

    Attributes:
        digest: the corpus label, 64 lowercase hex digits.
        documents: how many it has, at least 1.
        scoped: how many of them have an access scope.
    """

    digest: str
    documents: int
    scoped: int


def corpus_digest_of(path: Path, scope_field: str | None = None) -> str:
    """The label of a corpus or of a manifest file: 64 lowercase hex digits.

    Raises:
        InvalidFile: see :func:`open_identities`.
    """
    return summarize_corpus(path, scope_field).digest


def summarize_corpus(
    path: Path, scope_field: str | None = None, *, progress: Progress | None = None
) -> CorpusSummary:
    """Digest and counts of a corpus or of a manifest file; see :func:`open_identities`."""
    with open_identities(path, scope_field, progress=progress) as identities:
        return _digest(identities, None)


def write_manifest(
    path: Path,
    output: Path,
    scope_field: str | None = None,
    *,
    progress: Progress | None = None,
) -> CorpusSummary:
    """Write the manifest of a corpus; the SHA-256 of the written file is the corpus label.

    The file appears as a whole or not at all, and replaces one that is there.

    Args:
        path: a corpus, or a manifest that is copied.
        output: the file to write.
        scope_field: see `read_corpus`.
        progress: hears of documents that were read.

    Raises:
        InvalidFile: see :func:`open_identities`, or ``output`` cannot be written.
    """
    with (
        open_identities(path, scope_field, progress=progress) as identities,
        writing(output) as stream,
    ):
        return _digest(identities, stream)


@contextmanager
def open_identities(
    path: Path, scope_field: str | None = None, *, progress: Progress | None = None
) -> Iterator[Iterator[DocumentIdentity]]:
    """The identities of a corpus in byte order of the ids, while the block lasts.

    Args:
        path: a corpus as `read_corpus` takes it, or a manifest file.
        scope_field: see `read_corpus`; not for a manifest, which holds its scopes.
        progress: hears of documents that were read, some at a time.

    Raises:
        InvalidFile: the corpus breaks a rule of `read_corpus`, or the manifest is not one.
    """
    if is_manifest(path):
        if scope_field is not None:
            raise InvalidFile(path.name, "a manifest already says what the scopes are")
        yield _read_manifest(path)
        return
    with tempfile.TemporaryDirectory(prefix="evenhand-") as folder, ExitStack() as opened:
        runs = _Runs(Path(folder))
        documents = _counted(read_documents(path, scope_field), progress)
        for document, line in documents:
            digest = content_sha256(document.title, document.text)
            runs.add(_record(document.id, digest, document.scope, line))
        yield _identities(runs.merge(opened), find_corpus(path).name)


def is_manifest(path: Path) -> bool:
    """Whether a file begins like a manifest, that is, with a JSON array.

    Raises:
        InvalidFile: it cannot be read.
    """
    if not path.is_file():
        return False
    for _, line in read_raw_lines(path, path.name):
        return line.startswith(b"[")
    return False


class _Runs:
    """Records that are sorted, however many there are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._files: list[Path] = []
        self._written = 0

    def add(self, record: bytes) -> None:
        """Take one record, a line with its LF."""
        self._held.append(record)
        self._held_bytes += len(record)
        if self._held_bytes >= RUN_BYTES:
            self._held.sort()
            self._files.append(self._write(iter(self._held)))
            self._held, self._held_bytes = [], 0
        if len(self._files) >= MERGE_WIDTH:
            with ExitStack() as opened:
                merged = self._write(_merge_files(self._files, opened))
            for file in self._files:
                file.unlink()
            self._files = [merged]

    def merge(self, opened: ExitStack) -> Iterator[bytes]:
        """All records in order; the files stay open as long as ``opened``."""
        self._held.sort()
        return heapq.merge(_merge_files(self._files, opened), self._held)

    def _write(self, records: Iterator[bytes]) -> Path:
        self._written += 1
        path = self._folder / f"run-{self._written}"
        with path.open("wb") as stream:
            stream.writelines(records)
        return path


def _counted(items: Iterator[_T], progress: Progress | None) -> Iterator[_T]:
    """The same items; a bar that moved for each of them would cost more than reading them."""
    if progress is None:
        yield from items
        return
    for number, item in enumerate(items, 1):
        if number % _PROGRESS_STEP == 0:
            progress.advance(_PROGRESS_STEP)
        yield item


def _merge_files(files: list[Path], opened: ExitStack) -> Iterator[bytes]:
    return heapq.merge(*(opened.enter_context(file.open("rb")) for file in files))


def _record(document_id: bytes, digest: str, scope: bytes | None, line: int) -> bytes:
    # Hex keeps the order of bytes, and the blank after it sorts before every hex digit, so that
    # sorting the lines sorts the ids.
    shown = _NO_SCOPE if scope is None else scope.hex().encode()
    return b"%s %s %s %d\n" % (document_id.hex().encode(), digest.encode(), shown, line)


def _identities(records: Iterator[bytes], file: str) -> Iterator[DocumentIdentity]:
    last_id, last_line = b"", 0
    for record in records:
        hex_id, digest, scope, line = record.split(b" ")
        if hex_id == last_id:
            raise repeated_id(file, last_line, int(line))
        last_id, last_line = hex_id, int(line)
        yield DocumentIdentity(
            id=bytes.fromhex(hex_id.decode()),
            content_sha256=digest.decode(),
            scope=None if scope == _NO_SCOPE else bytes.fromhex(scope.decode()),
        )


def _read_manifest(path: Path) -> Iterator[DocumentIdentity]:
    file = path.name
    lines = (require_utf8(line, file, number) for number, line in read_raw_lines(path, file))
    try:
        yield from parse_manifest(lines)
    except InvalidCorpus as error:
        raise InvalidFile(file, error.rule, line=error.position) from error


def _digest(identities: Iterator[DocumentIdentity], output: BinaryIO | None) -> CorpusSummary:
    digest = CorpusDigest()
    scoped = 0
    for identity in identities:
        line = digest.add(identity)
        scoped += identity.scope is not None
        if output is not None:
            output.write(line.encode("ascii"))
    return CorpusSummary(digest=digest.hexdigest(), documents=digest.documents, scoped=scoped)
