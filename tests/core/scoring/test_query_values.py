"""Each measure against its definition, written again over the whole ranking and without care."""

import math
from collections.abc import Callable, Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.projection import QueryHits
from evenhand.core.scoring.query_values import round_half_up, total
from tests.core.scoring.projections import MEASURES, query_hits

Grades = Sequence[int | None]


def defined(m: Measure, ranking: Grades, judged: Sequence[int]) -> float:
    """The value by definition; grades of the whole ranking, None where nobody judged."""
    top, least = ranking[: m.cutoff], m.level
    relevant = sum(grade >= least for grade in judged)
    hits = [n for n, g in enumerate(top, 1) if g is not None and g >= least]
    others = [n for n, g in enumerate(top, 1) if g is not None and 0 <= g < least]
    precision = {n: sum(h <= n for h in hits) / n for n in range(1, len(top) + 1)}
    fewest = min(relevant, sum(0 <= g < least for g in judged)) or 1
    lost = [min(sum(o < n for o in others), relevant) / fewest for n in hits]
    wanted = int(m.recall * relevant + 0.5)
    reached = [p for n, p in precision.items() if sum(h <= n for h in hits) >= wanted]
    stops = [(2.0 ** max(g or 0, 0) - 1) / 2**m.max_rel for g in top]
    left = [math.prod(1 - stop for stop in stops[:n]) for n in range(len(top))]
    of_relevant, of_retrieved = max(relevant, 1), max(len(top), 1)
    definitions: dict[str, Callable[[], float]] = {
        "P": lambda: len(hits) / (m.cutoff or 1),
        "R": lambda: len(hits) / of_relevant,
        "Success": lambda: float(bool(hits)),
        "RR": lambda: max((1 / n for n in hits), default=0.0),
        "AP": lambda: sum(precision[n] for n in hits) / of_relevant,
        "nDCG": lambda: dcg(m, top) / (dcg(m, sorted(judged)[::-1][: m.cutoff]) or 1.0),
        "Rprec": lambda: sum(n <= relevant for n in hits) / of_relevant,
        "Bpref": lambda: sum(1 - one for one in lost) / of_relevant,
        "IPrec": lambda: max(reached, default=0.0),
        "RBP": lambda: (1 - m.p) * sum(m.p ** (n - 1) for n in hits),
        "ERR": lambda: sum(s * p / n for n, s, p in zip(count(1), stops, left, strict=False)),
        "Judged": lambda: sum(g is not None for g in top) / of_retrieved,
        "SetP": lambda: len(hits) / of_retrieved,
        "SetR": lambda: len(hits) / of_relevant,
        "NumQ": lambda: 1.0,
        "NumRet": lambda: len(top) if m.rel is None else len(hits),
        "NumRel": lambda: relevant,
    }
    return definitions[m.family]()


def dcg(m: Measure, grades: Grades) -> float:
    gains = [max(g or 0, 0) for g in grades]
    if m.exponential:
        gains = [2**gain - 1 for gain in gains]
    return math.fsum(gain / math.log2(n + 1) for n, gain in enumerate(gains, 1))


@given(query_hits(), MEASURES)
def test_every_measure_is_what_its_definition_says(hits: QueryHits, name: str) -> None:
    measure = parse_measure(name)
    ranks = dict(hits.hits)
    ranking = [ranks.get(rank) for rank in range(1, hits.retrieved + 1)]
    expected = defined(measure, ranking, hits.judged)
    assert measure.value(hits) == pytest.approx(expected, abs=1e-12)


@given(query_hits(), st.integers(min_value=1, max_value=40))
def test_a_cutoff_beyond_the_list_is_no_cutoff(hits: QueryHits, more: int) -> None:
    beyond = max(hits.retrieved, len(hits.judged)) + more
    for name in ("AP", "RR", "nDCG", "RBP(rel=1)", "ERR", "Judged"):
        cut = parse_measure(f"{name}@{beyond}")
        assert cut.value(hits) == parse_measure(name).value(hits)


WORKED = [
    # Nothing retrieved: judged, and 0 everywhere but among what is counted.
    (QueryHits((), 0, (1,)), {"AP": 0.0, "P@3": 0.0, "IPrec@0": 0.0, "SetP": 0.0, "Judged": 0.0}),
    (QueryHits((), 0, (1,)), {"NumQ": 1.0, "NumRel": 1.0, "NumRet": 0.0, "NumRet(rel=1)": 0.0}),
    # Nothing relevant was judged.
    (QueryHits(((1, 0),), 1, (0, -1)), {"AP": 0.0, "nDCG": 0.0, "R@1": 0.0, "Bpref": 0.0}),
    (QueryHits(((1, 0),), 1, (0, -1)), {"IPrec@0": 0.0, "Rprec": 0.0, "SetR": 0.0, "Judged": 1.0}),
    # A negative grade keeps its rank, gains nothing, and was judged.
    (QueryHits(((1, -1), (2, 1)), 2, (1, -1)), {"RR": 0.5, "nDCG": 1 / math.log2(3), "P@1": 0.0}),
    (QueryHits(((1, -1), (2, 1)), 2, (1, -1)), {"Bpref": 1.0, "Judged@2": 1.0, "NumRel": 1.0}),
    # Two judged others of one relevant: the preference is lost once, never twice.
    (QueryHits(((1, 0), (2, 0), (3, 1)), 3, (1, 0, 0)), {"Bpref": 0.0}),
    # One of two others above, two relevant: 1 - 1/2, then 1 - 1/2, over 2.
    (QueryHits(((1, 0), (2, 1), (3, 1)), 3, (1, 1, 0, 0)), {"Bpref": 0.5}),
    # 0.6 of four is 2.4: version 10 looks from the second on, version 9 from the third.
    (
        QueryHits(((1, 1), (4, 1), (7, 1)), 7, (1, 1, 1, 1)),
        {"IPrec@0.6": 2 / 4, "IPrec@0.7": 3 / 7, "IPrec@0.9": 0.0, "IPrec@0.1": 1.0},
    ),
    # Half of one relevant rounds up: the level is reached at rank 2 only.
    (QueryHits(((2, 1),), 5, (1,)), {"IPrec@0.5": 0.5, "IPrec@0.4": 0.5, "Rprec": 0.0}),
    # Levels.
    (
        QueryHits(((1, 1), (3, 2)), 4, (2, 2, 1)),
        {
            "P(rel=2)@3": 1 / 3,
            "R(rel=2)@4": 1 / 2,
            "RR(rel=2)": 1 / 3,
            "RR(rel=2)@2": 0.0,
            "AP(rel=2)": (1 / 3) / 2,
            "Success(rel=2)@2": 0.0,
            "NumRel(rel=2)": 2.0,
            "NumRet(rel=2)": 1.0,
            "AP(rel=3)": 0.0,
            # The grade below the level is judged as not relevant.
            "Bpref(rel=2)": 0.0,
        },
    ),
    # Gains: 3 at rank 2 of the ideal 3, 1.
    (
        QueryHits(((2, 3),), 2, (3, 1)),
        {
            "nDCG@2": (3 / math.log2(3)) / (3 + 1 / math.log2(3)),
            "nDCG(dcg='exp-log2')@2": (7 / math.log2(3)) / (7 + 1 / math.log2(3)),
            "nDCG@1": 0.0,
        },
    ),
    # Satisfied with probability 15/16 at rank 1; the rest looks at rank 2.
    (QueryHits(((1, 4), (2, 1)), 2, (4, 1)), {"ERR@2": 15 / 16 + (1 / 16) * (1 / 16) / 2}),
    (QueryHits(((1, 1),), 1, (1,)), {"ERR": 1 / 16, "ERR(max_rel=1)": 1 / 2}),
    (QueryHits(((1, 1), (3, 1)), 3, (1, 1)), {"RBP": 0.2 * (1 + 0.64), "RBP(p=0.5)@2": 0.5}),
    # The share of what was looked at, not of the cutoff.
    (QueryHits(((1, 0), (5, 1)), 5, (1, 0)), {"Judged@2": 1 / 2, "Judged@10": 2 / 5}),
]


@pytest.mark.parametrize(("hits", "expected"), WORKED)
def test_values_that_were_worked_out_by_hand(hits: QueryHits, expected: dict[str, float]) -> None:
    found = {name: parse_measure(name).value(hits) for name in expected}
    assert found == pytest.approx(expected, abs=1e-15)


def test_a_sum_adds_one_after_the_other() -> None:
    # Compensated addition, which sum() does from Python 3.12 on, gives 2.0.
    assert total([1.0, 1e100, 1.0, -1e100]) == 0.0


@pytest.mark.parametrize(
    ("value", "whole"),
    [(0.0, 0), (0.49999999999999994, 0), (0.5, 1), (1.5, 2), (2.5, 3), (7.0, 7)],
)
def test_halves_round_upwards_and_nothing_else_does(value: float, whole: int) -> None:
    assert round_half_up(value) == whole
