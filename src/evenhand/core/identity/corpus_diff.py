"""What changed between two corpora: which documents, and was it membership, content or scope?

Both sides stream in byte order of the ids and are merged, so memory does not grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from evenhand.core.identity.corpus import DocumentIdentity, require_ascending


class Change(StrEnum):
    """One way in which a document can differ."""

    ADDED = "added"
    REMOVED = "removed"
    CONTENT = "content"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """One change of one document; a document whose content and scope changed has two."""

    id: bytes
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSummary:
    """How many documents changed in which way."""

    added: int = 0
    removed: int = 0
    content: int = 0
    scope: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed, that is, whether both corpora have one digest."""
        return not (self.added or self.removed or self.content or self.scope)


def diff(
    old: Iterable[DocumentIdentity], new: Iterable[DocumentIdentity]
) -> Iterator[DocumentChange]:
    """The changes that lead from one corpus to another, in byte order of the ids.

    Args:
        old: documents in strictly ascending byte order of the ids.
        new: likewise.

    Raises:
        InvalidCorpus: a side repeats an id or is out of order; position counts from 1.
    """
    before, after = _ascending(old), _ascending(new)
    left, right = next(before, None), next(after, None)
    while left is not None and right is not None:
        if left.id < right.id:
            yield DocumentChange(id=left.id, change=Change.REMOVED)
            left = next(before, None)
        elif right.id < left.id:
            yield DocumentChange(id=right.id, change=Change.ADDED)
            right = next(after, None)
        else:
            yield from _compare(left, right)
            left, right = next(before, None), next(after, None)
    while left is not None:
        yield DocumentChange(id=left.id, change=Change.REMOVED)
        left = next(before, None)
    while right is not None:
        yield DocumentChange(id=right.id, change=Change.ADDED)
        right = next(after, None)


def summarize(changes: Iterable[DocumentChange]) -> DiffSummary:
    """The counts of some changes."""
    counts = dict.fromkeys(Change, 0)
    for change in changes:
        counts[change.change] += 1
    return DiffSummary(
        added=counts[Change.ADDED],
        removed=counts[Change.REMOVED],
        content=counts[Change.CONTENT],
        scope=counts[Change.SCOPE],
    )


def _compare(left: DocumentIdentity, right: DocumentIdentity) -> Iterator[DocumentChange]:
    if left.content_sha256 != right.content_sha256:
        yield DocumentChange(id=left.id, change=Change.CONTENT)
    if left.scope != right.scope:
        yield DocumentChange(id=left.id, change=Change.SCOPE)


def _ascending(documents: Iterable[DocumentIdentity]) -> Iterator[DocumentIdentity]:
    last: bytes | None = None
    for position, document in enumerate(documents, start=1):
        last = require_ascending(last, document, position)
        yield document
