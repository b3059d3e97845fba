"""What does a block of a run or of judgements say, as columns of numbers and places in its bytes?

For text of the plain shape only: one blank or tab between two columns, LF after each line,
nothing else. Whatever has another shape is refused here (`Irregular`) and put into shape, or
refused with a line number, by ``lines``. No text becomes a Python object: an id is a place and a
length in the block, and is compared as words of eight bytes. Which rows count is the business of
``kernel``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.core.scoring.byte_words import (
    LONGEST,
    Bytes,
    Doubles,
    Ints,
    Irregular,
    bits_from,
    decimals,
    token,
    words,
)

if TYPE_CHECKING:
    from evenhand.core.scoring.cuts import Room

RUN_COLUMNS: Final = 6
QRELS_COLUMNS: Final = 4

_LF, _TAB, _BLANK, _PLUS, _MINUS, _HASH = b"\n\t +-#"
_GRADE_DIGITS: Final = 9
_CACHED: Final = 2**18  # bytes, whole words of bits
_ONE: Final = np.uint64(1)
_SPARE: Final = np.zeros(8, dtype=np.uint8)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Rows of a run; N of them, in the order of the text.

    Attributes:
        text: the bytes, spare ones around its tokens (`cuts`).
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


def as_array(room: bytes | Room) -> Bytes:
    """The same bytes as numbers; nothing is copied."""
    return np.frombuffer(room, dtype=np.uint8)


def run_rows(text: Bytes, start: int, end: int) -> Rows:
    """The rows of ``query Q0 document rank score tag`` lines.

    Raises:
        Irregular: another shape, a comment, or a score that is no finite number.
    """
    begin, query, q0, document, rank, score, _ = _column_ends(text, start, end, RUN_COLUMNS)
    document_at = q0 + 1
    return Rows(
        text=text,
        query_at=begin,
        query_size=query - begin,
        document_at=document_at,
        document_size=document - document_at,
        scores=decimals(text, rank + 1, score),
    )


def qrels_rows(text: Bytes, start: int, end: int) -> Rows:
    """The rows of ``query 0 document grade`` lines; the grade is in ``scores``.

    Raises:
        Irregular: another shape, a comment, or a grade that is not a plain whole number.
    """
    begin, query, iteration, document, grade = _column_ends(text, start, end, QRELS_COLUMNS)
    document_at, grade_at = iteration + 1, document + 1
    grade_size = grade - grade_at
    # Nine digits at most, no point, no plus: 32 bits hold it, and nothing is cut off.
    digits = grade_size - (text.take(grade_at) == _MINUS)
    if digits.max() > _GRADE_DIGITS:
        raise Irregular
    grades = decimals(text, grade_at, grade)
    if (text.take(grade_at) == _PLUS).any() or _has_point(text, grade_at, grade_size):
        raise Irregular
    return Rows(
        text=text,
        query_at=begin,
        query_size=query - begin,
        document_at=document_at,
        document_size=document - document_at,
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
    long = np.flatnonzero((size[1:] > LONGEST) & ~changed)
    changed[long] = [
        token(text, at, size, row) != token(text, at, size, row + 1) for row in long.tolist()
    ]
    first = np.flatnonzero(np.concatenate([[True], changed]))
    if (text[at[first]] == _HASH).any():
        raise Irregular
    return first


def _column_ends(text: Bytes, start: int, end: int, columns: int) -> list[Ints]:
    """Where each line begins, and where each of its columns ends, one array after the other.

    Raises:
        Irregular: a line has another number of columns, or an empty one.
    """
    return _along_blanks(text, start, end, columns) or _among_separators(text, start, end, columns)


def _along_blanks(text: Bytes, start: int, end: int, columns: int) -> list[Ints] | None:
    """As `_column_ends` where nothing but single blanks parts the columns, else None.

    Only the ends of lines are searched for. Blanks are kept as one bit a byte, so that the next
    50 bytes of every line are one word, whose lowest bit is its next blank.
    """
    lines, bits = [], []
    for low in range(start, end, _CACHED):
        part = text[low : min(low + _CACHED, end)]
        places = np.flatnonzero(part < _BLANK)
        places += low
        lines.append(places)
        bits.append(np.packbits(part == _BLANK, bitorder="little"))
    line_end, blanks = np.concatenate(lines), np.concatenate([*bits, _SPARE])
    count = int(np.bitwise_count(blanks).sum(dtype=np.int64))
    if count != len(line_end) * (columns - 1) or (text.take(line_end) != _LF).any():
        return None
    at = np.empty_like(line_end)
    at[0] = start
    np.add(line_end[:-1], 1, out=at[1:])
    ends, word = [at], np.zeros(1, dtype=np.uint64)
    for _ in range(columns - 1):
        if not word.all():
            at = ends[-1] + (len(ends) > 1)
            word = bits_from(blanks, at - start)
            # No blank so near, or an empty column: one that begins with a blank, or two blanks.
            if not word.all() or ((word & (word << _ONE)) | (word & _ONE)).any():
                return None
        below = word - _ONE
        ends.append(at + np.bitwise_count(below & ~word))
        word &= below
    # As many blanks as there should be, and so many before the end of each line: none has more.
    return [*ends, line_end] if (line_end - ends[-1]).min() > 1 else None


def _among_separators(text: Bytes, start: int, end: int, columns: int) -> list[Ints]:
    """As `_column_ends`, of lines with tabs or long columns too, from all separators in order.

    Looked for in parts that stay in the processor's cache, where what can be seen from the bytes
    alone is looked at as well.
    """
    found = []
    controls = 0
    was_separator = True
    for low in range(start, end, _CACHED):
        part = text[low : min(low + _CACHED, end)]
        is_separator = part <= _BLANK
        # An empty column: two separators in a row, or one that begins the text.
        if (was_separator and is_separator[0]) or (is_separator[1:] & is_separator[:-1]).any():
            raise Irregular
        was_separator = is_separator[-1]
        controls += int(np.count_nonzero(part < _BLANK))
        places = np.flatnonzero(is_separator)
        places += low
        found.append(places)
    places = np.concatenate(found) if found else np.empty(0, dtype=np.int64)
    if not len(places) or len(places) % columns:
        raise Irregular
    ends = [places[column::columns].copy() for column in range(columns)]
    if (text.take(ends[-1]) != _LF).any():
        raise Irregular
    if controls != len(ends[-1]):
        # Tabs; other control characters are text to the line-numbered reader.
        for column in ends[:-1]:
            within = text.take(column)
            if not ((within == _BLANK) | (within == _TAB)).all():
                raise Irregular
    begin = np.append(start, ends[-1][:-1] + 1)
    return [begin, *ends]


def _has_point(text: Bytes, at: Ints, size: Ints) -> bool:
    """Whether a grade is spelt with a point or an exponent, where a whole number is asked for."""
    odd = np.flatnonzero(size > 1)
    return any(not token(text, at, size, row).removeprefix(b"-").isdigit() for row in odd.tolist())
