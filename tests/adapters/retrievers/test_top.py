import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.retrievers.top import best_positions


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.integers(1, 35),
    st.none() | st.integers(-4, 3),
)
def test_best_positions_are_those_of_a_full_sort(
    scores: list[int], limit: int, above: int | None
) -> None:
    expected = [
        position
        for position in sorted(range(len(scores)), key=lambda p: (-scores[p], p))
        if above is None or scores[position] > above
    ][:limit]

    found = best_positions(
        np.array(scores, dtype=np.float32), limit, above=None if above is None else float(above)
    )
    assert found == expected


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_tie_at_the_cut_is_settled_by_position(kind: type[np.float32]) -> None:
    assert best_positions(np.array([1, 2, 1, 2, 1], dtype=kind), 3) == [1, 3, 0]
