"""What does a block of a run or of judgements say, as columns of numbers and places in its bytes?

For text of the plain shape only: one blank or tab between two columns, LF after each line,
nothing else. Whatever has another shape is refused here (`Irregular`) and put into shape, or
refused with a line number, by ``lines``. No text becomes a Python object: an id is a place and a
length in the block, and is compared as words of eight bytes. Which rows count is the business of
``kernel``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.core.scoring.lines import is_number

#: Bytes that may be read before and after the text of a block: a token is fetched in words.
LEAD: Final = 32
PAD: Final = 64

RUN_COLUMNS: Final = 6
QRELS_COLUMNS: Final = 4

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Words = NDArray[np.uint64]
Doubles = NDArray[np.float64]

_LF, _TAB, _BLANK, _PLUS, _MINUS, _DOT, _ZERO, _HASH = b"\n\t +-.0#"
_LONGEST: Final = PAD  # of an id that is compared as words
_DIGITS: Final = 16  # most digits on one side of the point that are read in bulk
_CACHED: Final = 2**18  # bytes
_EXACT: Final = np.uint64(2**53)
_ODD: Final = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    dtype=np.uint64,
)


class Irregular(Exception):
    """The bytes do not have the plain shape."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Rows of a run; N of them, in the order of the text.

    Attributes:
        text: the bytes, `LEAD` spare ones before the first token and `PAD` after the last.
        query_at, query_size: place and length of the query id, N.
        document_at, document_size: of the document id, N.
        scores: finite, N.
    """

    text: Bytes
    query_at: Ints
    query_size: Ints
    document_at: Ints
    document_size: Ints
    scores: Doubles

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """The rows of several parts of one text."""
        columns = ("query_at", "query_size", "document_at", "document_size", "scores")
        whole = {one: np.concatenate([getattr(part, one) for part in parts]) for one in columns}
        return Rows(text=parts[0].text, **whole)

    def taken(self, places: Ints) -> Rows:
        """These rows, in this order."""
        return Rows(
            text=self.text,
            query_at=self.query_at[places],
            query_size=self.query_size[places],
            document_at=self.document_at[places],
            document_size=self.document_size[places],
            scores=self.scores[places],
        )


def whole_queries(room: bytearray, start: int, end: int) -> int:
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
        if room.startswith(query, line) and room[line + len(query)] in b" \t":
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


def as_array(room: bytes | bytearray) -> Bytes:
    """The same bytes as numbers; nothing is copied."""
    return np.frombuffer(room, dtype=np.uint8)


def run_rows(text: Bytes, start: int, end: int) -> Rows:
    """The rows of ``query Q0 document rank score tag`` lines.

    Raises:
        Irregular: another shape, a comment, or a score that is no finite number.
    """
    ends = _separators(text, start, end, RUN_COLUMNS)
    query_at, query_size = _first_column(ends, start)
    document_at = ends[:, 1] + 1
    return Rows(
        text=text,
        query_at=query_at,
        query_size=query_size,
        document_at=document_at,
        document_size=ends[:, 2] - document_at,
        scores=_numbers(text, ends[:, 3] + 1, ends[:, 4]),
    )


def qrels_rows(text: Bytes, start: int, end: int) -> Rows:
    """The rows of ``query 0 document grade`` lines; the grade is in ``scores``.

    Raises:
        Irregular: another shape, a comment, or a grade that is not a plain whole number.
    """
    ends = _separators(text, start, end, QRELS_COLUMNS)
    query_at, query_size = _first_column(ends, start)
    document_at, grade_at = ends[:, 1] + 1, ends[:, 2] + 1
    grade_size = ends[:, 3] - grade_at
    # Nine digits at most, no point: 32 bits hold it, and nothing is cut off.
    if grade_size.max(initial=0) > len("-999999999"):
        raise Irregular
    grades = _numbers(text, grade_at, ends[:, 3])
    if (text[grade_at] == _PLUS).any() or _has_point(text, grade_at, grade_size):
        raise Irregular
    return Rows(
        text=text,
        query_at=query_at,
        query_size=query_size,
        document_at=document_at,
        document_size=ends[:, 2] - document_at,
        scores=grades,
    )


def new_queries(rows: Rows) -> Ints:
    """The rows whose query is not that of the row before; the first row is one of them.

    Raises:
        Irregular: one of these rows begins like a comment.
    """
    text, at, size = rows.text, rows.query_at, rows.query_size
    taken = words(text, at, size)
    changed = taken[1:, 0] != taken[:-1, 0]
    for word in range(1, taken.shape[1]):
        changed |= taken[1:, word] != taken[:-1, word]
    long = np.flatnonzero((size[1:] > _LONGEST) & ~changed)
    changed[long] = [
        token(text, at, size, row) != token(text, at, size, row + 1) for row in long.tolist()
    ]
    first = np.flatnonzero(np.concatenate([[True], changed]))
    if (text[at[first]] == _HASH).any():
        raise Irregular
    return first


def token(text: Bytes, at: Ints | Small, size: Ints | Small, row: int) -> bytes:
    """The bytes of one id."""
    return text[at[row] : at[row] + size[row]].tobytes()


def words(text: Bytes, at: Ints | Small, size: Ints | Small) -> Words:
    """Tokens as rows of words of eight bytes, zero after the end, cut at `_LONGEST` bytes."""
    cut = np.minimum(size, _LONGEST)
    width = max(8, -(-int(cut.max(initial=1)) // 8) * 8)
    taken = _windows(text, width)[at].view(np.uint64).reshape(-1, width // 8)
    taken &= _LEFT[width].take(cut, axis=0)
    return taken


def keys(text: Bytes, at: Ints, size: Ints) -> Words:
    """A number for each token: equal tokens have equal ones, others nearly always differ.

    Words that are zero add nothing, so the longest token of a block does not matter. Two
    multiplications a word, because one leaves what differs in its last byte in the last byte.
    """
    taken = words(text, at, size)
    mixed = np.zeros(len(at), dtype=np.uint64)
    for word in range(taken.shape[1]):
        part = taken[:, word] * _ODD[word]
        part ^= part >> np.uint64(32)
        part *= _ODD[word - 1]
        mixed ^= part
    for row in np.flatnonzero(size > _LONGEST).tolist():
        mixed[row] = hash(token(text, at, size, row)) & 0xFFFFFFFFFFFFFFFF
    return mix(mixed)


def mix(numbers: Words) -> Words:
    """Spread what differs in any bit to the high bits; a bijection."""
    mixed = numbers ^ (numbers >> np.uint64(32))
    mixed *= _ODD[1]
    return mixed


def _separators(text: Bytes, start: int, end: int, columns: int) -> Ints:
    """Where each column ends, lines × columns.

    Looked for in parts that stay in the processor's cache; each byte is read once.
    """
    parts = [
        np.flatnonzero(text[low : min(low + _CACHED, end)] <= _BLANK) + low
        for low in range(start, end, _CACHED)
    ]
    places = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
    if not len(places) or len(places) % columns or places[0] == start:
        raise Irregular
    marks = text[places]
    is_end = marks == _LF
    lines = len(places) // columns
    if np.count_nonzero(is_end) != lines or not is_end[columns - 1 :: columns].all():
        raise Irregular
    # Other control characters are text to the line-numbered reader.
    odd = len(places) - lines - np.count_nonzero(marks == _BLANK)
    if odd and odd != np.count_nonzero(marks == _TAB):
        raise Irregular
    if (places[1:] - places[:-1]).min(initial=2) < 2:
        raise Irregular
    ends: Ints = places.reshape(-1, columns)
    return ends


def _first_column(ends: Ints, start: int) -> tuple[Ints, Ints]:
    at = np.empty(len(ends), dtype=np.int64)
    at[0] = start
    at[1:] = ends[:-1, -1]
    at[1:] += 1
    return at, ends[:, 0] - at


def _windows(text: Bytes, width: int) -> NDArray[np.void]:
    """The ``width`` bytes that begin at each byte, as one item each; a view."""
    return np.ndarray((len(text) - width + 1,), dtype=f"V{width}", buffer=text, strides=(1,))


def _masks(width: int, *, right: bool) -> Words:
    """Row k keeps the first, or the last, k bytes of ``width``."""
    kept = np.zeros((width + 1, width), dtype=np.uint8)
    for count in range(1, width + 1):
        kept[count, slice(width - count, None) if right else slice(count)] = 255
    return kept.view(np.uint64)


_LEFT: Final = {width: _masks(width, right=False) for width in range(8, _LONGEST + 1, 8)}
_RIGHT: Final = {width: _masks(width, right=True) for width in (8, _DIGITS)}
_ZEROS: Final = {width: ~kept & np.uint64(0x3030303030303030) for width, kept in _RIGHT.items()}
_HIGH_BITS: Final = np.uint64(0x8080808080808080)
#: Digits to pairs, pairs to fours, fours to eight: what to multiply with, shift by and keep.
_EIGHT_DIGITS: Final = [
    (np.uint64(factor), np.uint64(shift), np.uint64(mask))
    for factor, shift, mask in (
        (2561, 8, 0x00FF00FF00FF00FF),
        (6553601, 16, 0x0000FFFF0000FFFF),
        (42949672960001, 32, 0x00000000FFFFFFFF),
    )
]


def _numbers(text: Bytes, at: Ints, end: Ints) -> Doubles:
    """Each decimal as the double nearest to it.

    A whole number up to 2**53 over a power of ten up to 10**22 divides to exactly that; digits
    are read eight at a time. What has more digits or an exponent Python reads row by row.

    Raises:
        Irregular: a token is no finite number.
    """
    first = text[at]
    negative = first == _MINUS
    # Signs come before the point and the digits in ASCII, and few runs have any.
    begin = at + (negative | (first == _PLUS)) if (first < _DOT).any() else at
    point, decimals = _points(text, begin, end)
    whole, whole_ok = _integers(text, point, point - begin)
    part, part_ok = _integers(text, end, decimals)
    size = point - begin + decimals
    power = np.minimum(decimals, len(_TENS) - 1)
    mantissa = whole * _TENS[power] + part
    plain = (mantissa <= _EXACT) & (size > 0) & (size < len(_TENS)) & whole_ok & part_ok
    values: Doubles = mantissa / _POWERS[power]
    np.negative(values, out=values, where=negative)
    for row in np.flatnonzero(~plain).tolist():
        values[row] = _number(text[at[row] : end[row]].tobytes())
    return values


_TENS: Final = np.array([10**power for power in range(20)], dtype=np.uint64)
_POWERS: Final = np.array([10.0**power for power in range(20)])


def _number(content: bytes) -> float:
    if not is_number(content):
        raise Irregular
    return float(content)


def _points(text: Bytes, begin: Ints, end: Ints) -> tuple[Ints, Ints | np.int64]:
    """Where the first point of each token is, or its end, and how many digits come after it."""
    first = text[begin[0] : end[0]].tobytes()
    decimals = np.int64(len(first) - first.find(b".") - 1 if b"." in first else 0)
    guess: Ints = end - (decimals + 1)
    if decimals and (text[guess] == _DOT).all() and (guess >= begin).all():
        return guess, decimals
    low, high = int(begin.min()), int(end.max())
    points = np.append(np.flatnonzero(text[low:high] == _DOT) + low, high)
    found: Ints = np.minimum(points[np.searchsorted(points[:-1], begin)], end)
    return found, np.maximum(end - found - 1, 0)


def _integers(
    text: Bytes, end: Ints, size: Ints | np.int64
) -> tuple[Words, NDArray[np.bool_] | np.bool_]:
    """The digits before ``end`` as a number, and whether they are nothing but digits.

    Three multiplications turn eight digits into their number: neighbours become pairs, pairs
    fours, fours the whole.
    """
    width = 8 if size.max() <= 8 else _DIGITS
    taken = _windows(text, width)[end - width].view(np.uint64).reshape(-1, width // 8)
    cut = np.minimum(size, width)
    taken &= _RIGHT[width].take(cut, axis=0)
    taken |= _ZEROS[width].take(cut, axis=0)
    odd = taken - np.uint64(0x3030303030303030)
    odd |= taken + np.uint64(0x4646464646464646)
    is_digits: NDArray[np.bool_] | np.bool_ = size <= _DIGITS
    if np.bitwise_or.reduce(odd, axis=None) & _HIGH_BITS:
        is_digits = is_digits & ((odd & _HIGH_BITS) == 0).all(axis=1)
    taken &= np.uint64(0x0F0F0F0F0F0F0F0F)
    for factor, shift, mask in _EIGHT_DIGITS:
        taken *= factor
        taken >>= shift
        taken &= mask
    number = taken[:, 0]
    for word in range(1, width // 8):
        number = number * np.uint64(10**8) + taken[:, word]
    return number, is_digits


def _has_point(text: Bytes, at: Ints, size: Ints) -> bool:
    """Whether a grade is spelt with a point or an exponent, where a whole number is asked for."""
    odd = np.flatnonzero(size > 1)
    return any(not token(text, at, size, row).removeprefix(b"-").isdigit() for row in odd.tolist())
