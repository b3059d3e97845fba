"""How is a large run worked on: block by block on threads, or in parts where rows lie anywhere?"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Final

from evenhand.adapters.scoring.heads import framed, without_head
from evenhand.adapters.scoring.run_blocks import Blocks
from evenhand.adapters.scoring.source import Opened, Source
from evenhand.adapters.scoring.threads import map_together, work_together
from evenhand.core.scoring.blocks import as_array, run_rows
from evenhand.core.scoring.byte_words import Irregular
from evenhand.core.scoring.cuts import LEAD, PAD, padded, pieces
from evenhand.core.scoring.judgements import Judgements
from evenhand.core.scoring.kernel import (
    BlockHits,
    judged_hits,
    regrouped,
    regrouped_hits,
)
from evenhand.core.scoring.lines import plain_run

if TYPE_CHECKING:
    from evenhand.core.scoring.cuts import Room

#: Most bytes of a run whose rows lie anywhere that are held at a time.
PART_BYTES: Final = 64 * 2**20

_READ: Final = 2**20
_PIECE: Final = 2**21  # bytes of text that become columns at a time


def hits_by_blocks(
    judgements: Judgements, blocks: Blocks, *, threads: int, block_bytes: int
) -> list[BlockHits]:
    """The judged hits of every block, found by threads.

    Args:
        judgements: all of them.
        blocks: of the run.
        threads: how many work, the caller among them; at least 1.
        block_bytes: of a block; memory grows with it, not with the run.

    Raises:
        InvalidFile: the run cannot be read.
        BadLine: a line breaks a rule.
        Irregular, Repeated, Scattered: as `judged_hits`.
    """

    def taken() -> Iterator[tuple[Room, int, int]]:
        room: Room = bytearray(LEAD + block_bytes + 1 + PAD)
        while (block := blocks.next_block(room)) is not None:
            room = block[0]
            yield block

    def work() -> list[BlockHits]:
        try:
            return hits_of_blocks(judgements, taken())
        finally:
            # After a failure there is nothing left to do for the others either.
            blocks.stop()

    return [hits for found in work_together(work, threads=threads) for hits in found]


def hits_of_blocks(
    judgements: Judgements, blocks: Iterable[tuple[Room, int, int]]
) -> list[BlockHits]:
    """The judged hits of blocks, one after the other.

    Args:
        judgements: all of them.
        blocks: room that holds whole queries, where they begin and where they end.

    Raises:
        BadLine, Irregular, Repeated, Scattered: as `hits_by_blocks`.
    """
    return [hits for block in blocks for hits in _hits_of(judgements, *block)]


def hits_anywhere(
    judgements: Judgements,
    source: Source,
    stream: Opened,
    *,
    threads: int,
    part_bytes: int = PART_BYTES,
) -> list[BlockHits]:
    """The judged hits of a run in which the rows of a query lie anywhere.

    A run that is larger than a part is first dealt out to temporary files by its queries.

    Raises:
        InvalidFile, BadLine, Irregular, Repeated: as `hits_by_blocks`.
    """
    room, start, end = stream.room(part_bytes + 1, before=LEAD, after=1 + PAD)
    if end - start <= part_bytes:
        return _anywhere(judgements, framed(room, start, end, source.label), threads)
    found: list[BlockHits] = []
    first, _ = without_head(bytes(memoryview(room)[start:end]), source.label)
    del room
    with _dealt(first, stream, max(2, 2 * source.size // part_bytes + 1)) as parts:
        del first
        for part in parts:
            part.seek(0)
            found += _anywhere(judgements, padded(part.read()), threads)
    return found


def _hits_of(judgements: Judgements, room: Room, start: int, end: int) -> list[BlockHits]:
    try:
        return [judged_hits(judgements, as_array(room), start, end)]
    except Irregular:
        plain, longer = plain_run(bytes(room[start:end]))
    if not plain:
        return []
    put, start, end = padded(plain)
    return [replace(judged_hits(judgements, as_array(put), start, end), longer_rows=longer)]


def _anywhere(
    judgements: Judgements, held: tuple[bytes | bytearray, int, int], threads: int
) -> list[BlockHits]:
    room, start, end = held
    try:
        return _regrouped(judgements, held, threads)
    except Irregular:
        plain, longer = plain_run(bytes(memoryview(room)[start:end]))
    if not plain:
        return []
    first, *rest = _regrouped(judgements, padded(plain), threads)
    return [replace(first, longer_rows=longer), *rest]


def _regrouped(
    judgements: Judgements, held: tuple[bytes | bytearray, int, int], threads: int
) -> list[BlockHits]:
    room, start, end = held
    if start == end:
        return []
    text = as_array(room)
    cuts = pieces(room, start, end, _PIECE)
    parts = map_together(lambda cut: run_rows(text, *cut), cuts, threads=threads)
    return map_together(
        lambda group: regrouped_hits(judgements, *group), regrouped(parts), threads=threads
    )


@contextmanager
def _dealt(first: bytes, stream: Opened, count: int) -> Iterator[Sequence[IO[bytes]]]:
    """The rows in temporary files, those of one query in one file."""
    import tempfile

    with ExitStack() as stack:
        parts = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(count)]
        rest = _deal(first, parts)
        while read := stream.read(_READ):
            rest = _deal(rest + read, parts)
        _deal(rest + b"\n", parts)
        yield parts


def _deal(text: bytes, parts: Sequence[IO[bytes]]) -> bytes:
    """Deal the whole lines out; what is behind the last LF is given back."""
    *lines, rest = text.split(b"\n")
    dealt: list[list[bytes]] = [[] for _ in parts]
    for line in lines:
        ids = line.split(None, 1)
        if ids and not ids[0].startswith(b"#"):
            dealt[zlib.crc32(ids[0]) % len(parts)].append(line)
    for part, chosen in zip(parts, dealt, strict=True):
        part.writelines(line + b"\n" for line in chosen)
    return rest
