"""Which vectors were made before? Those of documents, on disk, by the digest of their text.

One file holds the vectors of one embedder as it runs on one kind of machine: its key covers
everything that moves a vector. Texts are not in it, and queries never are; vectors still tell
much about their texts, so the folder is for its owner only. A file that is damaged is made again.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.adapters.embedders.protocol import Embedder
from evenhand.core.identity.canonical import json_ascii_v1_digest

FORMAT: Final = "vectors-v1"

_WAIT_SECONDS: Final = 30
_CHECK_BYTES: Final = 8
_LOOKUP: Final = 500
_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS about (key TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS vector (digest BLOB PRIMARY KEY, value BLOB, checked BLOB)",
)
_INSERT: Final = "INSERT OR REPLACE INTO vector VALUES (?, ?, ?)"
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class _Damaged(Exception):
    """The file is not what this module wrote."""


class VectorCache:
    """Vectors of documents, of one embedder, in one file.

    Args:
        folder: where the file lies.
        embedder: whose vectors they are.
        machine: label of the machine's kind; floating point depends on it.
        tell: hears that the file was damaged, or cannot be used.
    """

    def __init__(
        self, folder: Path, embedder: Embedder, *, machine: str, tell: Callable[[str], None]
    ) -> None:
        self.key = cache_key(embedder, machine)
        self.file = folder / f"vectors-{embedder.name}-{self.key[:16]}.db"
        self._dimension = embedder.dimension
        self._tell = tell
        self._is_kept = True

    def load(self, digests: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, by digest; nothing where the file cannot be used."""
        if not self.file.exists():
            return {}
        try:
            with self._open() as database:
                return dict(self._rows(database, digests))
        except _Damaged:
            self._tell(f"{self.file.name} in the cache is damaged; its vectors are made again")
            self.file.unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            self._tell(f"{self.file.name} in the cache is not used: {type(error).__name__}")
        return {}

    def store(self, digests: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors: all of this call or none.

        A cache that cannot be written is no failure: it is said once and not tried again.
        """
        if not self._is_kept:
            return
        rows = [
            (digest, value, _check(digest, value))
            for digest, vector in zip(digests, vectors, strict=True)
            for value in (vector.astype("<f4").tobytes(),)
        ]
        try:
            with self._open() as database, database:
                database.executemany(_INSERT, rows)
        except (_Damaged, sqlite3.Error, OSError) as error:
            self._is_kept = False
            self._tell(f"{self.file.name} in the cache is not kept: {type(error).__name__}")

    def _rows(
        self, database: sqlite3.Connection, digests: Sequence[bytes]
    ) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        for start in range(0, len(digests), _LOOKUP):
            some = digests[start : start + _LOOKUP]
            marks = ",".join("?" * len(some))
            query = f"SELECT digest, value, checked FROM vector WHERE digest IN ({marks})"  # noqa: S608 -- only question marks
            for digest, value, checked in database.execute(query, some):
                yield digest, self._vector(digest, value, checked)

    def _vector(self, digest: bytes, value: object, checked: object) -> NDArray[np.float32]:
        if not isinstance(value, bytes) or checked != _check(digest, value):
            raise _Damaged
        vector = np.frombuffer(value, dtype="<f4").astype(np.float32)
        if len(vector) != self._dimension:
            raise _Damaged
        return vector

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, timeout=_WAIT_SECONDS)) as database:
            try:
                self._require_key(database)
                yield database
            except sqlite3.DatabaseError as error:
                # Busy, full or read-only is trouble of another kind than damage.
                if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
                    raise _Damaged from error
                raise

    def _require_key(self, database: sqlite3.Connection) -> None:
        with database:
            for table in _TABLES:
                database.execute(table)
            keys = database.execute("SELECT key FROM about").fetchall()
            if not keys:
                database.execute("INSERT INTO about VALUES (?)", (self.key,))
            elif keys != [(self.key,)]:
                raise _Damaged


def cache_key(embedder: Embedder, machine: str) -> str:
    """Digest of everything that moves the vector of a document, besides its text."""
    return json_ascii_v1_digest(
        {
            "format": FORMAT,
            "kind": "document",
            "label": embedder.label,
            "dimension": embedder.dimension,
            "batch_policy": embedder.batch_policy,
            "settings": dict(embedder.settings),
            "numpy": np.__version__,
            "machine": machine,
        }
    )


def text_digest(text: str) -> bytes:
    """SHA-256 of a text's UTF-8 bytes, 32 bytes."""
    return hashlib.sha256(text.encode("utf-8")).digest()


def _check(digest: bytes, value: bytes) -> bytes:
    return hashlib.blake2b(digest + value, digest_size=_CHECK_BYTES).digest()
