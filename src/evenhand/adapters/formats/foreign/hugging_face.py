"""Which questions does a folder hold that Hugging Face's ``datasets`` saved?

A folder of ``Dataset.save_to_disk`` or ``DatasetDict.save_to_disk``; nothing is fetched. The
columns are those of any other table.

Source: huggingface.co/docs/datasets, ``load_from_disk``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from evenhand.adapters.formats.foreign.columns import document_ids, known_columns
from evenhand.adapters.formats.foreign.fields import optional_text, text_of
from evenhand.adapters.formats.foreign.found import Format, Found, FoundQuestion, ReadOptions
from evenhand.adapters.formats.foreign.head import Head, Kind
from evenhand.core.errors import InvalidFile, MissingExtra

_MARKS: Final = ("dataset_dict.json", "state.json")
_DEFAULT_SPLIT: Final = "test"


def read_hugging_face(path: Path, file: str, options: ReadOptions) -> Found:
    """The questions of a folder.

    Raises:
        MissingExtra: the package is not installed.
        InvalidFile: the folder cannot be read, has no such split, or a row breaks a rule.
    """
    try:
        import datasets
    except ImportError as error:
        raise MissingExtra("a Hugging Face data set", "adapters") from error
    try:
        loaded = datasets.load_from_disk(str(path))
    except (OSError, ValueError):
        raise InvalidFile(file, "is no folder that datasets can load") from None
    rows = _split(loaded, file, options) if isinstance(loaded, dict) else loaded
    columns = known_columns(rows.column_names, options.columns, file)
    questions: list[FoundQuestion] = []
    for number, row in enumerate(rows, 1):
        place = f"row {number}"
        questions.append(
            FoundQuestion(
                text=text_of(row, columns.question or "", file, place),
                place=place,
                id=columns.id and text_of(row, columns.id, file, place),
                targets=document_ids(row, columns.documents, file, place),
                answer=optional_text(row, columns.answer, file, place),
            )
        )
    return Found(questions=tuple(questions))


def _split(loaded: dict[str, Any], file: str, options: ReadOptions) -> Any:
    wanted = options.split or (next(iter(loaded)) if len(loaded) == 1 else _DEFAULT_SPLIT)
    if wanted not in loaded:
        raise InvalidFile(file, _no_split(wanted, sorted(loaded)))
    return loaded[wanted]


def _sniff(head: Head) -> str | None:
    found = [name for name in _MARKS if name in head.names]
    return f"the folder has {found[0]}" if head.kind is Kind.FOLDER and found else None


def _no_split(wanted: str, found: list[str]) -> str:
    return f"has no split {wanted!r}; there are: {', '.join(found)} (--split)"


HUGGING_FACE: Final = Format(name="hugging-face", sniff=_sniff, read=read_hugging_face)
