"""Which documents were searched, as one digest, and what differs between two of them?

``corpus-bytes-v1``: one manifest line a document with its id, the digest of its content and its
access scope, in byte order of the ids; the digest of all lines is the corpus label. It changes
when content, membership or scope changes. Metadata of documents is not covered.

Everything here streams: rows come sorted, one at a time. Reading and sorting documents is the
business of the adapters.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.canonical import b64, is_sha256, json_ascii_v1_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentIdentity:
    """One document of a corpus.

    Attributes:
        id: original bytes, at least one, no NUL.
        content_sha256: digest of the content, see :func:`content_sha256`.
        scope: original bytes of the access scope; None where the corpus has none.

    Raises:
        InvalidCorpus: an id or a digest that breaks its rule.
    """

    id: bytes
    content_sha256: str
    scope: bytes | None = None

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidCorpus("an id is empty")
        if b"\x00" in self.id:
            raise InvalidCorpus("an id holds NUL")
        if not is_sha256(self.content_sha256):
            raise InvalidCorpus("a content digest is not 64 lowercase hex digits")


def content_sha256(title: str, text: str) -> str:
    """Digest of a document's content: the ``json-ascii-v1`` digest of ``[title, text]``."""
    return json_ascii_v1_digest([title, text])


def manifest_line(document: DocumentIdentity) -> str:
    """The manifest line of one document, with its LF: ``[id, content digest, scope]``.

    Id and scope are Base64, an absent scope is null.
    """
    # Spelt out, not dumped: Base64 and hex need no escape, and a corpus has many lines. A test
    # holds this against json-ascii-v1.
    scope = "null" if document.scope is None else f'"{b64(document.scope)}"'
    return f'["{b64(document.id)}","{document.content_sha256}",{scope}]\n'


def require_ascending(last: bytes | None, document: DocumentIdentity, position: int) -> bytes:
    """The id of a document, if it comes after the one before it in byte order.

    Raises:
        InvalidCorpus: it repeats that id or comes before it. The id itself is not repeated.
    """
    if last is not None and document.id <= last:
        rule = "repeats the id before it" if document.id == last else "is not in byte order of ids"
        raise InvalidCorpus(rule, position=position)
    return document.id


class CorpusDigest:
    """The digest of a corpus while its documents pass by, in byte order of their ids.

    Attributes:
        documents: how many have passed.
    """

    __slots__ = ("_last", "_sha256", "documents")

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._last: bytes | None = None
        self.documents = 0

    def add(self, document: DocumentIdentity) -> str:
        """Take one document and give its manifest line.

        Raises:
            InvalidCorpus: the id repeats the last one or comes before it. The position of the
                document counts from 1; the id itself is not repeated.
        """
        self.documents += 1
        self._last = require_ascending(self._last, document, self.documents)
        line = manifest_line(document)
        self._sha256.update(line.encode("ascii"))
        return line

    def hexdigest(self) -> str:
        """The label of the corpus so far: 64 lowercase hex digits."""
        return self._sha256.hexdigest()


def corpus_digest(documents: Iterable[DocumentIdentity]) -> str:
    """The label of a corpus: 64 lowercase hex digits.

    Args:
        documents: in strictly ascending byte order of the ids; none give the SHA-256 of nothing.

    Raises:
        InvalidCorpus: a repeated id, or ids out of order.
    """
    digest = CorpusDigest()
    for document in documents:
        digest.add(document)
    return digest.hexdigest()


def parse_manifest(lines: Iterable[str]) -> Iterator[DocumentIdentity]:
    """The documents of a manifest, one at a time.

    Strict: a line must be exactly the text that :func:`manifest_line` writes, LF included, so
    that the digest of what was read is the digest of the file.

    Raises:
        InvalidCorpus: a malformed line, a repeated id, or ids out of order; the position is the
            number of the line, from 1.
    """
    last: bytes | None = None
    for position, line in enumerate(lines, start=1):
        document = _parse_line(line, position)
        last = require_ascending(last, document, position)
        yield document


def _parse_line(line: str, position: int) -> DocumentIdentity:
    try:
        document_id, digest, scope = json.loads(line)
        document = DocumentIdentity(
            id=_from_b64(document_id),
            content_sha256=digest,
            scope=None if scope is None else _from_b64(scope),
        )
    except (ValueError, TypeError, RecursionError):
        raise InvalidCorpus("is not a manifest line", position=position) from None
    # One spelling only: other blanks, escapes, line ends or Base64 bits would digest differently.
    if manifest_line(document) != line:
        raise InvalidCorpus("is not a canonical manifest line", position=position)
    return document


def _from_b64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
