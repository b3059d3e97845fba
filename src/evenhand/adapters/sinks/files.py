"""Emitted events as files in a folder: one a batch, named by it, whole or not there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evenhand.adapters.formats.event_parquet import SUFFIX, write_events
from evenhand.adapters.formats.whole_file import writing
from evenhand.contracts.decoding import encode_event
from evenhand.contracts.delivery import Batch
from evenhand.core.errors import UnwritableFile
from evenhand.core.identity.canonical import sha256_hex

JSONL: Final = ".jsonl"


class FolderSink:
    """A folder of files; implements `ports.EventSink`.

    Args:
        folder: it is made where it is not there.
        suffix: ``.jsonl`` or ``.parquet``.
    """

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix

    @property
    def name(self) -> str:
        """By form and place: another folder is another sink, which has to get everything."""
        place = sha256_hex(str(self._folder.resolve()).encode("utf-8", "surrogateescape"))[:16]
        return f"{self._suffix.removeprefix('.')}:{place}"

    def write(self, batch: Batch) -> None:
        """Write the file of a batch; one that is there is replaced by its equal.

        Raises:
            UnwritableFile: the folder or the file cannot be written.
            MissingExtra: Parquet needs an optional part.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = f"cannot be made: {error.strerror or type(error).__name__}"
            raise UnwritableFile(str(self._folder), why) from None
        with writing(self._folder / f"{batch.id}{self._suffix}", durably=True) as stream:
            if self._suffix == SUFFIX:
                write_events(stream, batch.events)
                return
            for event in batch.events:
                stream.write(encode_event(event) + b"\n")
