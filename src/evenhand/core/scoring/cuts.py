"""Where may the text of a run or of judgements be cut, so that lines and queries stay whole?

Loads no numpy, so that a run is read while that is still being imported.
"""

from __future__ import annotations

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from mmap import mmap
    from typing import Final, TypeAlias

    #: Memory that holds a text, with spare bytes around it.
    Room: TypeAlias = bytearray | mmap

#: Bytes that may be read before and after a text: a token is fetched in words of eight bytes.
LEAD: Final = 32
PAD: Final = 64


def whole_queries(room: Room, start: int, end: int) -> int:
    """Where the last query of a text begins, so that all before it is of whole queries.

    Found by halving, as the rows of a query lie side by side; where they do not, the place is
    still one between two queries.

    Args:
        room: holds the text.
        start: where it begins.
        end: where it ends; its last line may be cut off.

    Returns:
        ``start`` where one query is all there is.
    """
    last = max(room.rfind(b"\n", start, end), start)
    high = room.rfind(b"\n", start, last) + 1 or start
    ids = bytes(room[high : room.find(b"\n", high, end)]).split(None, 1)
    query = ids[0] if ids else b"\n"
    low = start
    while low < high:
        line = room.rfind(b"\n", low, (low + high) // 2) + 1 or low
        after = line + len(query)
        if room[line:after] == query and room[after] in b" \t":
            high = line
        else:
            low = room.find(b"\n", line, high) + 1
    return high


def pieces(room: bytes | bytearray, start: int, end: int, size: int) -> Iterator[tuple[int, int]]:
    """Bounds of whole lines, about this many bytes of them at a time; the text ends with LF."""
    while start < end:
        cut = end if end - start <= size else room.rfind(b"\n", start, start + size) + 1
        cut = cut or room.find(b"\n", start, end) + 1
        yield start, cut
        start = cut


def padded(content: bytes) -> tuple[bytes, int, int]:
    """Room that holds these bytes, and where they begin and end; a last LF is added."""
    last = b"" if content.endswith(b"\n") or not content else b"\n"
    return b" " * LEAD + content + last + b" " * PAD, LEAD, LEAD + len(content) + len(last)
