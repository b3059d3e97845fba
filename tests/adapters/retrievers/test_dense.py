from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evenhand.adapters.embedders.static import is_wordllama_installed
from evenhand.adapters.embedders.vector_cache import VectorCache
from evenhand.adapters.retrievers.context import RetrieverContext
from evenhand.adapters.retrievers.dense import DenseRetriever, build_dense, embed_documents
from evenhand.core.errors import InvalidSetting
from tests.adapters.retrievers.support import (
    FRUIT,
    LetterEmbedder,
    a_context,
    documents_of,
    write_corpus,
)

needs_wordllama = pytest.mark.skipif(
    not is_wordllama_installed(), reason="wordllama is not installed (no wheel for this Python?)"
)

#: Each document is a few letters, so that its cosine with a question is plain to see.
LETTERS: Mapping[str, tuple[str, str]] = {
    "x": ("", "xxxx"),
    "xy": ("", "xy"),
    "y": ("", "yy"),
    "none": ("", "42"),
}


class Counted:
    def __init__(self) -> None:
        self.done = 0

    def advance(self, done: int) -> None:
        self.done += done


class Tracked:
    """Opens one progress at a time and remembers what was opened."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, int]] = []
        self.progress = Counted()

    @contextmanager
    def __call__(self, title: str, total: int) -> Iterator[Counted]:
        self.opened.append((title, total))
        yield self.progress


def make(
    texts: Mapping[str, tuple[str, str]] = LETTERS,
    *,
    embedder: LetterEmbedder | None = None,
    **options: Any,
) -> DenseRetriever:
    documents = documents_of(texts)
    used = embedder or LetterEmbedder()
    vectors = embed_documents(documents.texts, used, None, Tracked())
    return DenseRetriever("dense", documents, used, vectors, **{"depth": 12, **options})


def test_documents_are_ordered_by_cosine() -> None:
    assert make().retrieve_scored("xx", 12) == [
        ("x", 1.0),
        ("xy", 0.707107),
        ("none", 0.0),
        ("y", 0.0),
    ]


def test_without_a_threshold_it_always_gives_something() -> None:
    assert make().retrieve("zebra", 12)
    assert make().retrieve("", 2) == ["none", "x"]


@pytest.mark.parametrize(
    ("threshold", "found"),
    [(0.8, ["x"]), (0.707107, ["x", "xy"]), (0.7071071, ["x"]), (1.0, ["x"])],
)
def test_document_below_the_threshold_is_left_out(threshold: float, found: list[str]) -> None:
    assert make(threshold=threshold).retrieve("x", 12) == found


def test_it_abstains_where_no_document_reaches_the_threshold() -> None:
    assert make(threshold=0.5).retrieve("zebra", 12) == []
    assert make(threshold=0.5).retrieve("\udcff", 12) == []


def test_equal_documents_are_by_id() -> None:
    twins = dict.fromkeys(("c", "a", "b"), ("", "the same words"))

    assert make(twins).retrieve("same", 12) == ["a", "b", "c"]
    assert make(twins).retrieve("same", 2) == ["a", "b"]


def test_limit_cuts() -> None:
    assert make().retrieve("x", 1) == ["x"]


def test_declaration_names_weights_settings_depth_and_threshold() -> None:
    declared = make().get_retrieval_provenance()
    with_threshold = make(threshold=0.35).get_retrieval_provenance()

    assert declared.model_revision == "letters:1"
    assert declared.chunking_identity == "document"
    assert declared.pipeline_identity.startswith("dense:")
    assert declared.pipeline_identity.endswith("+d12")
    assert with_threshold.pipeline_identity == f"{declared.pipeline_identity}+t0.35"
    assert declared.corpus_revision == documents_of(LETTERS).label


@pytest.mark.proves("P-33")
def test_setting_of_the_embedder_changes_the_pipeline_label() -> None:
    one = make(embedder=LetterEmbedder(max_tokens=128)).get_retrieval_provenance()
    other = make(embedder=LetterEmbedder(max_tokens=256)).get_retrieval_provenance()

    assert one.pipeline_identity != other.pipeline_identity
    assert one.model_revision == other.model_revision


@pytest.mark.parametrize("threshold", [1.5, -1.5, float("nan"), float("inf")])
def test_threshold_out_of_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidSetting) as caught:
        make(threshold=threshold)
    assert caught.value.name == "threshold"


TEXTS = ["one", "two", "one", "three"]


def open_cache(folder: Path, embedder: LetterEmbedder) -> VectorCache:
    return VectorCache(folder, embedder, machine="machine:test", tell=pytest.fail)


def test_each_distinct_text_is_embedded_once_and_tracked() -> None:
    embedder, tracked = LetterEmbedder(), Tracked()
    vectors = embed_documents(TEXTS, embedder, None, tracked)

    assert embedder.embedded == ["one", "two", "three"]
    assert tracked.opened == [("embedding documents", 3)]
    assert tracked.progress.done == 3
    assert np.array_equal(vectors, LetterEmbedder().embed(TEXTS, "document"))
    assert vectors.dtype == np.float32


def test_cached_vectors_are_not_made_again_and_are_the_same(tmp_path: Path) -> None:
    first, again, tracked = LetterEmbedder(), LetterEmbedder(), Tracked()
    made = embed_documents(TEXTS, first, open_cache(tmp_path, first), Tracked())
    found = embed_documents(TEXTS, again, open_cache(tmp_path, again), tracked)

    assert again.embedded == []
    assert tracked.opened == []
    assert np.array_equal(made, found)


def test_only_an_edited_document_is_embedded_again(tmp_path: Path) -> None:
    first, again = LetterEmbedder(), LetterEmbedder()
    embed_documents(TEXTS, first, open_cache(tmp_path, first), Tracked())
    embed_documents(["one", "two!", "three"], again, open_cache(tmp_path, again), Tracked())

    assert again.embedded == ["two!"]


def test_work_that_ends_early_keeps_what_was_made(tmp_path: Path) -> None:
    class Interrupted(LetterEmbedder):
        def embed(self, texts: Any, kind: Any = "query") -> Any:
            if "text 64" in texts:
                raise KeyboardInterrupt
            return super().embed(texts, kind)

    texts = [f"text {number}" for number in range(70)]
    broken, again = Interrupted(), LetterEmbedder()
    with pytest.raises(KeyboardInterrupt):
        embed_documents(texts, broken, open_cache(tmp_path, broken), Tracked())
    embed_documents(texts, again, open_cache(tmp_path, again), Tracked())

    assert again.embedded == texts[64:]


def dense_context(root: Path, told: list[str], **known: Any) -> RetrieverContext:
    return a_context(root, corpus=write_corpus(root / "docs"), tell=told.append, **known)


@needs_wordllama
def test_built_in_is_made_of_a_real_model_and_its_cache(tmp_path: Path) -> None:
    told: list[str] = []
    tracked = Tracked()
    context = dense_context(tmp_path, told, track=tracked)
    retriever = build_dense("dense", {"embedder": "wordllama"}, context)
    again = build_dense("dense", {"embedder": "wordllama"}, context)

    question = "a small red stone fruit"
    assert retriever.retrieve(question, 1) == ["cherry"]
    assert retriever.retrieve_scored(question, 4) == again.retrieve_scored(question, 4)
    assert retriever.get_retrieval_provenance() == again.get_retrieval_provenance()
    assert retriever.get_retrieval_provenance().model_revision.startswith("wordllama-")
    assert tracked.opened == [("embedding documents", len(FRUIT))]
    (cached,) = (tmp_path / ".evenhand" / "cache").iterdir()
    assert cached.name.startswith("vectors-wordllama-")


@needs_wordllama
def test_cache_holds_no_text(tmp_path: Path) -> None:
    retriever = build_dense("dense", {"embedder": "wordllama"}, dense_context(tmp_path, []))
    retriever.retrieve("a question that is a canary", 12)

    for file in (tmp_path / ".evenhand" / "cache").iterdir():
        content = file.read_bytes()
        assert b"canary" not in content
        assert b"fruit" not in content


@needs_wordllama
def test_cache_that_cannot_be_made_is_said_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / ".evenhand").write_text("a file where the folder should be")
    told: list[str] = []
    retriever = build_dense("dense", {"embedder": "wordllama"}, dense_context(tmp_path, told))

    assert retriever.retrieve("palm", 12)
    assert told == ["nothing is cached: FileExistsError"]


@pytest.mark.parametrize(
    "options", [{"embedder": "unheard-of"}, {"treshold": 0.3}, {"threshold": "0.3"}]
)
def test_wrong_option_is_refused(tmp_path: Path, options: dict[str, object]) -> None:
    with pytest.raises(InvalidSetting):
        build_dense("dense", options, dense_context(tmp_path, []))
