"""Which golden set does a file or folder hold, in whichever format?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from evenhand.adapters.formats.beir import BeirSet, read_beir
from evenhand.adapters.formats.beir_queries import is_beir_folder
from evenhand.adapters.formats.golden_jsonl import dump_golden_jsonl, read_golden_jsonl
from evenhand.adapters.formats.golden_yaml import dump_golden_yaml, read_golden_yaml
from evenhand.adapters.formats.whole_file import writing
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenSet

_T = TypeVar("_T")

_READERS: Final[Mapping[str, Callable[[Path], GoldenSet]]] = MappingProxyType(
    {
        ".jsonl": read_golden_jsonl,
        ".jsonl.gz": read_golden_jsonl,
        ".yaml": read_golden_yaml,
        ".yml": read_golden_yaml,
    }
)
_WRITERS: Final[Mapping[str, Callable[[GoldenSet], bytes]]] = MappingProxyType(
    {".jsonl": dump_golden_jsonl, ".yaml": dump_golden_yaml, ".yml": dump_golden_yaml}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSet:
    """A golden set and where it came from.

    Attributes:
        golden_set: the questions.
        beir: what a BEIR folder said beside them, None for a file.
    """

    golden_set: GoldenSet
    beir: BeirSet | None = None


def is_golden_set_path(path: Path) -> bool:
    """Whether a path is there and looks like a set: a known ending, or a BEIR folder."""
    if path.is_dir():
        return is_beir_folder(path)
    return path.is_file() and path.name.endswith(tuple(_READERS))


def read_golden_set(path: Path, *, split: str | None = None) -> ReadSet:
    """The golden set of a file in Evenhand's own format, or of a BEIR folder.

    Args:
        path: a ``.jsonl``, ``.jsonl.gz``, ``.yaml`` or ``.yml`` file, or a folder with
            ``queries.jsonl``.
        split: for a folder, see `read_beir`.

    Raises:
        InvalidFile: no such format, or the file breaks its rules.
    """
    if path.is_dir():
        if not is_beir_folder(path):
            raise InvalidFile(str(path), "is a folder without queries.jsonl")
        beir = read_beir(path, split=split)
        return ReadSet(golden_set=beir.golden_set, beir=beir)
    if split is not None:
        raise InvalidFile(path.name, "only a BEIR folder has splits")
    return ReadSet(golden_set=_by_ending(path, _READERS)(path))


def write_golden_set(golden_set: GoldenSet, path: Path, *, ending: str | None = None) -> None:
    """Write a set in the format that the name of the file asks for.

    The file appears as a whole or not at all, and replaces one that is there.

    Args:
        golden_set: the questions.
        path: the file.
        ending: goes before that of the name, where the file has another.

    Raises:
        InvalidFile: the name ends in none of ``.jsonl``, ``.yaml`` and ``.yml``, or the file
            cannot be written.
    """
    content = _by_ending(path if ending is None else Path(ending), _WRITERS)(golden_set)
    with writing(path) as stream:
        stream.write(content)


def _by_ending(path: Path, known: Mapping[str, _T]) -> _T:
    for ending, found in known.items():
        if path.name.endswith(ending):
            return found
    raise InvalidFile(path.name, _unknown_ending(known))


def _unknown_ending(known: Mapping[str, object]) -> str:
    return f"the name must end in one of {', '.join(known)}"
