import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.scoring.measure_names import parse_measure, parse_measures
from evenhand.core.scoring.projection import QueryHits, columns_of, per_query
from evenhand.core.scoring.value_columns import all_values, column_values
from tests.core.scoring.projections import MEASURES, projections

NONE = QueryHits(hits=(), retrieved=0, judged=())
#: Found at rank 7 and 1000, with gains whose quotients do not come out even.
DEEP = QueryHits(hits=((7, 3), (11, -1), (1000, 2)), retrieved=1000, judged=(3, 2, 2, 1, 0, -1))
#: Found so late that a power by repeated multiplication and one by ** round apart.
LATE = QueryHits(hits=((999, 1),), retrieved=1000, judged=(1,))
#: Its precision falls from hit to hit, so that it matters from which one a level of recall is.
FALLING = QueryHits(hits=((1, 1), (4, 1), (7, 1)), retrieved=7, judged=(1, 1, 1, 1))


@given(projections(), st.lists(MEASURES, max_size=8))
@example({}, ["AP", "nDCG@10", "IPrec@0.1", "ERR", "RBP", "NumQ", "Bpref"])
@example({b"q": NONE}, ["AP", "nDCG@10", "IPrec@0", "ERR", "RBP", "NumQ", "Bpref"])
@example({b"a": NONE, b"q": DEEP, b"z": NONE}, ["nDCG", "RBP(p=0.95)", "ERR", "AP", "IPrec@0.1"])
@example({b"q": LATE, b"r": FALLING}, ["RBP", "RBP(p=0.95)", "IPrec@0.6", "IPrec@0.7", "nDCG"])
def test_columns_hold_the_very_doubles_of_each_query(
    queries: dict[bytes, QueryHits], names: list[str]
) -> None:
    measures = parse_measures(names)
    plain = {
        measure: [measure.value(hits) for _, hits in per_query(queries)] for measure in measures
    }
    # == on floats is equality of bits here: no value is NaN or a negative zero.
    together = all_values(measures, columns_of(queries))
    assert {measure: values.tolist() for measure, values in together.items()} == plain
    assert list(together) == list(measures)


@given(projections(), MEASURES)
def test_columns_are_doubles_one_a_query_in_the_range_of_the_measure(
    queries: dict[bytes, QueryHits], name: str
) -> None:
    measure = parse_measure(name)
    values = column_values(measure, columns_of(queries))
    assert values.dtype == "float64"
    assert len(values) == len(queries)
    assert all(math.copysign(1.0, value) > 0 for value in values.tolist())
    # A sum of discounts in the order of an ideal ranking can pass it by a rounding.
    assert measure.is_count or all(value <= 1.0 + 1e-12 for value in values.tolist())


@pytest.mark.parametrize(
    ("name", "limit"), [("ERR", 4), ("ERR(max_rel=7)@3", 7), ("nDCG(dcg='exp-log2')", 512)]
)
def test_a_grade_beyond_the_scale_is_refused_in_both_ways(name: str, limit: int) -> None:
    measure = parse_measure(name)
    on_it = QueryHits(hits=((1, limit),), retrieved=1, judged=(limit,))
    beyond = QueryHits(hits=((1, 1),), retrieved=1, judged=(limit + 1, 1))
    assert column_values(measure, columns_of({b"q": on_it})).tolist() == [measure.value(on_it)]
    with pytest.raises(InvalidQrels, match=f"grade {limit + 1}"):
        measure.value(beyond)
    with pytest.raises(InvalidQrels, match=f"grade {limit + 1}"):
        column_values(measure, columns_of({b"a": on_it, b"b": beyond}))


def test_a_grade_far_above_the_others_is_a_gain_like_any() -> None:
    steep = QueryHits(hits=((2, 512), (3, 1)), retrieved=3, judged=(512, 1))
    measure = parse_measure("nDCG(dcg='exp-log2')")
    assert column_values(measure, columns_of({b"q": steep})).tolist() == [measure.value(steep)]
    assert measure.value(steep) == pytest.approx(1 / math.log2(3), abs=1e-12)
