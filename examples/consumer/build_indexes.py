"""Build one index for each bundled model over a corpus: ``python build_indexes.py CORPUS``.

CORPUS is what `evenhand corpus manifest` reads. The vectors of documents are made here, with the
same models that the hub serves in its own process; a project whose models run elsewhere asks the
gateway for them, with ``"input_type": "document"``. Vectors are kept in the project's cache.
"""

from __future__ import annotations

import sys
from pathlib import Path

from vector_consumer import consumer, write_index

from evenhand.adapters.embedders.cache_folder import open_cache_folder
from evenhand.adapters.embedders.registry import load_embedder
from evenhand.adapters.embedders.vector_cache import VectorCache
from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.retrievers.dense import embed_documents
from evenhand.adapters.retrievers.documents import TEXT_RULE, build_documents
from evenhand.adapters.system import machine_label
from evenhand.cli.progress import tracker

MODELS = ("wordllama", "minilm")
SETTINGS = {"limit": 10, "search": "exact", "similarity": "cosine", "text": TEXT_RULE}


def main(corpus: Path) -> None:
    """Build both."""
    documents = build_documents(read_corpus(corpus))
    cache_folder = open_cache_folder(Path.cwd())
    for name in MODELS:
        embedder = load_embedder(name, cache_folder, print)
        cache = VectorCache(cache_folder, embedder, machine=machine_label(), tell=print)
        vectors = embed_documents(documents.texts, embedder, cache, tracker(quiet=False))
        write_index(
            consumer.folder / name,
            corpus_sha256=documents.label,
            embedding_identity=embedder.label,
            retrieval_settings=SETTINGS,
            documents=documents.ids,
            vectors=vectors,
        )
        print(f"{name}: {len(documents.ids)} documents, embedding identity {embedder.label}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
