"""What happens when nobody reads the output any more? The command goes on, quietly.

``evenhand run … | head`` must still store its result and end with the code of its verdict: that a
reader has seen enough is no reason to claim a pass, or a failure. Data that cannot be written,
such as to a full disk, is a failure; talk that cannot is lost, and the code says what it said.
"""

from __future__ import annotations

import io
import os
import sys

# Not from typing, which takes longer to import than `evenhand --help` should.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TextIO

    from _typeshed import ReadableBuffer


class OutputLost(OSError):
    """Standard output could not be written; its text says so, with the system's reason."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.errno, error.strerror)

    def __str__(self) -> str:
        return f"standard output cannot be written: {self.strerror}"


def settle_streams() -> None:
    """Let standard output and standard error outlive their readers, or never having had any."""
    sys.stdout = _settled(sys.stdout, _Patient)
    sys.stderr = _settled(sys.stderr, _Talk)


def _settled(stream: TextIO | None, kind: type[_Patient]) -> TextIO:
    if stream is None:
        # Whoever started the program has closed it.
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 -- pathlib takes long to import
    return io.TextIOWrapper(
        io.BufferedWriter(kind(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        # What the terminal's encoding lacks is spelt out; no text is a reason to fail.
        errors="backslashreplace",
        line_buffering=bool(stream.line_buffering),
    )


class _Patient(io.FileIO):
    """Bytes out; once they cannot be written they go nowhere, and only a failure is raised."""

    def write(self, data: ReadableBuffer, /) -> int:
        """How many bytes were taken.

        Raises:
            OutputLost: they could not be written, the first time, and not because nobody reads.
        """
        try:
            return super().write(data)
        except OSError as error:
            # What is still in the buffer must not fail once more when the interpreter ends.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if not isinstance(error, BrokenPipeError):
                self._lost(error)
            return memoryview(data).nbytes

    def _lost(self, error: OSError) -> None:
        raise OutputLost(error) from None


class _Talk(_Patient):
    """Standard error: were its loss raised, there would be nowhere to say so."""

    def _lost(self, error: OSError) -> None:
        """Nothing more can be said."""
