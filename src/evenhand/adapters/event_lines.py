"""Which events does a file hold? JSON Lines or Parquet, each checked against the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evenhand.adapters.formats.event_parquet import SUFFIX, count_rows, read_rows
from evenhand.adapters.formats.lines import read_lines
from evenhand.contracts.decoding import read_event
from evenhand.contracts.events import Event, validate_event
from evenhand.core.errors import InvalidEvent


def count_events(path: Path) -> int | None:
    """How many a file holds; None where only reading it would tell."""
    return count_rows(path) if path.suffix == SUFFIX else None


def read_events(path: Path) -> Iterator[Event | InvalidEvent]:
    """The events of a file, and refusals in the place of what is none.

    Raises:
        InvalidFile: it cannot be read.
        MissingExtra: Parquet needs an optional part.
    """
    if path.suffix == SUFFIX:
        for row in read_rows(path):
            yield _checked(row)
        return
    for _, line in read_lines(path, path.name):
        yield read_event(line)


def _checked(row: object) -> Event | InvalidEvent:
    try:
        return validate_event(row)
    except InvalidEvent as error:
        return error
