"""Which ids of a run miss those of the judgements by their spelling alone?

Ids are compared by their bytes and never changed. So an accent that is composed in one file and
decomposed in the other makes two ids, and so does a byte order mark before the first id of a file
that was put behind another one. The first is told, the second refused. Loaded only where one of
the two may be: where an id is not ASCII.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from unicodedata import is_normalized, normalize

from evenhand.adapters.scoring.faults import numbered_lines
from evenhand.adapters.scoring.source import Source
from evenhand.core.scoring.run_facts import OtherSpellings

MARK: Final = b"\xef\xbb\xbf"

#: Of a larger run only so many bytes of text are looked through, for a warning.
_LOOKED_AT: Final = 64 * 2**20
_STEP: Final = 2**20
_WITH_OTHERS: Final = re.compile(rb"^[^\n]*[\x80-\xff][^\n]*$", re.MULTILINE)
_SECOND_MARK: Final = (
    "begins with a byte order mark, as a file that was put behind another one does; remove it"
)


def refuse_marked(source: Source, queries: Sequence[bytes]) -> None:
    """Refuse an input whose query ids begin with a byte order mark.

    Args:
        source: the input, text.
        queries: its query ids in byte order.

    Raises:
        InvalidFile: one of them does; names the line.
    """
    place = bisect_left(queries, MARK)
    if place < len(queries) and queries[place].startswith(MARK):
        lines = (number for number, line in numbered_lines(source) if line.startswith(MARK))
        raise source.refused(_SECOND_MARK, line=next(lines, None))


def refuse_marked_run(source: Source) -> None:
    """Refuse a run in which a line behind the first begins with a byte order mark.

    Raises:
        InvalidFile: one does; names the line.
    """
    with source.opened() as stream:
        before = b"\n"
        while read := stream.read(_STEP):
            held = before + read
            if b"\n" + MARK in held.removeprefix(b"\n" + MARK + b""):
                break
            before = held[-len(MARK) :]
        else:
            return
    lines = (number for number, line in numbered_lines(source) if line.startswith(MARK))
    number = next(lines, None)
    if number is not None:
        raise source.refused(_SECOND_MARK, line=number)


def other_spellings(
    judged: Iterable[tuple[bytes, bytes, int]], source: Source
) -> OtherSpellings | None:
    """Rows of a run that would be judged if an accent were composed as in the judgements.

    Args:
        judged: every judgement: query, document, grade.
        source: the run, text.

    Returns:
        None where there is no such row in the text that is looked at.
    """
    queries, pairs = _others(judged)
    found = 0
    first: tuple[bytes, bytes] | None = None
    if not queries and not pairs:
        return None
    for line in _lines(source):
        columns = line.split(None, 3)
        if len(columns) < 4:
            continue
        query, document = columns[0], columns[2]
        pair = queries.get(query) or pairs.get((query, document))
        if pair is not None:
            found += 1
            first = first or pair
    return None if first is None else OtherSpellings(rows=found, judged=first[0], in_run=first[1])


def _others(
    judged: Iterable[tuple[bytes, bytes, int]],
) -> tuple[dict[bytes, tuple[bytes, bytes]], dict[tuple[bytes, bytes], tuple[bytes, bytes]]]:
    """Other spellings of query ids, and of documents beside their query; what they stand for.

    Spellings that the judgements have themselves are none.
    """
    held = [(query, document) for query, document, _ in judged]
    pairs = {
        (query, other): (document, other)
        for query, document in held
        for other in _spellings(document)
    }
    queries = {
        other: (query, other)
        for query in dict.fromkeys(query for query, _ in held)
        for other in _spellings(query)
    }
    for query, document in held:
        pairs.pop((query, document), None)
        queries.pop(query, None)
    return queries, pairs


def _spellings(identifier: bytes) -> Iterator[bytes]:
    if identifier.isascii():
        return
    try:
        text = identifier.decode()
    except UnicodeDecodeError:
        return
    for form in ("NFC", "NFD"):
        if not is_normalized(form, text):
            yield normalize(form, text).encode()


def _lines(source: Source) -> Iterator[bytes]:
    """The lines with a byte that is not ASCII, of as much text as is looked at."""
    with source.opened() as stream:
        rest, left = b"", _LOOKED_AT
        while left > 0 and (read := stream.read(_STEP)):
            left -= len(read)
            whole, end, rest = (rest + read).rpartition(b"\n")
            yield from (found.group() for found in _WITH_OTHERS.finditer(whole + end))
        yield from (found.group() for found in _WITH_OTHERS.finditer(rest))
