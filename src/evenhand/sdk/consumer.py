"""What does a retrieval engine have to tell and do, so that it can carry out a comparison?

A project hands over one object. It finds the index that a side was prepared for, and each index
says what it really is. Nothing is embedded before these facts are held against the pins; what
they are worth is the adapter's business: they should be read from the index, not repeated from a
configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evenhand.core.errors.comparison import PinsNotMatched
from evenhand.core.identity.settings_digest import retrieval_config_sha256
from evenhand.sdk.claim import LegName
from evenhand.wire.intents import PinnedLeg, Pins


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result of a search.

    Attributes:
        chunk_id: of what was found; at most 256 characters, no control characters.
        document_id: of the document that it is part of; None where the chunk is a document.
        score: finite, greater is better.
    """

    chunk_id: str
    document_id: str | None = None
    score: float


class Index(Protocol):
    """A vector index as it is now.

    Attributes:
        corpus_sha256: of the corpus that it was built from, as `evenhand corpus manifest` has it.
        embedding_identity: of the model that its vectors are of, as the deployment states it.
        embedding_dimension: of its vectors.
        retrieval_settings: by which it searches; of JSON's types, their digest is pinned.
    """

    corpus_sha256: str
    embedding_identity: str
    embedding_dimension: int
    retrieval_settings: Mapping[str, object]

    def search(self, vector: Sequence[float]) -> Sequence[Hit]:
        """What is nearest to a vector, best first, as the retrieval settings say."""


class RetrievalAdapter(Protocol):
    """A project's retrieval engine.

    Attributes:
        consumer_revision_sha256: digest of the program that makes the report; lowercase hex.
    """

    consumer_revision_sha256: str

    def open_index(self, index_ref: str) -> Index:
        """The index of this name; raises LookupError where there is none."""


def require_pins(leg: LegName, index: Index, pins: Pins) -> None:
    """Refuse an index that is not what a side was prepared for.

    Args:
        leg: the side.
        index: as it is now.
        pins: of the claim.

    Raises:
        PinsNotMatched: corpus, model, dimension or settings differ.
    """
    pinned = pinned_leg(pins, leg)
    facts = (
        ("corpus", index.corpus_sha256, pins.corpus_sha256),
        ("embedding identity", index.embedding_identity, pinned.embedding_identity),
        ("embedding dimension", index.embedding_dimension, pinned.embedding_dimension),
        (
            "retrieval settings",
            retrieval_config_sha256(index.retrieval_settings),
            pins.retrieval_config_sha256,
        ),
    )
    for what, found, expected in facts:
        if found != expected:
            raise PinsNotMatched(leg, what)


def pinned_leg(pins: Pins, leg: LegName) -> PinnedLeg:
    """What was pinned of one side."""
    return pins.current if leg == "current" else pins.candidate
