import logging
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.adapters.embedders.static import WordLlamaEmbedder, is_wordllama_installed
from evenhand.core.errors import MissingExtra
from evenhand.core.identity.labels import require_label

needs_wordllama = pytest.mark.skipif(
    not is_wordllama_installed(), reason="wordllama is not installed (no wheel for this Python?)"
)

RELATED = ("How do I cook rice?", "Boiling rice in a pot of water")
UNRELATED = "The stock market fell on Monday"


@pytest.fixture(scope="module")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


@needs_wordllama
def test_related_texts_are_closer_than_unrelated_ones(embedder: WordLlamaEmbedder) -> None:
    one, related, unrelated = embedder.embed([*RELATED, UNRELATED])

    assert one @ related > 0.4 > one @ unrelated


@needs_wordllama
def test_vectors_have_length_one_and_their_dimension(embedder: WordLlamaEmbedder) -> None:
    vectors = embedder.embed([*RELATED, UNRELATED])

    assert vectors.shape == (3, embedder.dimension) == (3, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert embedder.embed([]).shape == (0, 256)


@needs_wordllama
def test_text_without_a_token_has_a_vector_of_zeros(embedder: WordLlamaEmbedder) -> None:
    assert not embedder.embed([""]).any()
    assert not embedder.embed(["", RELATED[0]])[0].any()


@needs_wordllama
@given(st.lists(st.text(max_size=30), min_size=1, max_size=5))
@settings(max_examples=25)
def test_vector_does_not_depend_on_the_other_texts(
    embedder: WordLlamaEmbedder, texts: list[str]
) -> None:
    together = embedder.embed(texts)

    for position, text in enumerate(texts):
        assert np.array_equal(together[position], embedder.embed([text])[0])


@needs_wordllama
def test_label_is_legal_and_names_the_weights(embedder: WordLlamaEmbedder) -> None:
    name, _, digest = embedder.label.partition(":")

    assert require_label(embedder.label, "model") == embedder.label
    assert name == "wordllama-l2-supercat-256"
    assert len(digest) == 64


@needs_wordllama
def test_loading_leaves_the_logging_of_the_process_alone() -> None:
    script = (
        "import logging\n"
        "from evenhand.adapters.embedders.static import WordLlamaEmbedder\n"
        "WordLlamaEmbedder()\n"
        "root = logging.getLogger()\n"
        "assert root.handlers == [], root.handlers\n"
        "assert root.level == logging.WARNING\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
    assert not any(
        type(handler) is logging.NullHandler for handler in logging.getLogger().handlers
    )


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)

    with pytest.raises(MissingExtra, match=r"evenhand\[demo\]"):
        WordLlamaEmbedder()
