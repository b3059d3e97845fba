"""What are the values of measures for all queries at once, as columns?

The same doubles as ``query_values``, to the last bit: sums, powers and products are accumulated
one after the other, in order of rank. What several measures need, such as the relevant rows of a
level or an ideal ranking, ``derived_columns`` computes once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evenhand.core.scoring.derived_columns import Columns, share
from evenhand.core.scoring.measures import Measure, require_scale
from evenhand.core.scoring.projection import JudgedHits
from evenhand.core.scoring.query_values import Family

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def column_values(measure: Measure, hits: JudgedHits) -> Floats:
    """The value of one measure for each judged query.

    Args:
        measure: any measure.
        hits: the projection, as columns.

    Returns:
        One double a query, in the order of ``hits.queries``; bit-equal to ``measure.value``.

    Raises:
        InvalidQrels: a grade beyond the scale of ERR or of an exponential gain.
    """
    return all_values([measure], hits)[measure]


def all_values(measures: Iterable[Measure], hits: JudgedHits) -> dict[Measure, Floats]:
    """The values of several measures for each judged query; shared parts are computed once.

    Args:
        measures: any measures.
        hits: the projection, as columns.

    Returns:
        As :func:`column_values`, by measure, in the given order.

    Raises:
        InvalidQrels: as :func:`column_values`.
    """
    return values_of_orders(measures, [hits])[0]


def values_of_orders(
    measures: Iterable[Measure], orders: Sequence[JudgedHits]
) -> list[dict[Measure, Floats]]:
    """As :func:`all_values` for each of several orders of the same rows and judgements.

    Raises:
        InvalidQrels: as :func:`column_values`.
    """
    asked = list(measures)
    for measure in asked:
        require_scale(measure, int(orders[0].judged_grade.max(initial=0)))
    columns: Columns | None = None
    values = []
    for hits in orders:
        columns = Columns(hits, columns)
        values.append({measure: _VALUES[measure.family](measure, columns) for measure in asked})
    return values


def _precision(measure: Measure, columns: Columns) -> Floats:
    return columns.found_within(measure) / measure.depth


def _recall(measure: Measure, columns: Columns) -> Floats:
    return share(columns.found_within(measure), columns.relevant(measure.level).judged)


def _success(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    return (columns.found_within(measure) > 0).astype(np.float64)


def _reciprocal_rank(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    relevant = columns.relevant(measure.level)
    first = np.flatnonzero((relevant.so_far == 1) & (relevant.rank <= measure.depth))
    values = np.zeros(columns.count)
    values[relevant.query[first]] = 1.0 / relevant.rank[first]
    return values


def _average_precision(measure: Measure, columns: Columns) -> Floats:
    relevant = columns.relevant(measure.level)
    within = relevant.rank <= measure.depth
    precision = relevant.so_far[within] / relevant.rank[within]
    return share(columns.added(relevant.query[within], precision), relevant.judged)


def _ndcg(measure: Measure, columns: Columns) -> Floats:
    gained = columns.discounted(measure, columns.query, columns.rank, columns.grade)
    return share(gained, columns.ideal(measure))


def _r_precision(measure: Measure, columns: Columns) -> Floats:
    relevant = columns.relevant(measure.level)
    within = relevant.query[relevant.rank <= relevant.judged[relevant.query]]
    return share(columns.counted(within), relevant.judged)


def _bpref(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    level, relevant = measure.level, columns.relevant(measure.level)
    judged = columns.hits.judged_grade
    others = columns.counted(columns.judged_query[(judged >= 0) & (judged < level)])
    is_other = (columns.grade >= 0) & (columns.grade < level)
    seen = np.concatenate([[0], np.cumsum(is_other)])
    rows = np.flatnonzero(columns.grade >= level)
    above = seen[rows] - seen[columns.hits.hit_start[relevant.query]]
    most = relevant.judged[relevant.query]
    lost = share(np.minimum(above, most), np.minimum(others[relevant.query], most))
    return share(columns.added(relevant.query, 1.0 - lost), relevant.judged)


def _interpolated_precision(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    relevant = columns.relevant(measure.level)
    wanted = measure.recall * relevant.judged
    least = np.floor(wanted)
    least += wanted - least >= 0.5
    precision = relevant.so_far / relevant.rank
    precision[relevant.so_far < least[relevant.query]] = 0.0
    values = np.zeros(columns.count)
    occurs = np.flatnonzero(relevant.found)
    if len(occurs):
        starts = (np.cumsum(relevant.found) - relevant.found)[occurs]
        values[occurs] = np.maximum.reduceat(precision, starts)
    return values


def _rank_biased_precision(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    relevant = columns.relevant(measure.level)
    within = np.flatnonzero(relevant.rank <= measure.depth)
    rank = relevant.rank[within]
    powers = np.full(int(rank.max(initial=1)), measure.p)
    powers[0] = 1.0
    # One factor after the other: p**n rounds differently.
    np.multiply.accumulate(powers, out=powers)
    return (1.0 - measure.p) * columns.added(relevant.query[within], powers[rank - 1])


def _expected_reciprocal_rank(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    rows = np.flatnonzero((columns.grade > 0) & (columns.rank <= measure.depth))
    query, rank = columns.query[rows], columns.rank[rows]
    stops = (np.ldexp(1.0, columns.grade[rows]) - 1.0) / math.ldexp(1.0, measure.max_rel)
    counts = columns.counted(query)
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[query]
    values, unsatisfied = np.zeros(columns.count), np.ones(columns.count)
    # The first document of every query, then the second of every query, and so on.
    order = np.argsort(place, kind="stable")
    for step in np.split(order, np.cumsum(np.bincount(place))[:-1] if len(rows) else []):
        values[query[step]] += stops[step] * unsatisfied[query[step]] / rank[step]
        unsatisfied[query[step]] *= 1.0 - stops[step]
    return values


def _judged(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    looked_at = np.minimum(measure.depth, columns.hits.retrieved)
    within = columns.query[columns.rank <= looked_at[columns.query]]
    return share(columns.counted(within), looked_at)


def _set_precision(measure: Measure, columns: Columns) -> Floats:
    return share(columns.found_within(measure), columns.hits.retrieved)


def _num_q(_measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    return np.ones(columns.count)


def _num_ret(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    all_of_them = columns.hits.retrieved if measure.rel is None else columns.found_within(measure)
    return all_of_them.astype(np.float64)


def _num_rel(measure: Measure, columns: Columns) -> Floats:
    import numpy as np

    return columns.relevant(measure.level).judged.astype(np.float64)


_VALUES: Final[Mapping[Family, Callable[[Measure, Columns], Floats]]] = {
    Family.P: _precision,
    Family.R: _recall,
    Family.SUCCESS: _success,
    Family.RR: _reciprocal_rank,
    Family.AP: _average_precision,
    Family.NDCG: _ndcg,
    Family.RPREC: _r_precision,
    Family.BPREF: _bpref,
    Family.IPREC: _interpolated_precision,
    Family.RBP: _rank_biased_precision,
    Family.ERR: _expected_reciprocal_rank,
    Family.JUDGED: _judged,
    Family.SETP: _set_precision,
    Family.SETR: _recall,
    Family.NUMQ: _num_q,
    Family.NUMRET: _num_ret,
    Family.NUMREL: _num_rel,
}
