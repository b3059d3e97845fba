"""Reads a small file as the command would."""

from pathlib import Path
from typing import Any

from evenhand.adapters.formats.foreign.importing import ForeignSet, ImportRequest, read_foreign
from evenhand.core.retrieval.golden import GoldenQuestion
from tests.adapters.formats.foreign import samples


def read(folder: Path, name: str, content: bytes | None = None, **more: Any) -> ForeignSet:
    """The set of a sample, or of other content under a name."""
    path = samples.write(folder, name, content)
    return read_foreign(ImportRequest(reference=str(path), **more))


def questions(folder: Path, name: str, content: bytes | None = None, **more: Any) -> list[Any]:
    """Id, text and targets of each question; None for the targets of an unjudged one."""
    found = read(folder, name, content, **more).golden_set.questions
    return [(one.id.decode(), one.text, _targets(one)) for one in found]


def _targets(one: GoldenQuestion) -> list[str] | None:
    return None if one.unjudged else [target.decode() for target in one.expected_document_ids]
