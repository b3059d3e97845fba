"""How do two processes work on one run? As threads they would wait for each other.

Numpy gives the interpreter away in every step and has to get it back, some hundred times a block:
two threads are half as fast again as one, two processes twice. The other process is forked when
the judgements are columns, which both then have. Blocks lie in memory that both share; a thread
of this process reads and digests them in order, and whoever is free takes the next one. Records
of one size go through pipes: a read of such a record is never torn.
"""

from __future__ import annotations

import os
import sys
from mmap import mmap
from struct import Struct
from threading import Thread

from evenhand.adapters.scoring.run_blocks import Blocks
from evenhand.core.scoring.cuts import LEAD, PAD

# Not from typing, which is imported later, while this reads already.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final, Self

    from evenhand.core.scoring.cuts import Room
    from evenhand.core.scoring.judgements import Judgements
    from evenhand.core.scoring.kernel import BlockHits

#: Two are worked on, one is filled; the rest is read ahead while numpy is imported.
ROOMS: Final = 6

_BLOCK: Final = Struct("<iqq")  # number of the room, where its text begins and ends
_NUMBER: Final = Struct("<i")


class Unanswered(Exception):
    """The other process ended without an answer; whoever works again alone finds out why."""


def may_fork() -> bool:
    """Whether this process can be forked safely: on Linux, and with no other thread of any kind."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 -- pathlib takes long to import
    except OSError:
        return False


class SharedBlocks:
    """Blocks of a run in memory that forked processes share.

    Args:
        blocks: of the run.
        block_bytes: of a block.
    """

    def __init__(self, blocks: Blocks, block_bytes: int) -> None:
        self._blocks = blocks
        self._rooms = [mmap(-1, LEAD + block_bytes + 1 + PAD) for _ in range(ROOMS)]
        self._free, self._freed = os.pipe()
        self._full, self._filled = os.pipe()
        self._failure: BaseException | None = None
        self._is_stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for end in (self._free, self._freed, self._full):
            os.close(end)
        if self._filled >= 0:
            os.close(self._filled)

    def read_ahead(self) -> None:
        """Fill the rooms.

        Raises:
            InvalidFile, Cramped: as `Blocks.next_block`.
        """
        for number in range(ROOMS):
            self._is_stopped = self._is_stopped or not self._fill(number)

    def hits(self, judgements: Judgements) -> list[BlockHits]:
        """The judged hits of every block, found by this process and a forked one.

        Raises:
            Unanswered: the other one found no answer, or there can be no other one.
            InvalidFile, Cramped: as `Blocks.next_block`.
            BadLine, Irregular, Repeated, Scattered: as `hits_by_blocks`.
        """
        from evenhand.adapters.scoring.columns import hits_of_blocks

        if not may_fork():
            raise Unanswered
        answer, answered = os.pipe()
        child = os.fork()
        if not child:
            self._serve(judgements, answered)
        os.close(answered)
        reader = Thread(target=self._read_on, daemon=True)
        with _Child(child, answer) as other:
            reader.start()
            try:
                found = hits_of_blocks(judgements, self._taken())
            finally:
                self._is_stopped = True
                os.write(self._freed, _NUMBER.pack(0))
                reader.join()
            self._rooms.clear()  # megabytes that nobody holds then while the answer is read
            if self._failure is not None:
                raise self._failure
            return found + other.answer()

    def _serve(self, judgements: Judgements, answered: int) -> None:
        """What the forked process does: it answers and ends, or ends without an answer."""
        import pickle
        import signal

        from evenhand.adapters.scoring.columns import hits_of_blocks

        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that waits for it ends it
            os.close(self._filled)
            found = hits_of_blocks(judgements, self._taken())
            with open(answered, "wb") as stream:
                pickle.dump(found, stream, protocol=5)
        finally:
            # Nothing of what the other process has open or registered is touched.
            os._exit(0)

    def _read_on(self) -> None:
        """Fill each room that is free again, until the run ends."""
        try:
            is_more = not self._is_stopped
            while is_more:
                (number,) = _NUMBER.unpack(os.read(self._free, _NUMBER.size))
                is_more = not self._is_stopped and self._fill(number)
        except BaseException as error:  # noqa: BLE001 -- raised by the caller
            self._failure = error
        os.close(self._filled)
        self._filled = -1

    def _fill(self, number: int) -> bool:
        block = self._blocks.next_block(self._rooms[number])
        if block is not None:
            os.write(self._filled, _BLOCK.pack(number, *block[1:]))
        return block is not None

    def _taken(self) -> Iterator[tuple[Room, int, int]]:
        """Blocks, as long as there are any; the room of one is free when the next is asked for."""
        while record := os.read(self._full, _BLOCK.size):
            number, start, end = _BLOCK.unpack(record)
            yield self._rooms[number], start, end
            os.write(self._freed, _NUMBER.pack(number))


class _Child:
    """A forked process, which is gone at the end.

    Args:
        number: of the process.
        answer: where its answer is read from.
    """

    def __init__(self, number: int, answer: int) -> None:
        self._number, self._answer = number, answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        import signal
        from contextlib import suppress

        os.close(self._answer)
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._number, signal.SIGKILL)
            os.waitpid(self._number, 0)

    def answer(self) -> list[BlockHits]:
        """What it found.

        Raises:
            Unanswered: it ended before.
        """
        import pickle

        try:
            with open(self._answer, "rb", closefd=False) as stream:
                found: list[BlockHits] = pickle.load(stream)  # noqa: S301 -- of our own process
        except (EOFError, pickle.UnpicklingError):
            raise Unanswered from None
        return found
