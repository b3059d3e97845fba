"""How is each measure computed for one query, from the ranks and grades of its judged documents?

One function a measure, in plain Python, each with trec_eval's order of additions and divisions,
so that the values are its doubles to the last bit. Names, defaults and oracles are the business
of ``measures``; ``value_columns`` does the same for all queries at once.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from enum import StrEnum
from operator import neg

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Final, Protocol

    from evenhand.core.scoring.projection import QueryHits

    class Parameters(Protocol):
        """What the functions here read of a measure; ``measures.Measure`` says what each means."""

        @property
        def rel(self) -> int | None: ...  # noqa: D102 -- see Measure
        @property
        def level(self) -> int: ...  # noqa: D102 -- see Measure
        @property
        def depth(self) -> int: ...  # noqa: D102 -- see Measure
        @property
        def recall(self) -> float: ...  # noqa: D102 -- see Measure
        @property
        def p(self) -> float: ...  # noqa: D102 -- see Measure
        @property
        def exponential(self) -> bool: ...  # noqa: D102 -- see Measure
        @property
        def max_rel(self) -> int: ...  # noqa: D102 -- see Measure


class Family(StrEnum):
    """A measure without its cutoff and parameters."""

    P = "P"
    R = "R"
    SUCCESS = "Success"
    RR = "RR"
    AP = "AP"
    NDCG = "nDCG"
    RPREC = "Rprec"
    BPREF = "Bpref"
    IPREC = "IPrec"
    RBP = "RBP"
    ERR = "ERR"
    JUDGED = "Judged"
    SETP = "SetP"
    SETR = "SetR"
    NUMQ = "NumQ"
    NUMRET = "NumRet"
    NUMREL = "NumRel"


def total(values: Iterable[float]) -> float:
    """Sum of values, added one after the other in the order given; 0.0 for none."""
    # Not sum(): from Python 3.12 on it compensates, and would be more exact than trec_eval.
    so_far = 0.0
    for value in values:
        so_far += value
    return so_far


def round_half_up(value: float) -> int:
    """Nearest whole number, halves upwards, of a number at least 0 (C's ``lround``)."""
    floor = math.floor(value)
    # Not floor(value + 0.5): that rounds 0.49999999999999994 up.
    return floor + (value - floor >= 0.5)


def count_relevant(look: Parameters, hits: QueryHits) -> int:
    """How many relevant documents were judged, retrieved or not."""
    return bisect_right(hits.judged, -look.level, key=neg)


def _found(look: Parameters, hits: QueryHits) -> list[int]:
    """Ranks of the relevant documents within the cutoff, rising."""
    level, depth, ranked = look.level, look.depth, hits.hits
    if ranked and ranked[-1][0] > depth:
        ranked = ranked[: bisect_right(ranked, (depth, math.inf))]
    return [rank for rank, grade in ranked if grade >= level]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _precision(look: Parameters, hits: QueryHits) -> float:
    return len(_found(look, hits)) / look.depth


def _recall(look: Parameters, hits: QueryHits) -> float:
    return _share(len(_found(look, hits)), count_relevant(look, hits))


def _success(look: Parameters, hits: QueryHits) -> float:
    return 1.0 if _found(look, hits) else 0.0


def _reciprocal_rank(look: Parameters, hits: QueryHits) -> float:
    found = _found(look, hits)
    return 1.0 / found[0] if found else 0.0


def _average_precision(look: Parameters, hits: QueryHits) -> float:
    found, relevant = _found(look, hits), count_relevant(look, hits)
    return total([n / rank for n, rank in enumerate(found, 1)]) / relevant if relevant else 0.0


def _ndcg(look: Parameters, hits: QueryHits) -> float:
    best = _discounted(look, enumerate(hits.judged, 1))
    return _discounted(look, hits.hits) / best if best else 0.0


def _discounted(look: Parameters, graded: Iterable[tuple[int, int]]) -> float:
    """Sum of discounted gains of ranks and grades, ranks rising."""
    depth, exponential, so_far = look.depth, look.exponential, 0.0
    for rank, grade in graded:
        if rank > depth:
            break
        if grade > 0:
            gain = math.ldexp(1.0, grade) - 1.0 if exponential else grade
            so_far += gain / math.log2(rank + 1)
    return so_far


def _r_precision(look: Parameters, hits: QueryHits) -> float:
    relevant = count_relevant(look, hits)
    return _share(sum(rank <= relevant for rank in _found(look, hits)), relevant)


def _bpref(look: Parameters, hits: QueryHits) -> float:
    level, relevant = look.level, count_relevant(look, hits)
    # A negative grade is neither relevant nor not: trec_eval takes it for pooled and not judged.
    others = sum(0 <= grade < level for grade in hits.judged)
    so_far, preferred = 0, 0.0
    for _, grade in hits.hits:
        if grade >= level:
            above = min(so_far, relevant) / min(others, relevant) if so_far else 0.0
            preferred += 1.0 - above
        elif grade >= 0:
            so_far += 1
    return preferred / relevant if relevant else 0.0


def _interpolated_precision(look: Parameters, hits: QueryHits) -> float:
    # Version 10 rounds recall × relevant; version 9 truncated it after adding 0.9.
    least = round_half_up(look.recall * count_relevant(look, hits))
    found = enumerate(_found(look, hits), 1)
    return max((n / rank for n, rank in found if n >= least), default=0.0)


def _rank_biased_precision(look: Parameters, hits: QueryHits) -> float:
    # Powers by repeated multiplication, as both trec_eval and the columns make them.
    weight, at, so_far = 1.0, 1, 0.0
    for rank in _found(look, hits):
        for _ in range(at, rank):
            weight *= look.p
        so_far, at = so_far + weight, rank
    return (1.0 - look.p) * so_far


def _expected_reciprocal_rank(look: Parameters, hits: QueryHits) -> float:
    value, unsatisfied, depth = 0.0, 1.0, look.depth
    for rank, grade in hits.hits:
        if grade > 0 and rank <= depth:
            stops = (math.ldexp(1.0, grade) - 1.0) / math.ldexp(1.0, look.max_rel)
            value += stops * unsatisfied / rank
            unsatisfied *= 1.0 - stops
    return value


def _judged(look: Parameters, hits: QueryHits) -> float:
    looked_at = min(look.depth, hits.retrieved)
    return _share(sum(rank <= looked_at for rank, _ in hits.hits), looked_at)


def _set_precision(look: Parameters, hits: QueryHits) -> float:
    return _share(len(_found(look, hits)), hits.retrieved)


def _num_q(_look: Parameters, _hits: QueryHits) -> float:
    return 1.0


def _num_ret(look: Parameters, hits: QueryHits) -> float:
    return float(hits.retrieved if look.rel is None else len(_found(look, hits)))


def _num_rel(look: Parameters, hits: QueryHits) -> float:
    return float(count_relevant(look, hits))


VALUES: Final[Mapping[Family, Callable[[Parameters, QueryHits], float]]] = {
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
