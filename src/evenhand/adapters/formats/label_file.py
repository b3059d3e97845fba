"""How are people's labels of reviewed cases read? One JSON object a line, each case once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile
from evenhand.core.review.observation import Assessment

_MEMBERS: Final = {"case_id", "label"}


def read_labels(path: Path) -> dict[str, Assessment]:
    """Labels by case.

    Args:
        path: JSON Lines, plain or gzip: ``{"case_id": …, "label": "good" or "bad"}``.

    Raises:
        InvalidFile: the first line that breaks a rule, by file, line (from 1) and rule; a file
            without a label.
    """
    found: dict[str, Assessment] = {}
    for number, line in read_lines(path, path.name):
        case, label = _label(decode_object(line, path.name, number), path.name, number)
        if case in found:
            raise InvalidFile(path.name, "labels a case twice", line=number)
        found[case] = label
    if not found:
        raise InvalidFile(path.name, "holds no label")
    return found


def _label(record: dict[str, object], file: str, number: int) -> tuple[str, Assessment]:
    if record.keys() != _MEMBERS:
        raise InvalidFile(file, "must have case_id and label, and nothing else", line=number)
    case, label = record["case_id"], record["label"]
    if not isinstance(case, str) or not case:
        raise InvalidFile(file, "case_id must be a text", line=number)
    if label not in tuple(Assessment):
        raise InvalidFile(file, "label must be good or bad", line=number)
    return case, Assessment(str(label))
