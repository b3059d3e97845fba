"""How does all-MiniLM-L6-v2 become an ONNX graph? From its safetensors, without torch.

The graph embeds one text at a time: token ids in, a unit vector out. Nothing is padded, so there
is no attention mask, and a vector depends on its own text only.

Source: the BERT encoder (Devlin et al. 2019) with mean pooling and normalisation, as the model's
own ``modules.json`` says.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from evenhand.adapters.embedders.minilm_files import (
    CONFIG_FILE,
    GRAPH_INPUT,
    GRAPH_OUTPUT,
    WEIGHTS_FILE,
)

_OPSET: Final = 20
_IR_VERSION: Final = 10


class BertConfig(msgspec.Struct, frozen=True):
    """What the graph needs of the model's ``config.json``."""

    num_hidden_layers: int
    num_attention_heads: int
    hidden_size: int
    layer_norm_eps: float


def read_config(folder: Path) -> BertConfig:
    """The configuration of the model in a folder."""
    return msgspec.json.decode((folder / CONFIG_FILE).read_bytes(), type=BertConfig)


def build_graph(folder: Path) -> bytes:
    """The model in a folder as a serialised ONNX graph.

    Args:
        folder: holds ``config.json`` and ``model.safetensors``.

    Returns:
        A graph with the input ``token_ids``, int64 of shape (1, tokens), and the output
        ``embedding``, float32 of shape (1, hidden size), of length 1.
    """
    config = read_config(folder)
    graph = _Graph(load_file(folder / WEIGHTS_FILE), config)
    hidden = graph.embeddings(GRAPH_INPUT)
    for layer in range(config.num_hidden_layers):
        hidden = graph.layer(hidden, f"encoder.layer.{layer}.")
    graph.pool(hidden, GRAPH_OUTPUT)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info(GRAPH_INPUT, TensorProto.INT64, [1, "tokens"])],
            [
                helper.make_tensor_value_info(
                    GRAPH_OUTPUT, TensorProto.FLOAT, [1, config.hidden_size]
                )
            ],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())


class _Graph:
    """Nodes and constants so far; each method adds some and names its result."""

    def __init__(self, weights: dict[str, NDArray[np.float32]], config: BertConfig) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._weights = weights
        self._config = config
        self._made = 0

    def embeddings(self, token_ids: str) -> str:
        """Words, positions and the one segment there is, added and normalised."""
        words = self._node(
            "Gather", self._weight("embeddings.word_embeddings.weight"), token_ids, axis=0
        )
        # Shape and Slice: a Range over the length trips an optimizer of the runtime.
        length = self._node("Shape", token_ids, start=1, end=2)
        positions = self._node(
            "Slice",
            self._weight("embeddings.position_embeddings.weight"),
            self._integers(0),
            length,
            self._integers(0),
        )
        segment = self._constant(self._weights["embeddings.token_type_embeddings.weight"][0])
        total = self._node("Add", self._node("Add", words, positions), segment)
        return self._normalised(total, "embeddings.LayerNorm")

    def layer(self, hidden: str, name: str) -> str:
        """One encoder layer: attention and feed-forward, each added to its input."""
        attended = self._linear(self._attention(hidden, name), f"{name}attention.output.dense")
        hidden = self._normalised(
            self._node("Add", attended, hidden), f"{name}attention.output.LayerNorm"
        )
        inner = self._node("Gelu", self._linear(hidden, f"{name}intermediate.dense"))
        outer = self._linear(inner, f"{name}output.dense")
        return self._normalised(self._node("Add", outer, hidden), f"{name}output.LayerNorm")

    def pool(self, hidden: str, output: str) -> None:
        """The mean over the tokens, of length 1, under a given name."""
        mean = self._node("ReduceMean", hidden, self._integers(1), keepdims=0)
        self.nodes.append(helper.make_node("LpNormalization", [mean], [output], axis=-1, p=2))

    def _attention(self, hidden: str, name: str) -> str:
        heads = self._config.num_attention_heads
        width = self._config.hidden_size // heads
        # 0 keeps an axis of the input: one text, however many tokens.
        split = self._integers(0, 0, heads, width)
        query, key, value = (
            self._node(
                "Transpose",
                self._node("Reshape", self._linear(hidden, f"{name}attention.self.{part}"), split),
                perm=perm,
            )
            for part, perm in (
                ("query", (0, 2, 1, 3)),
                ("key", (0, 2, 3, 1)),
                ("value", (0, 2, 1, 3)),
            )
        )
        scale = self._scalar(1 / math.sqrt(width))
        weights = self._node(
            "Softmax", self._node("Mul", self._node("MatMul", query, key), scale), axis=-1
        )
        merged = self._node("Transpose", self._node("MatMul", weights, value), perm=(0, 2, 1, 3))
        return self._node("Reshape", merged, self._integers(0, 0, heads * width))

    def _linear(self, value: str, name: str) -> str:
        matrix = self._constant(self._weights[f"{name}.weight"].T)
        return self._node("Add", self._node("MatMul", value, matrix), self._weight(f"{name}.bias"))

    def _normalised(self, value: str, name: str) -> str:
        return self._node(
            "LayerNormalization",
            value,
            self._weight(f"{name}.weight"),
            self._weight(f"{name}.bias"),
            axis=-1,
            epsilon=self._config.layer_norm_eps,
        )

    def _node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = self._name()
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _weight(self, name: str) -> str:
        return self._constant(self._weights[name])

    def _integers(self, *values: int) -> str:
        return self._constant(np.array(values, dtype=np.int64))

    def _scalar(self, value: float) -> str:
        return self._constant(np.array(value, dtype=np.float32))

    def _constant(self, value: NDArray[np.float32] | NDArray[np.int64]) -> str:
        name = self._name()
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _name(self) -> str:
        self._made += 1
        return f"v{self._made}"
