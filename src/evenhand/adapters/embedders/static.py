"""Embedder ``wordllama``: static word vectors, averaged. Fast, repeatable, weak on meaning."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.adapters.embedders.minilm_files import file_sha256
from evenhand.adapters.embedders.protocol import Kind
from evenhand.adapters.system import version_of
from evenhand.core.errors import MissingExtra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSION: Final = 256

_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"


class WordLlamaEmbedder:
    """WordLlama's bundled vectors: 256 dimensions.

    Raises:
        MissingExtra: wordllama is not installed.
    """

    name = "wordllama"
    dimension = DIMENSION
    batch_policy = "any; a vector does not depend on it"

    def __init__(self) -> None:
        try:
            with _quiet_logging():
                import wordllama
        except ImportError as error:
            raise MissingExtra("wordllama", "demo") from error
        folder = Path(wordllama.__file__).parent
        self._model: Any = wordllama.WordLlama.load(
            dim=DIMENSION, cache_dir=folder, disable_download=True
        )
        self.label = f"wordllama-l2-supercat-{DIMENSION}:{file_sha256(folder / _WEIGHTS)}"
        self._tokenizer_sha256 = file_sha256(folder / _TOKENIZER)

    @property
    def settings(self) -> Mapping[str, str | int]:
        """Everything beside the weights that moves a vector."""
        return {
            "tokenizer_sha256": self._tokenizer_sha256,
            "tokenizers": version_of("tokenizers"),
            "runtime": f"wordllama {version_of('wordllama')}",
            "pooling": "mean",
            "batch_policy": self.batch_policy,
        }

    def embed(self, texts: Sequence[str], kind: Kind = "query") -> NDArray[np.float32]:
        """Vectors of length 1, shape ``(len(texts), 256)``; zeros for a text without tokens."""
        import numpy as np

        del kind  # the vectors know no prefixes
        vectors: NDArray[np.float32] = self._model.embed(list(texts))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # The library would divide by the zero of a text without tokens.
        units = np.zeros_like(vectors)
        np.divide(vectors, lengths, out=units, where=lengths > 0)
        return units


def is_wordllama_installed() -> bool:
    """Whether the vectors are there."""
    return find_spec("wordllama") is not None


@contextmanager
def _quiet_logging() -> Iterator[None]:
    """Keep a library from setting up the process's logging while it is imported."""
    root = logging.getLogger()
    guard = logging.NullHandler()
    root.addHandler(guard)
    try:
        yield
    finally:
        root.removeHandler(guard)
