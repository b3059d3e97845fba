"""Built-in ``dense``: an embedder, and an exact search by cosine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from evenhand.adapters.embedders.cache_folder import open_cache_folder
from evenhand.adapters.embedders.protocol import Embedder
from evenhand.adapters.embedders.registry import default_embedder, load_embedder
from evenhand.adapters.embedders.vector_cache import VectorCache, text_digest
from evenhand.adapters.retrievers.context import RetrieverContext
from evenhand.adapters.retrievers.documents import (
    TEXT_RULE,
    Documents,
    load_documents,
    without_surrogates,
)
from evenhand.adapters.retrievers.labels import WHOLE_DOCUMENT, derived_pipeline
from evenhand.adapters.retrievers.options import (
    execution_of_evenhand,
    read_options,
    require_number,
)
from evenhand.adapters.retrievers.top import best_positions
from evenhand.adapters.system import machine_label
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.usecases.ports import DerivesLabels, Progress

#: Decimals of a score. Beyond them lies rounding, which would order equal documents by chance.
SCORE_DECIMALS: Final = 6

#: Texts that are embedded before progress is told: about a second on a small machine.
_CHUNK: Final = 16

Track = Callable[[str, int], AbstractContextManager[Progress]]


class DenseOptions(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Options of ``dense``.

    Attributes:
        embedder: ``minilm`` or ``wordllama``; None takes the best that is installed, and says
            which.
        threshold: documents with a lower cosine are left out, from -1 to 1; None leaves out none.
    """

    embedder: str | None = None
    threshold: float | None = None


class DenseRetriever(DerivesLabels):
    """Exact search by cosine over whole documents.

    It abstains, that is, gives nothing, where no document reaches the threshold; without one it
    always gives something. Safe to call from several threads.

    Args:
        identifier: name under which results are stored.
        documents: what is searched; at least one.
        embedder: for documents and questions.
        vectors: those of the documents, in their order, float32, of length 1 or 0.
        depth: limit that it will be called with, part of its pipeline label.
        threshold: see `DenseOptions`.

    Raises:
        InvalidSetting: the threshold is out of its range.
    """

    def __init__(
        self,
        identifier: str,
        documents: Documents,
        embedder: Embedder,
        vectors: NDArray[np.float32],
        *,
        depth: int,
        threshold: float | None = None,
    ) -> None:
        if threshold is not None:
            require_number("threshold", threshold, low=-1, high=1)
        self.identifier = identifier
        self.threshold = threshold
        self._ids = documents.ids
        self._embedder = embedder
        self._vectors = vectors
        self._provenance = RetrievalProvenance(
            documents.label,
            embedder.label,
            WHOLE_DOCUMENT,
            derived_pipeline("dense", _settings(embedder), depth=depth, threshold=threshold),
            execution_of_evenhand(),
        )

    def retrieve(self, question: str, limit: int) -> list[str]:
        """Document ids, best first, distinct; empty where none reaches the threshold."""
        return [identifier for identifier, _ in self.retrieve_scored(question, limit)]

    def retrieve_scored(self, question: str, limit: int) -> list[tuple[str, float]]:
        """Pairs of document id and cosine in [-1, 1], best first; equal scores by id."""
        query = self._embedder.embed([without_surrogates(question)], "query")[0]
        # Rounded as float64, so that 0.35 is not below a threshold of 0.35; + 0.0 drops a sign.
        cosines = (self._vectors @ query).astype(np.float64)
        scores = np.round(cosines, SCORE_DECIMALS) + 0.0
        pairs = [
            (self._ids[position], float(scores[position]))
            for position in best_positions(scores, limit)
        ]
        if self.threshold is None:
            return pairs
        return [(identifier, score) for identifier, score in pairs if score >= self.threshold]

    def get_retrieval_provenance(self) -> RetrievalProvenance:
        """What was run, from digests of the corpus, the weights and all settings."""
        return self._provenance


def build_dense(
    name: str, options: Mapping[str, object], context: RetrieverContext
) -> DenseRetriever:
    """The built-in over the corpus at hand; see `load_documents` for what can go wrong.

    Raises:
        MissingExtra: no embedder, or not the one that was asked for, is installed.
    """
    chosen = read_options(name, options, DenseOptions)
    documents = load_documents(context)
    try:
        folder = open_cache_folder(context.project_root)
    except OSError as error:
        context.tell(f"nothing is cached: {type(error).__name__}")
        folder = None
    if chosen.embedder is None:
        embedder = default_embedder(folder, context.tell)
    else:
        embedder = load_embedder(chosen.embedder, folder, context.tell)
    cache = None
    if folder is not None:
        cache = VectorCache(folder, embedder, machine=machine_label(), tell=context.tell)
    return DenseRetriever(
        name,
        documents,
        embedder,
        embed_documents(documents.texts, embedder, cache, context.track),
        depth=context.depth,
        threshold=chosen.threshold,
    )


def embed_documents(
    texts: Sequence[str], embedder: Embedder, cache: VectorCache | None, track: Track
) -> NDArray[np.float32]:
    """Vectors of documents, from the cache where they are there.

    Args:
        texts: encodable texts.
        embedder: makes the missing vectors, each distinct text once.
        cache: asked first and filled chunk by chunk, so that little is lost when work ends early;
            None keeps nothing.
        track: opens a progress over the texts that must be embedded.

    Returns:
        Shape ``(len(texts), dimension)``, float32.
    """
    digests = [text_digest(text) for text in texts]
    known = {} if cache is None else cache.load(list(dict.fromkeys(digests)))
    missing = {
        digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known
    }
    if missing:
        waiting = list(missing)
        with track("embedding documents", len(waiting)) as progress:
            for start in range(0, len(waiting), _CHUNK):
                chunk = waiting[start : start + _CHUNK]
                made = embedder.embed([missing[digest] for digest in chunk], "document")
                known.update(zip(chunk, made, strict=True))
                if cache is not None:
                    cache.store(chunk, made)
                progress.advance(len(chunk))
    return np.stack([known[digest] for digest in digests])


def _settings(embedder: Embedder) -> Mapping[str, object]:
    return {
        "retriever": "dense",
        "embedder": embedder.name,
        **embedder.settings,
        "search": "exact",
        "similarity": "cosine",
        "score_decimals": SCORE_DECIMALS,
        "text": TEXT_RULE,
        "ties": "id",
    }
