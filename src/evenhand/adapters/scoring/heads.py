"""What stands before the first row of a run or of judgements?

A byte order mark is dropped, UTF-16 is refused, and the comment block that the ir_metadata
convention puts at the head of a run is kept as the YAML text that it is.
"""

from __future__ import annotations

from evenhand.core.scoring.lines import is_text

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_MARKS: Final = (b"\xef", b"\xff", b"\xfe")  # the first byte of every byte order mark
#: Bytes in which a head lies.
HEAD_BYTES: Final = 2**16

_BEGIN: Final = b"ir_metadata.start"
_END: Final = b"ir_metadata.end"
_BEIR: Final = (b"corpus-id", b"query-id", b"score")


def without_head(content: bytes, file: str) -> tuple[bytes, str | None]:
    """The text from its first row on, and the YAML text of its ir_metadata head.

    The head is ``# ir_metadata.start``, lines of YAML behind ``# ``, and ``# ir_metadata.end``
    (Breuer, Keller and Schaer, SIGIR 2022). It is text to hand on; nothing here acts on it.

    Args:
        content: the first bytes of the file, with the first row among them.
        file: what messages call it.

    Raises:
        InvalidFile: it is UTF-16.
    """
    if content[:1] in _MARKS:
        from evenhand.adapters.formats.lines import without_mark

        content = without_mark(content, file)
    head: list[bytes] = []
    place = 0
    while place < len(content):
        end = content.find(b"\n", place) + 1 or len(content)
        line = content[place:end]
        if is_text(line.rstrip(b"\r\n")):
            break
        head.append(line.rstrip(b"\r\n").lstrip(b" \t"))
        place = end
    return content[place:], _metadata(head)


def framed(room: bytearray, start: int, end: int, file: str) -> tuple[bytearray, int, int]:
    """Room that holds a text, and where that begins behind its head and ends with a LF.

    Raises:
        InvalidFile: as `without_head`.
    """
    head = bytes(room[start : min(start + HEAD_BYTES, end)])
    start += len(head) - len(without_head(head, file)[0])
    if start < end and room[end - 1 : end] != b"\n":
        room[end : end + 1] = b"\n"
        end += 1
    return room, start, end


def is_beir(content: bytes) -> bool:
    """Whether judgements have the header row of a BEIR folder's."""
    line = content.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r")
    return tuple(sorted(line.split(b"\t"))) == _BEIR


def _metadata(head: list[bytes]) -> str | None:
    comments = [line.removeprefix(b"#").removeprefix(b" ") for line in head if line[:1] == b"#"]
    marks = [line.strip() for line in comments]
    if _BEGIN not in marks or _END not in marks:
        return None
    lines = comments[marks.index(_BEGIN) + 1 : marks.index(_END)]
    return "".join(line.decode("utf-8", "replace") + "\n" for line in lines)
