"""What changed between two corpora on disk, and which documents do they have?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evenhand.adapters.formats.corpus import read_documents
from evenhand.adapters.formats.corpus_manifest import (
    CorpusSummary,
    is_manifest,
    open_identities,
)
from evenhand.core.identity.corpus import CorpusDigest, DocumentIdentity
from evenhand.core.identity.corpus_diff import Change, diff


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusComparison:
    """What leads from one corpus to another.

    Attributes:
        old, new: both in numbers.
        counts: every kind of change with its number of documents.
        ids: every kind of change with the first ids, in byte order.
    """

    old: CorpusSummary
    new: CorpusSummary
    counts: Mapping[Change, int]
    ids: Mapping[Change, tuple[bytes, ...]]

    @property
    def is_equal(self) -> bool:
        """Whether nothing changed."""
        return self.old.digest == self.new.digest


def compare_corpora(
    old: Path, new: Path, *, scope_field: str | None = None, limit: int
) -> CorpusComparison:
    """What changed, in memory that does not grow with the corpora.

    Args:
        old: a corpus or a manifest file.
        new: likewise.
        scope_field: see `read_corpus`; for whichever of the two is no manifest.
        limit: most ids that are kept for each kind of change, at least 0.

    Raises:
        InvalidFile: see `open_identities`.
    """
    counts: Counter[Change] = Counter()
    ids: dict[Change, list[bytes]] = {change: [] for change in Change}
    before, after = _Passing(), _Passing()
    with (
        open_identities(old, None if is_manifest(old) else scope_field) as left,
        open_identities(new, None if is_manifest(new) else scope_field) as right,
    ):
        for change in diff(before.through(left), after.through(right)):
            counts[change.change] += 1
            if len(ids[change.change]) < limit:
                ids[change.change].append(change.id)
    return CorpusComparison(
        old=before.summary,
        new=after.summary,
        counts={change: counts[change] for change in Change},
        ids={change: tuple(found) for change, found in ids.items()},
    )


def present_documents(path: Path, wanted: Collection[bytes]) -> frozenset[bytes]:
    """Which of the wanted ids a corpus or a manifest file has.

    Raises:
        InvalidFile: see `read_corpus` and `open_identities`.
    """
    if is_manifest(path):
        with open_identities(path) as identities:
            return frozenset(one.id for one in identities if one.id in wanted)
    return frozenset(document.id for document, _ in read_documents(path) if document.id in wanted)


class _Passing:
    """Digests the identities that pass through."""

    def __init__(self) -> None:
        self._digest = CorpusDigest()
        self._scoped = 0

    def through(self, identities: Iterator[DocumentIdentity]) -> Iterator[DocumentIdentity]:
        for identity in identities:
            self._digest.add(identity)
            self._scoped += identity.scope is not None
            yield identity

    @property
    def summary(self) -> CorpusSummary:
        return CorpusSummary(
            digest=self._digest.hexdigest(),
            documents=self._digest.documents,
            scoped=self._scoped,
        )
