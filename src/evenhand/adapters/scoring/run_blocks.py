"""How is the text of a run cut into blocks of whole queries, for whoever works on one next?"""

from __future__ import annotations

from threading import Lock

from evenhand.adapters.scoring.source import Opened, Source
from evenhand.core.scoring.cuts import LEAD, PAD, whole_queries

# Not from typing, which is imported later, while this reads already.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from evenhand.core.scoring.cuts import Room

_LF = 0x0A


class Cramped(Exception):
    """A query is longer than a room that cannot grow."""


class Blocks:
    """A run's text as blocks of whole queries; any thread may take the next one.

    Reading and digesting happen one thread at a time and in order, while the other one works on
    the block that it took.

    Args:
        source: what messages name.
        stream: its text.
        read_before: text that was read from it already.
    """

    def __init__(self, source: Source, stream: Opened, read_before: bytes) -> None:
        self._source, self._stream = source, stream
        self._lock = Lock()
        self._waiting = read_before
        self._ended = self._stopped = False

    def next_block(self, room: Room) -> tuple[Room, int, int] | None:
        """The next block: room that holds it, and where it begins and ends; None at the end.

        Args:
            room: filled where it is large enough; a query that is longer gets a larger one.

        Raises:
            Cramped: it is not large enough, and is shared with another process.
            InvalidFile: the input cannot be read, or has a line of more than `MAX_LINE_BYTES`.
        """
        with self._lock:
            if self._stopped:
                return None
            room, end, cut = self._filled(room)
            self._waiting = bytes(room[cut:end]) + self._waiting
        if cut == LEAD:
            return None
        if room[cut - 1] != _LF:  # the last line of the input, whose end is missing
            room[cut] = _LF
            cut += 1
        return room, LEAD, cut

    def stop(self) -> None:
        """Give no further block to anybody."""
        self._stopped = True

    def _filled(self, room: Room) -> tuple[Room, int, int]:
        """Room with text in it, where that ends, and where its last query begins."""
        end = LEAD
        while True:
            end = self._fill(room, end)
            if self._ended and not self._waiting:
                return room, end, end
            cut = whole_queries(room, LEAD, end)
            if cut > LEAD:
                return room, end, cut
            if room.find(b"\n", LEAD, end) < 0:
                self._require_end(end - LEAD)
            if not isinstance(room, bytearray):
                raise Cramped
            room = room + bytes(len(room))

    def _require_end(self, size: int) -> None:
        """Refuse a line whose end is not in so many bytes."""
        # Imported here for what else that imports.
        from evenhand.adapters.formats.lines import MAX_LINE_BYTES

        if size > MAX_LINE_BYTES:
            from evenhand.adapters.scoring.faults import TOO_LONG

            raise self._source.refused(TOO_LONG)

    def _fill(self, room: Room, end: int) -> int:
        """Put what waits and what comes next behind what is there."""
        last = len(room) - PAD - 1
        taken = self._waiting[: last - end]
        room[end : end + len(taken)] = taken
        self._waiting = self._waiting[len(taken) :]
        end += len(taken)
        if end < last and not self._ended:
            count = self._stream.readinto(memoryview(room)[end:last])
            self._ended = end + count < last
            end += count
        return end
