import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidQrels
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.projection import QueryHits, columns_of, outcome_hits, per_query
from tests.core.scoring.projections import projections


def test_the_plain_shape_loads_no_numpy() -> None:
    code = "import evenhand.core.scoring.projection, sys; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "False"


@given(projections())
def test_both_shapes_hold_the_same_queries_in_byte_order(queries: dict[bytes, QueryHits]) -> None:
    expected = sorted(queries.items())
    assert list(per_query(queries)) == expected
    assert list(per_query(columns_of(queries))) == expected


def test_columns_of_nothing_are_empty_with_one_offset() -> None:
    columns = columns_of({})
    assert columns.queries == ()
    assert columns.hit_start.tolist() == columns.judged_start.tolist() == [0]
    assert columns.hit_rank.dtype == columns.judged_grade.dtype == "int32"


@given(st.sampled_from([2**31, -(2**31) - 1]))
def test_a_grade_beyond_32_bits_is_refused(grade: int) -> None:
    with pytest.raises(InvalidQrels):
        columns_of({b"q": QueryHits(hits=(), retrieved=0, judged=(grade,))})


def test_an_outcome_keeps_its_own_order_and_the_grades_it_is_given() -> None:
    outcome = Outcome(
        position=0,
        state=OutcomeState.SCORED,
        targets=2,
        retrieved=5,
        window=5,
        judged_hits=(JudgedHit(2, 1), JudgedHit(5, 3)),
    )
    assert outcome_hits(outcome, [0, 3, 1]) == QueryHits(((2, 1), (5, 3)), 5, (3, 1, 0))


def test_a_failed_outcome_counts_like_one_for_which_nothing_came_back() -> None:
    failed = Outcome(
        position=0,
        state=OutcomeState.FAILED,
        targets=1,
        retrieved=None,
        window=None,
        error_class="timeout",
    )
    assert outcome_hits(failed, [1]) == QueryHits((), 0, (1,))


def test_an_unjudged_outcome_has_no_hits_to_give() -> None:
    unjudged = Outcome(
        position=0, state=OutcomeState.UNJUDGED, targets=None, retrieved=3, window=3
    )
    with pytest.raises(ValueError, match="unjudged"):
        outcome_hits(unjudged, [])
