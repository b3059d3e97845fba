"""Which id has a text that a format names without one? And how is a corpus of such texts written?

The id is ``sha256:`` and the digest of the text's UTF-8 bytes (ADR-0010): equal texts are one
document, in every file and on every machine, and an id never comes to mean another text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from evenhand.adapters.formats.corpus import CorpusDocument
from evenhand.adapters.formats.foreign.folders import make_folder
from evenhand.adapters.formats.foreign.found import FoundQuestion, Passage
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile, InvalidText
from evenhand.core.identity.canonical import to_bytes

CORPUS_NAME: Final = "corpus.jsonl"

_PREFIX: Final = "sha256:"
_NO_DOCUMENTS: Final = (
    "cannot be filled: the format brings no documents; --documents names those beside it"
)


def passage_id(text: str) -> str:
    """The id of a text."""
    return f"{_PREFIX}{hashlib.sha256(text.encode('utf-8')).hexdigest()}"


def passage_documents(questions: Iterable[FoundQuestion]) -> Iterator[CorpusDocument]:
    """A document for each different text that some questions name, in their order."""
    seen: set[str] = set()
    for question in questions:
        for passage in question.passages or ():
            name = passage_id(passage.text)
            if name not in seen:
                seen.add(name)
                yield _document(name, passage)


def write_corpus(folder: Path, documents: Iterable[CorpusDocument] | None) -> int:
    """Write documents as ``corpus.jsonl`` of a folder, which is made where it is missing.

    A document that is named several times with one text is written once.

    Returns:
        How many were written.

    Raises:
        InvalidFile: there are no documents, the folder has a corpus already or cannot be written,
            or one id has two texts.
        InvalidText: an id is not UTF-8, which JSON cannot hold.
    """
    if documents is None:
        raise InvalidFile(str(folder), _NO_DOCUMENTS)
    require_no_corpus(folder)
    path = folder / CORPUS_NAME
    make_folder(folder)
    encoder = msgspec.json.Encoder()
    seen: dict[bytes, bytes] = {}
    with writing(path) as stream:
        for document in documents:
            line = encoder.encode(_record(document))
            digest = hashlib.sha256(line).digest()
            first = seen.setdefault(document.id, digest)
            if first is digest:
                stream.write(line + b"\n")
            elif first != digest:
                raise InvalidFile(CORPUS_NAME, _two_texts(document.id))
    return len(seen)


def require_no_corpus(folder: Path) -> None:
    """See that a folder has no corpus yet.

    Raises:
        InvalidFile: it has one.
    """
    if (folder / CORPUS_NAME).exists():
        raise InvalidFile(str(folder / CORPUS_NAME), "is there already")


def _record(document: CorpusDocument) -> dict[str, str]:
    try:
        name = document.id.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidText("_id", "is not UTF-8, which a JSON corpus cannot hold") from None
    return {"_id": name, "title": document.title, "text": document.text}


def _document(name: str, passage: Passage) -> CorpusDocument:
    return CorpusDocument(id=to_bytes(name), title=passage.title, text=passage.text)


def _two_texts(name: bytes) -> str:
    return f"the document {name.decode('utf-8', 'replace')!r} is named with two texts"
