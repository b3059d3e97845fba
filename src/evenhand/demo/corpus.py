"""How do the harvested texts become a corpus like anybody's: a folder, a file, a digest?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.corpus import read_corpus
from evenhand.adapters.formats.corpus_manifest import corpus_digest_of
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors.identity import InvalidCorpus
from evenhand.core.identity.canonical import to_text
from evenhand.demo.harvest import harvest

CORPUS_FILE: Final = "corpus.jsonl"
#: What `copy_with_edit` appends to a document.
EDIT: Final = "\n\nThis sentence was added by the demo to show what one changed document does."


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCorpus:
    """A corpus that lies in a folder.

    Attributes:
        folder: where its ``corpus.jsonl`` lies.
        digest: the corpus label, 64 lowercase hex digits.
        names: ids of the documents, in order.
        python: version of the Python that the texts come from.
        left_out: modules that this build of Python lacks; with them it would be another corpus.
    """

    folder: Path
    digest: str
    names: tuple[str, ...]
    python: str
    left_out: tuple[str, ...]


def write_corpus(folder: Path) -> DemoCorpus:
    """Write the documentation of the running Python's standard library as a BEIR corpus.

    The title of a document is its id, a dotted name.

    Args:
        folder: an existing folder; a corpus in it is replaced.

    Raises:
        InvalidCorpus: this Python runs without documentation strings (``-OO``).
    """
    if sys.flags.optimize > 1:
        raise InvalidCorpus("Python runs with -OO, which leaves no documentation to search")
    found = harvest()
    _write(folder / CORPUS_FILE, found.texts)
    return DemoCorpus(
        folder=folder,
        digest=corpus_digest_of(folder),
        names=tuple(found.texts),
        python=found.python,
        left_out=found.left_out,
    )


def copy_with_edit(corpus: DemoCorpus, folder: Path, name: str) -> str:
    """Write a copy of a corpus in which one document says one sentence more.

    Args:
        corpus: what is copied.
        folder: an existing folder for the copy.
        name: id of the document to edit.

    Returns:
        The label of the copy.
    """
    texts = {to_text(one.id): one.text for one in read_corpus(corpus.folder)}
    texts[name] += EDIT
    _write(folder / CORPUS_FILE, texts)
    return corpus_digest_of(folder)


def _write(path: Path, texts: dict[str, str]) -> None:
    encoder = msgspec.json.Encoder()
    with writing(path) as stream:
        for name, text in texts.items():
            stream.write(encoder.encode({"_id": name, "title": name, "text": text}) + b"\n")
