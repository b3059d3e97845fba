"""How is a golden set written in the format that the user names?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from evenhand.adapters.formats.foreign.beir_writer import write_beir
from evenhand.adapters.formats.foreign.table_writer import write_csv, write_parquet
from evenhand.adapters.formats.foreign.trec_writer import write_trec
from evenhand.adapters.formats.sets import write_golden_set
from evenhand.core.errors import InvalidFile
from evenhand.core.retrieval.golden import GoldenSet


def write_set(
    golden_set: GoldenSet, path: Path, name: str | None = None, drop: Collection[str] = ()
) -> GoldenSet:
    """Write a set.

    Args:
        golden_set: the questions.
        path: a file; for ``beir`` and ``trec`` a folder.
        name: one of `format_names.EXPORT_NAMES`; None goes by the ending of the name.
        drop: of `format_names.FACET_NAMES`, what may be lost where the format cannot hold it.

    Returns:
        The set as it was written, without what was dropped.

    Raises:
        InvalidFile: the name does not tell the format, the format cannot hold something of the
            set, or the file cannot be written.
        MissingExtra: Parquet without pyarrow.
    """
    return _WRITERS[name or _by_ending(path)](golden_set, path, drop)


def _write_jsonl(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    del drop  # holds everything
    write_golden_set(golden_set, path, ending=".jsonl")
    return golden_set


def _write_yaml(golden_set: GoldenSet, path: Path, drop: Collection[str]) -> GoldenSet:
    del drop  # holds everything
    write_golden_set(golden_set, path, ending=".yaml")
    return golden_set


_Writer = Callable[[GoldenSet, Path, Collection[str]], GoldenSet]
_WRITERS: Final[Mapping[str, _Writer]] = MappingProxyType(
    {
        "jsonl": _write_jsonl,
        "yaml": _write_yaml,
        "beir": write_beir,
        "trec": write_trec,
        "csv": write_csv,
        "parquet": write_parquet,
    }
)

_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".jsonl": "jsonl",
        ".yaml": "yaml",
        ".yml": "yaml",
        ".csv": "csv",
        ".parquet": "parquet",
    }
)


def _by_ending(path: Path) -> str:
    if path.suffix not in _ENDINGS:
        raise InvalidFile(path.name, _unknown())
    return _ENDINGS[path.suffix]


def _unknown() -> str:
    return f"the name must end in one of {', '.join(_ENDINGS)}, or --format say the format"
