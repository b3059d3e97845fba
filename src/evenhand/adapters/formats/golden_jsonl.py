"""How is a golden set written as ``evenhand.golden/1`` in JSON Lines, and read back?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from evenhand.adapters.formats.golden_records import (
    NumberedRecord,
    build_golden_set,
    header_record,
    question_records,
)
from evenhand.adapters.formats.lines import read_lines
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.retrieval.golden import GoldenSet


def read_golden_jsonl(path: Path, file: str | None = None) -> GoldenSet:
    """The golden set of a JSONL file, plain or gzip.

    Args:
        path: the file; its first line that is not blank is the header, every other a question.
        file: what messages call it, by default its name.

    Raises:
        InvalidFile: the first line that breaks a rule, by file, line (from 1) and rule.
    """
    name = file or path.name
    records = _records(path, name)
    return build_golden_set(next(records, None), records, name)


def dump_golden_jsonl(golden_set: GoldenSet) -> bytes:
    """The set as JSONL, one LF after each line. ``read_golden_jsonl`` gives the same value back."""
    records = (header_record(golden_set), *question_records(golden_set))
    return msgspec.json.Encoder().encode_lines(records)


def _records(path: Path, file: str) -> Iterator[NumberedRecord]:
    for number, line in read_lines(path, file):
        yield number, decode_object(line, file, number)
