"""Which ranks have the judged documents of a run, from columns of its rows?

Only rows of judged documents get a rank. A ranking whose scores fall is in order already, so a
rank there is a position; of equal scores only the groups with a judged document are put in order
of their ids; a ranking in another order is searched, not sorted row by row. Where rows come from
is the business of ``blocks``, and of files that of the adapters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.core.scoring.blocks import (
    Rows,
    new_queries,
    run_rows,
)
from evenhand.core.scoring.byte_words import (
    Bytes,
    Ints,
    Irregular,
    Small,
    Words,
    keys,
    token,
    tokens,
    words,
)
from evenhand.core.scoring.judgements import Judgements, in_32_bits, salted
from evenhand.core.scoring.projection import JudgedHits
from evenhand.core.scoring.run_facts import FIRST, RankedRun, Ties

_Number = TypeVar("_Number", np.int64, np.float64)

_FLAG_BITS: Final = 18
_LOW: Final = 2**32 - 1
_FEW: Final = 256
_CROWDED: Final = 4  # fewer rows a query than this in a block: they surely lie elsewhere too
_ROWS: Final = 2**16


class Repeated(Exception):
    """A query seems to have a document twice; the line-numbered reader decides.

    Attributes:
        query: its id.
    """

    def __init__(self, query: bytes) -> None:
        super().__init__("a query seems to have a document twice")
        self.query = query


class Scattered(Exception):
    """The rows of a query are not side by side."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockHits:
    """What a block of whole queries holds; H judged hits.

    Attributes:
        seen: ids of its queries.
        number: place in the judgements of each query, -1 where it has none.
        retrieved: rows of each query.
        query, rank, grade: of each judged hit, in no order.
        first, size: best rank and number of the rows with the hit's score.
        tied_rows, collapsed_scores, longer_rows: as in `RankedRun`, over these rows.
    """

    seen: Sequence[bytes]
    number: Ints
    retrieved: Ints
    query: Small
    rank: Small
    grade: Small
    first: Small
    size: Small
    tied_rows: int
    collapsed_scores: int
    longer_rows: int = 0


def judged_hits(judgements: Judgements, text: Bytes, start: int, end: int) -> BlockHits:
    """The judged hits of a block of whole queries, the rows of each side by side.

    Raises:
        Irregular: the text has another shape, or holds a comment.
        Repeated: a query seems to have a document twice.
        Scattered: a query begins twice, or queries have so few rows that they surely do.
    """
    rows = run_rows(text, start, end)
    begun = new_queries(rows)
    if len(begun) > _FEW and len(begun) * _CROWDED > len(rows.scores):
        raise Scattered
    found = _ranked_queries(judgements, rows, begun)
    if len(set(found.seen)) < len(begun):
        raise Scattered
    return found


def regrouped(parts: Sequence[Rows]) -> Iterator[tuple[Rows, Ints, int]]:
    """Rows that lie anywhere in a text, query by query.

    Args:
        parts: all rows of the text.

    Yields:
        All rows, which of them are those of some whole queries, in that order, and how many
        queries that should be; about as many rows as a block has.
    """
    rows = Rows.joined(parts)
    key = keys(rows.text, rows.query_at, rows.query_size)
    order = np.argsort(key)
    key = key[order]
    begun = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    places = np.searchsorted(begun, np.arange(0, len(order), _ROWS))
    cuts = [*dict.fromkeys(begun[places[places < len(begun)]].tolist()), len(order)]
    for low, high in pairwise(cuts):
        yield rows, order[low:high], int(np.count_nonzero((begun >= low) & (begun < high)))


def regrouped_hits(judgements: Judgements, rows: Rows, order: Ints, count: int) -> BlockHits:
    """The judged hits of one of the groups of `regrouped`.

    Raises:
        Irregular: two query ids cannot be told apart by their keys.
        Repeated: a query seems to have a document twice.
    """
    part = rows.taken(order)
    begun = new_queries(part)
    if len(begun) != count:
        raise Irregular
    return _ranked_queries(judgements, part, begun)


def _ranked_queries(judgements: Judgements, rows: Rows, begun: Ints) -> BlockHits:
    """The judged hits of whole queries, each of which begins at one of these rows."""
    if judgements.is_single:
        rows = replace(rows, scores=in_32_bits(rows.scores))
    bounds = np.append(begun, len(rows.scores))
    seen = tokens(rows.text, rows.query_at[begun], rows.query_size[begun])
    number = np.array([judgements.number.get(query, -1) for query in seen], dtype=np.int64)
    # Queries without judgements share no number, so that their documents are not mixed.
    salt = np.where(number >= 0, number, len(judgements.queries) + np.arange(len(number)))
    key = keys(rows.text, rows.document_at, rows.document_size)
    key = salted(key, np.repeat(salt, np.diff(bounds)))
    _require_distinct(key, bounds, seen)
    row, judged = _judged_rows(judgements, rows, key, number[number >= 0])
    query = np.searchsorted(bounds, row, side="right") - 1
    order = _Order(rows, bounds)
    rank, first, size = order.ranks(row, query)
    return BlockHits(
        seen=seen,
        number=number,
        retrieved=np.diff(bounds),
        query=number[query].astype(np.int32),
        rank=rank.astype(np.int32),
        grade=judgements.grade[judged],
        first=first.astype(np.int32),
        size=size.astype(np.int32),
        tied_rows=order.tied_rows,
        collapsed_scores=order.collapsed_scores,
    )


def whole_run(judgements: Judgements, blocks: Sequence[BlockHits]) -> RankedRun:
    """All blocks of a run as one.

    Raises:
        Scattered: two blocks hold the same query.
    """
    seen = {query for block in blocks for query in block.seen}
    if len(seen) < sum(len(block.seen) for block in blocks):
        raise Scattered
    count = len(judgements.queries)
    blocks = sorted(blocks, key=lambda block: int(block.number[0]))
    number, rows, query, rank, grade, first, size = (
        np.concatenate([getattr(block, column) for block in blocks] or [np.empty(0, np.int64)])
        for column in ("number", "retrieved", "query", "rank", "grade", "first", "size")
    )
    retrieved = np.zeros(count, dtype=np.int64)
    retrieved[number[number >= 0]] = rows[number >= 0]
    # As the blocks come in the order of the queries, nearly all of it is in order already.
    order = np.argsort(_paired(query, rank), kind="stable")
    tied = np.flatnonzero(size[order] > 1)
    foreign = sorted(seen - judgements.number.keys())
    return RankedRun(
        hits=JudgedHits(
            queries=judgements.queries,
            retrieved=retrieved,
            hit_start=np.searchsorted(query[order], np.arange(count + 1)).astype(np.int64),
            hit_rank=rank[order].astype(np.int32),
            hit_grade=grade[order].astype(np.int32),
            judged_start=judgements.start,
            judged_grade=_falling_grades(judgements),
        ),
        ties=Ties(hit=tied, first=first[order][tied], size=size[order][tied]),
        rows=int(rows.sum()),
        run_queries=len(seen),
        unjudged_queries=len(foreign),
        first_unjudged=tuple(foreign[:FIRST]),
        last_unjudged=tuple(foreign[-1:]),
        tied_rows=sum(block.tied_rows for block in blocks),
        collapsed_scores=sum(block.collapsed_scores for block in blocks),
        longer_rows=sum(block.longer_rows for block in blocks),
    )


def _paired(high: Small | Ints, low: Small) -> Ints:
    """Two columns as one that is in their order: sorting one number is several times faster."""
    return (high.astype(np.int64) << 32) + low


def _falling_grades(judgements: Judgements) -> Small:
    """The grades of each query, descending."""
    query = np.repeat(np.arange(len(judgements.queries)), np.diff(judgements.start))
    pairs = np.sort(_paired(query, -judgements.grade))
    # What is left above the low half is the query, one lower where the low half is negative.
    return -(pairs & _LOW).astype(np.uint32).view(np.int32)


def _require_distinct(key: Words, bounds: Ints, seen: Sequence[bytes]) -> None:
    found = np.sort(key)
    twice = found[1:][found[1:] == found[:-1]]
    if len(twice):
        row = int(np.flatnonzero(key == twice[0])[0])
        raise Repeated(seen[int(np.searchsorted(bounds, row, side="right")) - 1])


def _judged_rows(
    judgements: Judgements, rows: Rows, key: Words, number: Ints
) -> tuple[Ints, Ints]:
    """Which rows are judged, and by which judgement.

    A table of bits nominates a few rows in a hundred, their keys are looked up, bytes decide.
    """
    wanted = _spread(judgements.start[number], judgements.start[number + 1])
    wanted_key = judgements.key[wanted]
    bits = max(8, min(_FLAG_BITS, len(wanted).bit_length() + 4))
    shift = np.uint64(64 - bits)
    flags = np.zeros(1 << bits, dtype=np.bool_)
    flags[wanted_key >> shift] = True
    row = np.flatnonzero(flags[key >> shift])
    by_key = np.argsort(wanted_key)
    ordered = wanted_key[by_key]
    place = np.searchsorted(ordered, key[row])
    place[place == len(ordered)] = 0
    same = ordered[place] == key[row] if len(ordered) else np.zeros(len(row), dtype=np.bool_)
    row, judged = row[same], wanted[by_key[place[same]]]
    equal = _same_documents(judgements, judged, rows, row)
    return row[equal], judged[equal]


def _same_documents(
    judgements: Judgements, judged: Ints, rows: Rows, row: Ints
) -> NDArray[np.bool_]:
    size, other = rows.document_size[row], judgements.document_size[judged].astype(np.int64)
    if not len(row):
        return np.zeros(0, dtype=np.bool_)
    one = words(rows.text, rows.document_at[row], size)
    two = words(judgements.text, judgements.document_at[judged], other)
    width = min(one.shape[1], two.shape[1])
    equal: NDArray[np.bool_] = (size == other) & (one[:, :width] == two[:, :width]).all(axis=1)
    for place in np.flatnonzero(equal & (size > one.shape[1] * 8)).tolist():
        mine = token(rows.text, rows.document_at, rows.document_size, row[place])
        equal[place] = mine == token(
            judgements.text, judgements.document_at, judgements.document_size, judged[place]
        )
    return equal


def _spread(start: Ints, end: Ints) -> Ints:
    """The numbers from each start to before its end, one after the other."""
    count = end - start
    spread: Ints = np.arange(count.sum()) + np.repeat(start - (np.cumsum(count) - count), count)
    return spread


def _changes(rising: NDArray[_Number]) -> NDArray[_Number]:
    """Each value of a rising column once."""
    return rising[np.flatnonzero(np.append(True, rising[1:] != rising[:-1])[: len(rising)])]


class _Order:
    """How the rows of each query stand by score, then by id, both descending."""

    def __init__(self, rows: Rows, bounds: Ints) -> None:
        self._rows, self._bounds = rows, bounds
        begins = np.zeros(len(rows.scores), dtype=np.bool_)
        begins[bounds[:-1]] = True
        rises = np.flatnonzero((rows.scores[1:] > rows.scores[:-1]) & ~begins[1:])
        self._unordered = _changes(np.searchsorted(bounds, rises + 1, side="right") - 1)
        self._falling = rows.scores.copy() if len(rises) else rows.scores
        for query in self._unordered.tolist():
            part = self._falling[bounds[query] : bounds[query + 1]]
            part[:] = np.sort(part)[::-1]
        self._tied = (self._falling[1:] == self._falling[:-1]) & ~begins[1:]
        self.tied_rows, self.collapsed_scores = self._counts(begins)

    def ranks(self, row: Ints, query: Ints) -> tuple[Ints, Ints, Ints]:
        """Rank, best rank of the score and number of rows with it, of some rows; rows rise."""
        first = row - self._bounds[query] + 1
        size = np.ones(len(row), dtype=np.int64)
        rank = first.copy()
        is_searched = np.isin(query, self._unordered)
        for number in self._unordered.tolist():
            hits = slice(*np.searchsorted(query, [number, number + 1]))
            self._search(number, row[hits], (rank[hits], first[hits], size[hits]))
        if self._tied.any():
            beside = np.append(self._tied, False)[row] | np.append(False, self._tied)[row]
            self._look_beside(np.flatnonzero(beside & ~is_searched), row, (rank, first, size))
        return rank, first, size

    def _search(self, query: int, row: Ints, found: tuple[Ints, Ints, Ints]) -> None:
        """Ranks in a query whose scores do not fall: by how many scores are higher."""
        rank, first, size = found
        low, high = self._bounds[query], self._bounds[query + 1]
        rising, mine = self._falling[low:high][::-1], self._rows.scores[row]
        below = np.searchsorted(rising, mine, side="right")
        first[:] = high - low - below + 1
        size[:] = below - np.searchsorted(rising, mine, side="left")
        rank[:] = first
        for tie in _changes(np.sort(mine[size > 1])).tolist():
            group = low + np.flatnonzero(self._rows.scores[low:high] == tie)
            ids = self._ids(group)
            in_order = sorted(ids)
            tied = np.flatnonzero(mine == tie)
            places = np.searchsorted(group, row[tied]).tolist()
            rank[tied] += [len(ids) - bisect_right(in_order, ids[place]) for place in places]

    def _look_beside(self, hits: Ints, row: Ints, found: tuple[Ints, Ints, Ints]) -> None:
        """Ranks of hits whose score a row beside them has, where the scores fall."""
        rank, first, size = found
        begins = np.flatnonzero(np.append(True, ~self._tied))
        ends = np.append(begins[1:], len(self._falling))
        group = np.searchsorted(begins, row[hits], side="right") - 1
        best = begins[group]
        first[hits] -= row[hits] - best
        size[hits] = ends[group] - best
        touched = _changes(group)
        ids = self._ids(_spread(begins[touched], ends[touched]))
        # Where the ids of a hit's group begin, and that of the hit itself among them.
        cut = np.cumsum(ends[touched] - begins[touched])
        high = cut[np.searchsorted(touched, group)]
        low = high - size[hits]
        own = low + row[hits] - best
        higher = [
            sum(other > ids[mine] for other in ids[one:two])
            for one, two, mine in zip(low.tolist(), high.tolist(), own.tolist(), strict=True)
        ]
        rank[hits] = first[hits] + np.array(higher, dtype=np.int64)

    def _ids(self, places: Ints) -> list[bytes]:
        """The document ids of some rows."""
        rows = self._rows
        return tokens(rows.text, rows.document_at[places], rows.document_size[places])

    def _counts(self, begins: NDArray[np.bool_]) -> tuple[int, int]:
        """Rows that share their score, and scores that are lost in 32 bits."""
        with np.errstate(over="ignore"):
            single = self._falling.astype(np.float32)
        alike = np.count_nonzero((single[1:] == single[:-1]) & ~begins[1:])
        shares = np.append(self._tied, False)
        shares[1:] |= self._tied
        return int(np.count_nonzero(shares)), int(alike - np.count_nonzero(self._tied))
