"""What do measures derive from the columns of a projection, and share among each other?

Sums are made by ``np.bincount``, which adds weights one after the other in the order of the rows,
that is by rank; so they round as trec_eval's sums do.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.projection import JudgedHits

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


class Relevant(NamedTuple):
    """The retrieved documents of at least one level of relevance, by query and rank.

    Attributes:
        query: place of the query of each.
        rank: its rank from 1.
        so_far: how many relevant ones there are down to it, itself included.
        found: how many there are for each query.
        judged: how many relevant documents were judged for each query, retrieved or not.
    """

    query: Whole
    rank: Whole
    so_far: Whole
    found: Whole
    judged: Whole


class Columns:
    """A projection with what measures derive from it, each part derived on first use.

    Args:
        hits: the projection.
        like: of the same judgements; what is derived from these alone is shared with it.
    """

    def __init__(self, hits: JudgedHits, like: Columns | None = None) -> None:
        import numpy as np

        self.hits = hits
        self.count = len(hits.queries)
        places = np.arange(self.count)
        self.query = np.repeat(places, np.diff(hits.hit_start))
        self.rank = hits.hit_rank.astype(np.int64)
        self.grade = hits.hit_grade.astype(np.int64)
        self._relevant: dict[int, Relevant] = {}
        if like is None:
            self.judged_query = np.repeat(places, np.diff(hits.judged_start))
            self.judged_counts: dict[int, Whole] = {}
            self.ideals: dict[tuple[int | None, bool], Floats] = {}
        else:
            self.judged_query = like.judged_query
            self.judged_counts, self.ideals = like.judged_counts, like.ideals

    def relevant(self, level: int) -> Relevant:
        """The retrieved documents whose grade is at least a level."""
        if level not in self._relevant:
            import numpy as np

            rows = np.flatnonzero(self.grade >= level)
            query = self.query[rows]
            found = self.counted(query)
            before = np.cumsum(found) - found
            self._relevant[level] = Relevant(
                query=query,
                rank=self.rank[rows],
                so_far=np.arange(1, len(rows) + 1) - before[query],
                found=found,
                judged=self._relevant_judged(level),
            )
        return self._relevant[level]

    def _relevant_judged(self, level: int) -> Whole:
        if level not in self.judged_counts:
            rows = self.hits.judged_grade >= level
            self.judged_counts[level] = self.counted(self.judged_query[rows])
        return self.judged_counts[level]

    def found_within(self, measure: Measure) -> Whole:
        """How many relevant documents each query has within the cutoff."""
        relevant = self.relevant(measure.level)
        if measure.cutoff is None:
            return relevant.found
        return self.counted(relevant.query[relevant.rank <= measure.cutoff])

    def ideal(self, measure: Measure) -> Floats:
        """The discounted gain of the best ranking of all judged documents, within the cutoff."""
        key = (measure.cutoff, measure.exponential)
        if key not in self.ideals:
            import numpy as np

            judged = self.hits.judged_grade.astype(np.int64)
            rank = np.arange(1, len(judged) + 1) - self.hits.judged_start[self.judged_query]
            self.ideals[key] = self.discounted(measure, self.judged_query, rank, judged)
        return self.ideals[key]

    def discounted(self, measure: Measure, query: Whole, rank: Whole, grade: Whole) -> Floats:
        """Sum of discounted gains of each query, rows by query and rank."""
        import numpy as np

        rows = np.flatnonzero((grade > 0) & (rank <= measure.depth))
        gain = grade[rows].astype(np.float64)
        if measure.exponential:
            gain = np.ldexp(1.0, grade[rows]) - 1.0
        return self.added(query[rows], gain / _discounts(rank[rows]))

    def counted(self, query: Whole) -> Whole:
        """How many rows each query has."""
        import numpy as np

        return np.bincount(query, minlength=self.count)

    def added(self, query: Whole, weights: Floats) -> Floats:
        """Sum of the weights of each query, added in the order of the rows."""
        import numpy as np

        # Of no rows at all bincount makes whole numbers.
        return np.bincount(query, weights=weights, minlength=self.count).astype(np.float64)


def share(part: Whole | Floats, whole: Whole | Floats) -> Floats:
    """One part of a whole for each row; 0.0 where the whole is 0."""
    import numpy as np

    return np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)


def _discounts(rank: Whole) -> Floats:
    """log2(rank + 1) of each row."""
    import numpy as np

    table = np.zeros(int(rank.max(initial=0)) + 1)
    occurs = np.zeros(len(table), dtype=np.bool_)
    occurs[rank] = True
    places = np.flatnonzero(occurs)
    # By the C library, as trec_eval: on some processors numpy has a log2 of its own.
    table[places] = [math.log2(place + 1) for place in places.tolist()]
    return table[rank]
