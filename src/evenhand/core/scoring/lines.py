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
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from evenhand.core.scoring.projection import QueryHits
from evenhand.core.scoring.run_facts import FIRST, RankedRun, Ties

_BLANKS: Final = re.compile(rb"[ \t]+")
_NUMBER: Final = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_GRADE: Final = re.compile(rb"[+-]?[0-9]{1,9}")
_GRADES: Final = {b"%d" % grade: grade for grade in range(-9, 100)}
_RUN_COLUMNS, _QRELS_COLUMNS = 6, 4
_RUN: Final = "must have 6 columns (query Q0 document rank score tag), but has {}"
_QRELS: Final = "must have 4 columns (query 0 document grade), but has {}"

# What plain text does not have: with none of these, single blanks part the columns.
_ODD_MARKS: Final = (b"\t", b"\r", b"\0", b"  ", b" \n")

#: query → document → grade, as read from judgements.
Grades = Mapping[bytes, Mapping[bytes, int]]


class BadLine(ValueError):
    """A line breaks a rule; the rule never repeats the line."""


class RunLine(NamedTuple):
    """One line of a run: ids and score; rank and tag say nothing that counts."""

    query: bytes
    document: bytes
    score: float


class QrelsLine(NamedTuple):
    """One judgement."""

    query: bytes
    document: bytes
    grade: int


def is_number(content: bytes) -> bool:
    """Whether these bytes are a finite decimal; ``nan``, ``inf``, ``1_0`` and 1e999 are not."""
    return _NUMBER.fullmatch(content) is not None and math.isfinite(float(content))


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
    if not _GRADE.fullmatch(columns[3]):
        raise BadLine("the grade must be a whole number of at most nine digits")
    return QrelsLine(columns[0], columns[2], int(columns[3]))


def read_grades(content: bytes) -> dict[bytes, dict[bytes, int]]:
    """All judgements of a whole file.

    Raises:
        BadLine: a line breaks a rule, or a query and document are judged twice.
    """
    try:
        rows, found = _grades_of(_plain_judgements(content))
    except (ValueError, KeyError):
        lines = (line.removesuffix(b"\r") for line in content.split(b"\n"))
        rows, found = _grades_of(qrels_line(line) for line in lines if is_text(line))
    if rows != sum(map(len, found.values())):
        raise BadLine("judges a query and document a second time")
    return found


def plain_run(content: bytes) -> tuple[bytes, int]:
    """The same rows in the plain shape, and how many had more than six columns.

    Comments and blank lines are gone.

    Raises:
        BadLine: a line breaks a rule.
    """
    lines = (line.removesuffix(b"\r") for line in content.split(b"\n"))
    rows = [_run_columns(line) for line in lines if is_text(line)]
    plain = b"".join(b" ".join(columns[:_RUN_COLUMNS]) + b"\n" for columns in rows)
    return plain, sum(len(columns) > _RUN_COLUMNS for columns in rows)


def rank_lines(judged: Grades, content: bytes) -> RankedRun:
    """The judged hits of a whole small run, without numpy.

    Args:
        judged: all judgements.
        content: the run.

    Raises:
        BadLine: a line breaks a rule, or a query has a document twice.
    """
    try:
        found, longer = _by_query(content), 0
    except ValueError:
        plain, longer = plain_run(content)
        found = _by_query(plain)
    ranked = rank_rows(judged, {query: (ids, _numbers(of)) for query, (ids, of) in found.items()})
    return replace(ranked, longer_rows=longer)


def rank_rows(judged: Grades, given: Mapping[bytes, tuple[list[bytes], list[float]]]) -> RankedRun:
    """The judged hits of rows that were read otherwise.

    Args:
        judged: all judgements.
        given: query to its documents and their finite scores, one beside the other.

    Raises:
        BadLine: a query has a document twice.
    """
    rankings = {query: _Ranking(documents, scores) for query, (documents, scores) in given.items()}
    hits: dict[bytes, QueryHits] = {}
    tied: list[tuple[int, int, int]] = []
    base = 0
    for query in sorted(judged):
        ranking = rankings.get(query, _EMPTY)
        ranked = sorted(ranking.judged_hits(judged[query]))
        tied += [(base + n, first, size) for n, (*_, first, size) in enumerate(ranked) if size > 1]
        base += len(ranked)
        hits[query] = QueryHits(
            hits=tuple([(rank, grade) for rank, grade, _, _ in ranked]),
            retrieved=len(ranking.scores),
            judged=tuple(sorted(judged[query].values(), reverse=True)),
        )
    foreign = sorted(rankings.keys() - judged.keys())
    return RankedRun(
        hits=hits,
        ties=Ties(
            hit=[hit for hit, _, _ in tied],
            first=[first for _, first, _ in tied],
            size=[size for _, _, size in tied],
        ),
        rows=sum(len(ranking.scores) for ranking in rankings.values()),
        run_queries=len(rankings),
        unjudged_queries=len(foreign),
        first_unjudged=tuple(foreign[:FIRST]),
        tied_rows=sum(ranking.tied_rows() for ranking in rankings.values()),
        collapsed_scores=sum(ranking.collapsed_scores() for ranking in rankings.values()),
    )


def _grades_of(
    judgements: Iterable[tuple[bytes, bytes, int]],
) -> tuple[int, dict[bytes, dict[bytes, int]]]:
    found: dict[bytes, dict[bytes, int]] = {}
    rows, last, grades = 0, None, {b"": 0}
    for query, document, grade in judgements:
        if query != last:
            grades, last = found.setdefault(query, {}), query
        grades[document] = grade
        rows += 1
    return rows, found


def _plain_judgements(content: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Judgements of the plain shape with small grades, as nearly all are.

    Raises:
        ValueError, KeyError: text of another shape.
    """
    if any(mark in content for mark in _ODD_MARKS):
        raise ValueError("other marks than single blanks")
    for line in content.removesuffix(b"\n").split(b"\n") if content else ():
        query, _, document, grade = line.split(b" ")
        if query[:1] in (b"", b"#"):
            raise ValueError("a blank or a comment begins a line")
        yield query, document, _GRADES[grade]


def _columns(line: bytes) -> list[bytes]:
    if b"\0" in line:
        raise BadLine("must not hold NUL")
    if b"\r" in line:
        raise BadLine("must not hold a carriage return but before its end")
    return _BLANKS.split(line.strip(b" \t"))


def _run_columns(line: bytes) -> list[bytes]:
    columns = _columns(line)
    if len(columns) < _RUN_COLUMNS:
        raise BadLine(_RUN.format(len(columns)))
    if not is_number(columns[4]):
        raise BadLine("the score is not a finite number")
    return columns


class _Ranking:
    """One query of a run, its rows in the order of the lines."""

    __slots__ = ("place", "rising", "scores", "single")

    def __init__(self, documents: list[bytes], scores: list[float]) -> None:
        self.place = dict(zip(documents, range(len(documents)), strict=True))
        if len(self.place) != len(documents):
            raise BadLine("a query has a document twice")
        self.scores = scores
        self.rising = sorted(scores)
        self.single = len(set(scores))

    def judged_hits(self, grades: Mapping[bytes, int]) -> Iterator[tuple[int, int, int, int]]:
        """Rank, grade, best rank of the score and rows with it, of each judged document retrieved.

        By score, then by id, both descending; only rows that share their score with a judged one
        are ever put in order of their ids.
        """
        count, groups, rising = len(self.scores), None, self.rising
        for document in grades.keys() & self.place.keys():
            score = self.scores[self.place[document]]
            below = bisect_right(rising, score)
            rank = first = count - below + 1
            size = 1
            if below > 1 and rising[below - 2] == score:
                size = below - bisect_left(rising, score)
                groups = groups or self._groups()
                rank += size - bisect_right(groups[score], document)
            yield rank, grades[document], first, size

    def tied_rows(self) -> int:
        """Rows that share their score with another one."""
        if self.single == len(self.scores):
            return 0
        return sum(count for count in Counter(self.scores).values() if count > 1)

    def collapsed_scores(self) -> int:
        """How many fewer distinct scores there are in 32 bits."""
        return self.single - len(set(array("f", self.scores)))

    def _groups(self) -> dict[float, list[bytes]]:
        """The documents of each score that occurs twice, ids rising."""
        groups: dict[float, list[bytes]] = {}
        for document, score in zip(self.place, self.scores, strict=True):
            groups.setdefault(score, []).append(document)
        return {score: sorted(ids) for score, ids in groups.items() if len(ids) > 1}


_EMPTY: Final = _Ranking([], [])


def _by_query(content: bytes) -> dict[bytes, tuple[list[bytes], list[bytes]]]:
    """Documents and scores of each query, from text of the plain shape.

    Raises:
        ValueError: it has another shape.
    """
    if any(mark in content for mark in _ODD_MARKS):
        raise ValueError("other marks than single blanks")
    found: dict[bytes, tuple[list[bytes], list[bytes]]] = {}
    last, documents, scores = None, [b""], [b""]
    for line in content.removesuffix(b"\n").split(b"\n") if content else ():
        query, _, document, _, score, _ = line.split(b" ")
        if query != last:
            documents, scores = found.setdefault(query, ([], []))
            last = query
        documents.append(document)
        scores.append(score)
    if any(query[:1] in (b"", b"#") for query in found):
        raise ValueError("a blank or a comment begins a line")
    return found


def _numbers(given: list[bytes]) -> list[float]:
    """All scores of a query; only what `is_number` accepts.

    Without other letters Python reads what the pattern allows and nothing else.
    """
    try:
        scores = (
            [] if b"".join(given).translate(None, b"0123456789+-.eE") else list(map(float, given))
        )
    except ValueError:
        scores = []
    if not scores or max(scores) == math.inf or min(scores) == -math.inf:
        raise BadLine("a score is not a finite number")
    return scores
