"""Corpora, contexts and child programs for the tests of retrievers."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from evenhand.adapters.embedders.protocol import Kind
from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.retrievers.context import RetrieverContext, read_configs
from evenhand.adapters.retrievers.documents import Documents, build_documents

#: id → (title, text): about fruit, so that a test can tell right from wrong by reading.
FRUIT: Mapping[str, tuple[str, str]] = {
    "apple": ("Apple", "A round fruit of a tree, red or green, pressed for cider."),
    "banana": ("Banana", "A long yellow fruit that grows in bunches in the tropics."),
    "cherry": ("Cherry", "A small red fruit with a stone, of a tree that blossoms in spring."),
    "date": ("", "The sweet fruit of a palm that stands in hot and dry countries."),
}


def write_corpus(
    folder: Path, documents: Mapping[str, tuple[str, str]] = FRUIT, **scopes: str
) -> Path:
    """A BEIR folder with these documents; `scopes` gives some of them a field `group`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        msgspec.json.encode(
            {"_id": identifier, "title": title, "text": text}
            | ({"group": scopes[identifier]} if identifier in scopes else {})
        )
        for identifier, (title, text) in documents.items()
    ]
    (folder / "corpus.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    return folder


def documents_of(documents: Mapping[str, tuple[str, str]] = FRUIT) -> Documents:
    return build_documents(
        CorpusDocument(id=identifier.encode(), title=title, text=text)
        for identifier, (title, text) in documents.items()
    )


def a_context(root: Path, **known: Any) -> RetrieverContext:
    """A context in which nothing is installed; `configured` may be tables as TOML gives them."""
    tables = known.pop("configured", {})
    return RetrieverContext(
        project_root=root, registered=(), configured=read_configs(tables), **known
    )


def write_module(root: Path, name: str, source: str) -> None:
    """A module in the project root. Each test names its own: modules stay imported."""
    (root / f"{name}.py").write_text(source, encoding="utf-8")
    # Compiled anew: two modules written within one second look alike to the import system.
    sys.modules.pop(name, None)


def command_of(script: Path, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, str(script), *arguments)


class LetterEmbedder:
    """A real, if simple, model: how often each letter occurs, of length 1."""

    name = "letters"
    label = "letters:1"
    dimension = 26
    batch_policy = "any"

    def __init__(self, **settings: str | int) -> None:
        self.settings: Mapping[str, str | int] = settings
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str], kind: Kind = "query") -> NDArray[np.float32]:
        if kind == "document":
            self.embedded.extend(texts)
        counts = np.array(
            [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts],
            dtype=np.float32,
        ).reshape(len(texts), 26)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        units = np.zeros_like(counts)
        np.divide(counts, lengths, out=units, where=lengths > 0)
        return units
