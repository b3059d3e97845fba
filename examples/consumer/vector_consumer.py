"""A project's retrieval engine for ``evenhand consume``: exact search in vector indexes on disk.

An index is a folder in ``indexes`` beside this file, and its name is the reference that a
comparison pins. What it is made of is written into the folder when it is built, and read from
there: the corpus it was built from, the model, the settings that it searches by.

    evenhand consume --adapter vector_consumer:consumer
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.sdk import Hit

FACTS = "facts.json"
DOCUMENTS = "documents.json"
VECTORS = "vectors.npy"
#: Decimals of a score. Beyond them lies rounding, which would order equal documents by chance.
DECIMALS = 6


@dataclass(frozen=True, kw_only=True)
class VectorIndex:
    """One index, whole in memory.

    Attributes:
        corpus_sha256: of the corpus that it was built from.
        embedding_identity: of the model that its vectors are of.
        embedding_dimension: of a vector.
        retrieval_settings: how many results a search gives.
        documents: their ids.
        vectors: theirs, in the same order, float32, of length 1 or 0.
    """

    corpus_sha256: str
    embedding_identity: str
    embedding_dimension: int
    retrieval_settings: Mapping[str, Any]
    documents: Sequence[str]
    vectors: NDArray[np.float32]

    def search(self, vector: Sequence[float]) -> list[Hit]:
        """The nearest documents by cosine, best first, equal ones by id."""
        cosines = (self.vectors @ np.asarray(vector, dtype=np.float32)).astype(np.float64)
        scores = np.round(cosines, DECIMALS) + 0.0
        order = sorted(range(len(scores)), key=lambda at: (-scores[at], self.documents[at]))
        return [
            Hit(chunk_id=self.documents[at], score=float(scores[at]))
            for at in order[: self.retrieval_settings["limit"]]
        ]


@dataclass(frozen=True, kw_only=True)
class VectorConsumer:
    """All indexes of a folder.

    Attributes:
        folder: where they lie.
        consumer_revision_sha256: of this very file, which makes the report.
    """

    folder: Path
    consumer_revision_sha256: str

    def open_index(self, index_ref: str) -> VectorIndex:
        """The index of this name, as it is on disk now.

        Raises:
            LookupError: there is none.
        """
        # A reference comes from elsewhere: it may name what lies in the folder, and no path.
        names = {one.name for one in self.folder.iterdir()} if self.folder.is_dir() else set()
        if index_ref not in names:
            raise LookupError
        here = self.folder / index_ref
        facts = json.loads((here / FACTS).read_text(encoding="utf-8"))
        return VectorIndex(
            documents=json.loads((here / DOCUMENTS).read_text(encoding="utf-8")),
            vectors=np.load(here / VECTORS, allow_pickle=False),
            **facts,
        )


def write_index(
    folder: Path,
    *,
    corpus_sha256: str,
    embedding_identity: str,
    retrieval_settings: Mapping[str, Any],
    documents: Sequence[str],
    vectors: NDArray[np.float32],
) -> None:
    """Write an index; its facts last, so that what is not whole cannot be opened.

    Args:
        folder: of the index; made where it is missing.
        corpus_sha256: as `evenhand corpus manifest` gives it.
        embedding_identity: label of the model.
        retrieval_settings: with a whole ``limit``.
        documents: ids.
        vectors: shape ``(len(documents), dimension)``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = folder / FACTS
    facts.unlink(missing_ok=True)
    np.save(folder / VECTORS, vectors)
    _write(folder / DOCUMENTS, list(documents))
    _write(
        facts,
        {
            "corpus_sha256": corpus_sha256,
            "embedding_identity": embedding_identity,
            "embedding_dimension": int(vectors.shape[1]),
            "retrieval_settings": dict(retrieval_settings),
        },
    )


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _revision() -> str:
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


consumer = VectorConsumer(
    folder=Path(__file__).with_name("indexes"), consumer_revision_sha256=_revision()
)
