"""What does a run or a judgement file say, line by line, in plain Python?

The rules of a line live here, and the two readers that need nothing but the standard library:
the one for small runs, which loads no numpy, and the one that puts odd but valid lines into the
plain shape that ``blocks`` reads, or says which rule a line breaks. As in trec_eval, columns are
parted by any blanks and tabs, only LF (with or without CR before it) ends a line, blank lines are
skipped, a line that begins with ``#`` is a comment, and what follows the sixth column of a run is
not looked at, but counted. Unlike there, scores are finite, grades are whole numbers, and a
repeat is refused.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache
from itertools import chain, compress, groupby, islice
from operator import eq, or_

from evenhand.core.scoring.projection import QueryHits
from evenhand.core.scoring.records import Record
from evenhand.core.scoring.run_facts import FIRST, RankedRun, Ties

# Not from typing, which takes longer to import than some hundred rows to read.
TYPE_CHECKING = False

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Final, TypeAlias

    #: query → document → grade, as read from judgements.
    Grades: TypeAlias = Mapping[bytes, Mapping[bytes, int]]
    #: Of the rows of one query: what compares as their scores do.
    Keys: TypeAlias = list[float] | list[bytes]

_GRADES: Final = {b"%d" % grade: grade for grade in range(-9, 100)}
_RUN_COLUMNS, _QRELS_COLUMNS = 6, 4
_RUN: Final = "must have 6 columns (query Q0 document rank score tag), but has {}"
_QRELS: Final = "must have 4 columns (query 0 document grade), but has {}"

#: All bytes but those at which `bytes.split` parts, and NUL.
_INK: Final = bytes(set(range(256)) - set(b" \t\n\r\v\f\0"))
_DIGITS: Final = b"0123456789"
_EXACT: Final = 15  # characters of a decimal with so few digits that doubles tell it apart
_PART: Final = 2**17  # bytes that are taken apart at a time: what they become stays in the cache


class BadLine(ValueError):
    """A line breaks a rule; the rule never repeats the line."""


class RunLine(Record):
    """One line of a run: ids and score; rank and tag say nothing that counts."""

    query: bytes
    document: bytes
    score: float


class QrelsLine(Record):
    """One judgement."""

    query: bytes
    document: bytes
    grade: int


def is_number(content: bytes) -> bool:
    """Whether these bytes are a finite decimal; ``nan``, ``inf``, ``1_0`` and 1e999 are not."""
    return _number().fullmatch(content) is not None and math.isfinite(float(content))


def is_text(line: bytes) -> bool:
    """Whether a line says anything: it is neither blank nor a comment."""
    begun = line.lstrip(b" \t\r")
    return bool(begun) and not begun.startswith(b"#")


def run_line(line: bytes) -> RunLine:
    """The ids and the score of one line without its end.

    Raises:
        BadLine: the rule that it breaks.
    """
    columns = _run_columns(line)
    return RunLine(columns[0], columns[2], float(columns[4]))


def qrels_line(line: bytes) -> QrelsLine:
    """The judgement of one line without its end.

    Raises:
        BadLine: the rule that it breaks; a fraction is refused, where C would cut it off.
    """
    columns = _columns(line)
    if len(columns) != _QRELS_COLUMNS:
        raise BadLine(_QRELS.format(len(columns)))
    if not _grade().fullmatch(columns[3]):
        raise BadLine("the grade must be a whole number of at most nine digits")
    return QrelsLine(columns[0], columns[2], int(columns[3]))


def read_grades(content: bytes) -> dict[bytes, dict[bytes, int]]:
    """All judgements of a whole file.

    Raises:
        BadLine: a line breaks a rule, or a query and document are judged twice.
    """
    try:
        rows, found = _plain_grades(content)
    except (ValueError, KeyError):
        rows, found = 0, {}
        for judgement in map(qrels_line, _text_lines(content)):
            found.setdefault(judgement.query, {})[judgement.document] = judgement.grade
            rows += 1
    if rows != sum(map(len, found.values())):
        raise BadLine("judges a query and document a second time")
    return found


def plain_run(content: bytes) -> tuple[bytes, int]:
    """The same rows in the plain shape, and how many had more than six columns.

    Comments and blank lines are gone.

    Raises:
        BadLine: a line breaks a rule.
    """
    rows = [_run_columns(line) for line in _text_lines(content)]
    plain = b"".join(b" ".join(columns[:_RUN_COLUMNS]) + b"\n" for columns in rows)
    return plain, sum(len(columns) > _RUN_COLUMNS for columns in rows)


def rank_lines(judged: Grades, content: bytes, *, is_single: bool = False) -> RankedRun:
    """The judged hits of a whole small run, without numpy.

    Args:
        judged: all judgements.
        content: the run.
        is_single: scores are rounded to 32 bits before they are compared.

    Raises:
        BadLine: a line breaks a rule, or a query has a document twice.
    """
    longer = 0
    try:
        found = _by_query(_plain_tokens(content, _RUN_COLUMNS))
    except ValueError:
        rows = [_run_columns(line) for line in _text_lines(content)]
        longer = sum(len(columns) > _RUN_COLUMNS for columns in rows)
        found = _by_query([list(chain.from_iterable(row[:_RUN_COLUMNS] for row in rows))])
    keys = _single_keys if is_single else _keys
    ranked = _ranked(judged, {query: (ids, keys(of)) for query, (ids, of) in found.items()})
    return ranked.replaced(longer_rows=longer)


def rank_rows(judged: Grades, given: Mapping[bytes, tuple[list[bytes], list[float]]]) -> RankedRun:
    """The judged hits of rows that were read otherwise.

    Args:
        judged: all judgements.
        given: query to its documents and their finite scores, one beside the other.

    Raises:
        BadLine: a query has a document twice.
    """
    return _ranked(judged, given)


def _ranked(judged: Grades, given: Mapping[bytes, tuple[list[bytes], Keys]]) -> RankedRun:
    rankings = {query: _Ranking(documents, keys) for query, (documents, keys) in given.items()}
    hits: dict[bytes, QueryHits] = {}
    tied: list[tuple[int, int, int]] = []
    base = 0
    for query in sorted(judged):
        ranking, grades = rankings.get(query, _EMPTY), judged[query]
        ranked, of_ties = ranking.judged_hits(grades)
        tied += [(base + hit, first, size) for hit, first, size in of_ties]
        base += len(ranked)
        hits[query] = QueryHits(
            hits=tuple(ranked),
            retrieved=len(ranking.documents),
            judged=tuple(sorted(grades.values(), reverse=True)),
        )
    foreign = sorted(rankings.keys() - judged.keys())
    return RankedRun(
        hits=hits,
        ties=Ties(
            hit=[hit for hit, _, _ in tied],
            first=[first for _, first, _ in tied],
            size=[size for _, _, size in tied],
        ),
        rows=sum(len(ranking.documents) for ranking in rankings.values()),
        run_queries=len(rankings),
        unjudged_queries=len(foreign),
        first_unjudged=tuple(foreign[:FIRST]),
        last_unjudged=tuple(foreign[-1:]),
        tied_rows=sum(ranking.tied_rows() for ranking in rankings.values()),
        collapsed_scores=sum(ranking.collapsed_scores() for ranking in rankings.values()),
    )


class _Ranking:
    """One query of a run, its rows in order of their scores."""

    __slots__ = ("_equals_next", "_keys", "documents")

    def __init__(self, documents: list[bytes], keys: Keys) -> None:
        if len(set(documents)) != len(documents):
            raise BadLine("a query has a document twice")
        falling: Keys = sorted(keys, reverse=True)  # type: ignore[assignment]
        if falling != keys:
            order = sorted(range(len(keys)), key=keys.__getitem__, reverse=True)
            documents = [documents[row] for row in order]
        self.documents, self._keys = documents, falling
        self._equals_next = [*map(eq, falling, islice(falling, 1, None)), False]

    def judged_hits(
        self, grades: Mapping[bytes, int]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
        """Rank and grade of each judged document retrieved, and which of them are in a tie.

        By score, then by id, both descending; only rows that share their score with a judged one
        are ever put in order of their ids.

        Returns:
            The hits, ranks rising; of each hit in a tie its place, the best rank of its score and
            how many rows have it.
        """
        documents, equals_next = self.documents, self._equals_next
        rows = compress(range(len(documents)), map(grades.__contains__, documents))
        if True not in equals_next:
            return [(row + 1, grades[documents[row]]) for row in rows], []
        ranked: list[tuple[int, int, int, int]] = []
        for row in rows:
            first, size, rank = row, 1, row + 1
            if equals_next[row] or (row and equals_next[row - 1]):
                while first and equals_next[first - 1]:
                    first -= 1
                size = equals_next.index(False, row) - first + 1
                ids = sorted(documents[first : first + size])
                rank = first + size - bisect_left(ids, documents[row])
            ranked.append((rank, grades[documents[row]], first + 1, size))
        ranked.sort()
        ties = [(hit, of[2], of[3]) for hit, of in enumerate(ranked) if of[3] > 1]
        return [(rank, grade) for rank, grade, _, _ in ranked], ties

    def tied_rows(self) -> int:
        """Rows that share their score with another one."""
        if True not in self._equals_next:
            return 0
        return sum(map(or_, self._equals_next, [False, *self._equals_next]))

    def collapsed_scores(self) -> int:
        """How many fewer distinct scores there are in 32 bits."""
        if _are_apart(self._keys):
            return 0
        from array import array

        scores = list(map(float, self._keys))
        return len(set(scores)) - len(set(array("f", scores)))


_EMPTY: Final = _Ranking([], [])


def _text_lines(content: bytes) -> Iterator[bytes]:
    """The lines that say anything, without their ends."""
    lines = (line.removesuffix(b"\r") for line in content.split(b"\n"))
    return (line for line in lines if is_text(line))


def _columns(line: bytes) -> list[bytes]:
    if b"\0" in line:
        raise BadLine("must not hold NUL")
    if b"\r" in line:
        raise BadLine("must not hold a carriage return but before its end")
    return [column for column in line.replace(b"\t", b" ").split(b" ") if column]


def _run_columns(line: bytes) -> list[bytes]:
    columns = _columns(line)
    if len(columns) < _RUN_COLUMNS:
        raise BadLine(_RUN.format(len(columns)))
    if not is_number(columns[4]):
        raise BadLine("the score is not a finite number")
    return columns


@cache
def _number() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@cache
def _grade() -> re.Pattern[bytes]:
    import re

    return re.compile(rb"[+-]?[0-9]{1,9}")


def _plain_tokens(content: bytes, columns: int) -> Iterator[list[bytes]]:
    """The tokens of text of the plain shape, some whole lines at a time.

    Without its ink, each line is so many blanks and its end; where it then has as many tokens as
    columns, none of these is empty.

    Raises:
        ValueError: it has another shape.
    """
    start = 0
    while start < len(content):
        end = content.rfind(b"\n", start, start + _PART) + 1 or len(content)
        part = (
            content[start:end] if content.endswith(b"\n", start, end) else content[start:] + b"\n"
        )
        start = end
        tokens = part.split()
        rows, rest = divmod(len(tokens), columns)
        if rest or part.translate(None, _INK) != (b" " * (columns - 1) + b"\n") * rows:
            raise ValueError("other marks than single blanks")
        yield tokens


def _plain_grades(content: bytes) -> tuple[int, dict[bytes, dict[bytes, int]]]:
    """How many judgements there are in text of the plain shape with small grades, and these.

    Raises:
        ValueError, KeyError: text of another shape.
    """
    found: dict[bytes, dict[bytes, int]] = {}
    rows = 0
    for tokens in _plain_tokens(content, _QRELS_COLUMNS):
        documents = tokens[2::_QRELS_COLUMNS]
        grades = list(map(_GRADES.__getitem__, tokens[3::_QRELS_COLUMNS]))
        for query, low, high in _stretches(tokens[::_QRELS_COLUMNS]):
            found.setdefault(query, {}).update(
                zip(documents[low:high], grades[low:high], strict=True)
            )
        rows += len(documents)
    _require_no_comment(found)
    return rows, found


def _by_query(parts: Iterable[list[bytes]]) -> dict[bytes, tuple[list[bytes], list[bytes]]]:
    """Documents and scores of each query, from the tokens of the rows.

    Raises:
        ValueError: a line begins like a comment.
    """
    found: dict[bytes, tuple[list[bytes], list[bytes]]] = {}
    for tokens in parts:
        documents, scores = tokens[2::_RUN_COLUMNS], tokens[4::_RUN_COLUMNS]
        for query, low, high in _stretches(tokens[::_RUN_COLUMNS]):
            of_query = found.setdefault(query, ([], []))
            of_query[0].extend(documents[low:high])
            of_query[1].extend(scores[low:high])
    _require_no_comment(found)
    return found


def _stretches(ids: Sequence[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """Each id that stands once or more in a row, and from where to where."""
    low = 0
    for one, equal in groupby(ids):
        high = low + len(list(equal))
        yield one, low, high
        low = high


def _require_no_comment(queries: Iterable[bytes]) -> None:
    if any(query.startswith(b"#") for query in queries):
        raise ValueError("a comment begins a line")


def _keys(scores: list[bytes]) -> Keys:
    """What compares as the scores of a query do.

    Decimals without a sign that are equally long, with the point at one place, are in the order
    of their bytes, and so few digits tell doubles apart: nothing has to be read as a number.

    Raises:
        BadLine: a score is no finite number.
    """
    text = b"".join(scores)
    size, point = len(scores[0]), scores[0].find(b".")
    points = b"." * len(scores) if point > 0 else b""
    if (
        size <= _EXACT
        and text.translate(None, _DIGITS) == points
        and (not points or text[point::size] == points)
        and set(map(len, scores)) == {size}
    ):
        return scores
    return _numbers(scores, text)


def _single_keys(scores: list[bytes]) -> list[float]:
    """The scores of a query as 32 bits hold them; raises as `_keys`."""
    return in_32_bits(_numbers(scores, b"".join(scores)))


def in_32_bits(scores: Iterable[float]) -> list[float]:
    """Scores rounded to 32 bits, as C does where it keeps a double in a float."""
    from array import array

    return array("f", scores).tolist()


def _are_apart(falling: Keys) -> bool:
    """Whether scores that differ surely differ in 32 bits too; a cheap test for `_keys`.

    Where two neighbours of 32 bits below the highest score are nearer to each other than the last
    digit is wide, no two scores become one.
    """
    highest = falling[0] if falling else 0.0
    if isinstance(highest, float):
        return not falling
    _, exponent = math.frexp(float(highest))
    decimals = len(highest.partition(b".")[2])
    return math.ldexp(1.0, exponent - 24) < 0.9 * 10.0**-decimals


def _numbers(scores: list[bytes], text: bytes) -> list[float]:
    """All scores of a query; only what `is_number` accepts.

    Without other letters Python reads what the pattern allows and nothing else.
    """
    try:
        numbers = [] if text.translate(None, b"0123456789+-.eE") else list(map(float, scores))
    except ValueError:
        numbers = []
    # A sum is finite only where each of them is; it may also overflow where they are.
    if not numbers or not (math.isfinite(sum(numbers)) or all(map(math.isfinite, numbers))):
        raise BadLine("a score is not a finite number")
    return numbers
