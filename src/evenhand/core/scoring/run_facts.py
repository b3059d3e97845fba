"""What must a reader be told of a run beside its values: what was in no judgement, what was tied?

A tie that touches a judged document is decided by the rule of ids alone, so the best and the
worst order of its rows bound what another rule could have given. The measures turn those orders
into values; the readers of runs fill in what is counted here.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from evenhand.core.scoring.projection import JudgedHits, QueryHits
from evenhand.core.scoring.records import Record

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Final, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]
    Projection: TypeAlias = JudgedHits | Mapping[bytes, QueryHits]

#: How many ids are named where more are counted.
FIRST: Final = 5


class Ties(Record):
    """The judged hits whose score another row of the query shares; T of them, hits rising.

    Attributes:
        hit: which hit, counted from 0 over all queries in byte order of their ids.
        first: the best rank that its score allows, from 1.
        size: how many rows have its score, at least 2.
    """

    hit: Numbers
    first: Numbers
    size: Numbers

    def __len__(self) -> int:
        return len(self.hit)


class OtherSpellings(Record):
    """Rows of a run that are judged under another spelling of an id alone.

    Attributes:
        rows: how many were seen, at least 1.
        judged, in_run: both spellings of the first one; in Unicode they are normally equal.
    """

    rows: int
    judged: bytes
    in_run: bytes


class RankedRun(Record):
    """What a reader makes of a run: its judged hits, and what it counted on the way.

    Attributes:
        hits: the judged hits, all judged queries in them.
        ties: the hits that are in a tie.
        rows: rows of the run.
        run_queries: distinct queries of the run.
        unjudged_queries: those without a judgement.
        first_unjudged: the first `FIRST` of them in byte order.
        tied_rows: rows that share their score with another one of their query.
        collapsed_scores: how many fewer distinct scores a query has when they are held in 32
            bits, summed over the queries; where it is not 0, tools that do so may rank otherwise.
        longer_rows: rows with more than six columns; what follows the sixth is not looked at.
        last_unjudged: the last of the queries without a judgement in byte order.
    """

    hits: Projection
    ties: Ties
    rows: int
    run_queries: int
    unjudged_queries: int
    first_unjudged: tuple[bytes, ...]
    tied_rows: int
    collapsed_scores: int
    longer_rows: int = 0
    last_unjudged: tuple[bytes, ...] = ()


class RunFacts(Record):
    """What is to be said of two inputs that were scored.

    Attributes:
        ranked: what was counted in the run, and its judged hits at full depth.
        judged_rows: gives every judgement, query, document and grade, for its digest.
        missing_queries: judged queries that the run does not have.
        first_missing: the first `FIRST` of them in byte order.
        hash_run, hash_qrels: give the hexadecimal digests of the inputs' bytes as they were read
            from disk; those of small inputs are made when they are asked for.
        run_format: ``trec`` or ``parquet``.
        qrels_format: ``trec``, ``beir`` or ``parquet``.
        metadata: the YAML text of an ir_metadata head of the run; None where it has none.
        depth: how many best rows of each query were looked at; None for all.
        precision: bits in which scores were held, 64 or 32.
        spellings: rows that miss a judgement by their spelling alone; None where none was seen.
    """

    ranked: RankedRun
    judged_rows: Callable[[], Iterable[tuple[bytes, bytes, int]]]
    missing_queries: int
    first_missing: tuple[bytes, ...]
    hash_run: Callable[[], str]
    hash_qrels: Callable[[], str]
    run_format: str
    qrels_format: str
    metadata: str | None
    depth: int | None
    precision: int = 64
    spellings: OtherSpellings | None = None

    @property
    def run_sha256(self) -> str:
        """Hexadecimal digest of the run's bytes as they lie on disk."""
        return self.hash_run()

    @property
    def qrels_sha256(self) -> str:
        """Hexadecimal digest of the judgements' bytes as they lie on disk."""
        return self.hash_qrels()

    @property
    def tied_hits(self) -> int:
        """Judged hits whose score another row of their query shares."""
        return len(self.ranked.ties)

    def tie_bounds(self) -> tuple[Projection, Projection] | None:
        """The best and the worst order that the scores allow; None where nothing is tied."""
        if not self.tied_hits:
            return None
        best, worst = tie_bounds(self.ranked.hits, self.ranked.ties)
        if self.depth is None:
            return best, worst
        return cut_ranks(best, self.depth), cut_ranks(worst, self.depth)

    def qrels_digest(self) -> str:
        """The ``qrels-v1`` digest of all judgements, ``v1:`` and hex."""
        from evenhand.core.identity.qrels import qrels_digest

        return qrels_digest(self.judged_rows())


def cut_ranks(projection: Projection, depth: int) -> Projection:
    """The same queries with only their ``depth`` best rows, as trec_eval's ``-M`` gives them.

    Args:
        projection: in either shape.
        depth: in documents, at least 1.
    """
    if not isinstance(projection, JudgedHits):
        return {
            query: hits.replaced(
                hits=tuple(hit for hit in hits.hits if hit[0] <= depth),
                retrieved=min(hits.retrieved, depth),
            )
            for query, hits in projection.items()
        }
    import numpy as np

    kept = projection.hit_rank <= depth
    before = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    return projection.replaced(
        retrieved=np.minimum(projection.retrieved, depth),
        hit_start=before[projection.hit_start],
        hit_rank=projection.hit_rank[kept],
        hit_grade=projection.hit_grade[kept],
    )


def tie_bounds(projection: Projection, ties: Ties) -> tuple[Projection, Projection]:
    """The best and the worst order that the scores allow, in the shape of ``projection``.

    Best: of the rows that share a score, relevant ones come first, higher grades before lower,
    then what nobody judged, then what was judged as not relevant. Worst: the other way round.
    No order of tied rows gives a precision, recall, gain or preference measure more than the
    best one or less than the worst; `Judged` looks at another order and is not bounded by them.

    Args:
        projection: in either shape, not cut.
        ties: of this very projection.
    """
    if isinstance(projection, JudgedHits):
        return (
            _reordered(projection, ties, is_best=True),
            _reordered(projection, ties, is_best=False),
        )
    return _reordered_queries(projection, ties)


def _reordered(projection: JudgedHits, ties: Ties, *, is_best: bool) -> JudgedHits:
    import numpy as np

    hit = np.asarray(ties.hit, dtype=np.int64)
    first, size = (np.asarray(one, dtype=np.int64) for one in (ties.first, ties.size))
    query = np.searchsorted(projection.hit_start, hit, side="right")
    changed = np.concatenate([[True], (np.diff(query) != 0) | (np.diff(first) != 0)])[: len(hit)]
    begun = np.flatnonzero(changed)
    members = np.diff(np.append(begun, len(hit)))
    group = np.repeat(np.arange(len(begun)), members)
    grades = projection.hit_grade[hit]
    order = np.lexsort((-grades if is_best else grades, group))
    place = np.arange(len(hit)) - np.repeat(begun, members)
    sorted_grades = grades[order]
    leads = (sorted_grades > 0) == is_best
    ranks, found = projection.hit_rank.copy(), projection.hit_grade.copy()
    ranks[hit] = first + np.where(leads, place, size - np.repeat(members, members) + place)
    found[hit] = sorted_grades
    return projection.replaced(hit_rank=ranks, hit_grade=found)


def _reordered_queries(
    projection: Mapping[bytes, QueryHits], ties: Ties
) -> tuple[Mapping[bytes, QueryHits], Mapping[bytes, QueryHits]]:
    queries = sorted(projection)
    ends = list(accumulate([len(projection[query].hits) for query in queries]))
    tied: dict[bytes, dict[int, tuple[int, int]]] = {}
    for hit, first, size in zip(ties.hit, ties.first, ties.size, strict=True):
        place = bisect_right(ends, hit)
        tied.setdefault(queries[place], {})[hit - ends[place]] = (int(first), int(size))
    best, worst = dict(projection), dict(projection)
    for query, of_query in tied.items():
        hits = projection[query].hits
        # Places are counted from the end, as hits are from the last one of their query.
        free = [hit for place, hit in enumerate(hits, -len(hits)) if place not in of_query]
        groups: dict[tuple[int, int], list[int]] = {}
        for place, tie in of_query.items():
            groups.setdefault(tie, []).append(hits[place][1])
        for result, is_best in ((best, True), (worst, False)):
            placed = list(free)
            for (first, size), grades in groups.items():
                placed += _placed(first, size, grades, is_best=is_best)
            result[query] = projection[query].replaced(hits=tuple(sorted(placed)))
    return best, worst


def _placed(first: int, size: int, grades: list[int], *, is_best: bool) -> list[tuple[int, int]]:
    """Ranks for the judged rows of one tie, with what nobody judged between them."""
    ordered = sorted(grades, reverse=is_best)
    gap = size - len(grades)
    return [
        (first + place + (0 if (grade > 0) == is_best else gap), grade)
        for place, grade in enumerate(ordered)
    ]
