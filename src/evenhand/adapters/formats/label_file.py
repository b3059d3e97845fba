"""How are people's labels of reviewed cases read? JSON Lines or CSV, one label a line, strictly."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from evenhand.adapters.formats.lines import read_lines, require_utf8
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile, InvalidValue
from evenhand.core.review.labels import SaidLabel
from evenhand.core.review.observation import Assessment

MEMBERS: Final = ("case_id", "practice_revision_id", "label", "labeller", "labelled_at")
#: Most characters of the id of a revision, as the API takes one.
_MOST_ID: Final = 64
_TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?(Z|[+-]\d{2}:\d{2})", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FiledLabel:
    """A label as a file says it.

    Attributes:
        line: where, from 1.
        practice_revision_id: by which criteria.
        said: the label.
    """

    line: int
    practice_revision_id: str
    said: SaidLabel


def read_labels(path: Path) -> tuple[FiledLabel, ...]:
    """The labels of a file, in its order.

    Args:
        path: plain or gzip. JSON Lines of objects with exactly the members of `MEMBERS`, all
            texts; or CSV with exactly these columns, in any order, named in its first line.

    Raises:
        InvalidFile: the first line that breaks a rule, by file, line (from 1) and rule; a file
            without a label. No value is repeated.
    """
    file = path.name
    found: dict[tuple[object, ...], FiledLabel] = {}
    for number, record in _records(path, file):
        one = _label(record, file, number)
        said = one.said
        place = one.practice_revision_id, said.case_id, said.labeller, said.labelled_at
        if place in found:
            raise InvalidFile(file, "labels a case twice for one labeller and time", line=number)
        found[place] = one
    if not found:
        raise InvalidFile(file, "holds no label")
    return tuple(found.values())


def by_revision(found: Iterable[FiledLabel]) -> dict[str, list[FiledLabel]]:
    """The labels by the criteria that they were given by, in order."""
    filed: dict[str, list[FiledLabel]] = {}
    for one in found:
        filed.setdefault(one.practice_revision_id, []).append(one)
    return filed


def _records(path: Path, file: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    """Members by name, line by line, whichever of the two formats it is."""
    columns: list[str] | None = None
    for number, line in read_lines(path, file):
        if columns is None and line.lstrip(b" \t").startswith(b"{"):
            yield number, decode_object(line, file, number)
        elif columns is None:
            columns = _cells(line, file, number)
            if sorted(columns) != sorted(MEMBERS):
                rule = f"must be a JSON object, or name the columns {', '.join(MEMBERS)}"
                raise InvalidFile(file, rule, line=number)
        else:
            cells = _cells(line, file, number)
            if len(cells) != len(columns):
                rule = f"must have {len(columns)} cells"
                raise InvalidFile(file, rule, line=number)
            yield number, dict(zip(columns, cells, strict=True))


def _cells(line: bytes, file: str, number: int) -> list[str]:
    # A quoted cell cannot hold the end of a line: no member is a text of several.
    try:
        return next(csv.reader([require_utf8(line, file, number)], strict=True))
    except csv.Error:
        raise InvalidFile(file, "is not CSV", line=number) from None


def _label(record: Mapping[str, object], file: str, number: int) -> FiledLabel:
    if record.keys() != set(MEMBERS):
        rule = f"must have {', '.join(MEMBERS)}, and nothing else"
        raise InvalidFile(file, rule, line=number)
    texts = {name: value for name, value in record.items() if isinstance(value, str)}
    for name in MEMBERS:
        if name not in texts:
            rule = f"{name} must be a text"
            raise InvalidFile(file, rule, line=number)
    if texts["label"] not in tuple(Assessment):
        raise InvalidFile(file, "label must be good or bad", line=number)
    if not 1 <= len(texts["practice_revision_id"]) <= _MOST_ID:
        raise InvalidFile(file, "practice_revision_id must be an id", line=number)
    try:
        said = SaidLabel(
            case_id=texts["case_id"],
            labeller=texts["labeller"],
            label=Assessment(texts["label"]),
            labelled_at=_time(texts["labelled_at"], file, number),
        )
    except InvalidValue as error:
        raise InvalidFile(file, str(error), line=number) from None
    return FiledLabel(line=number, practice_revision_id=texts["practice_revision_id"], said=said)


def _time(text: str, file: str, number: int) -> datetime:
    try:
        found = datetime.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        # The form of a time, and no day of the calendar.
        found = None
    if found is None:
        rule = "labelled_at must be a time with a zone, such as 2026-09-01T10:00:00Z"
        raise InvalidFile(file, rule, line=number)
    return found
