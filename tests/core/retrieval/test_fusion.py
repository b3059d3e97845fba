import math
from collections.abc import Sequence
from fractions import Fraction
from random import Random  # noqa: TID251 -- the type of what hypothesis draws

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidSetting
from evenhand.core.retrieval.fusion import DEFAULT_K, reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=10), max_size=5)


def test_default_constant_is_sixty() -> None:
    assert DEFAULT_K == 60


@pytest.mark.proves("BP-31")
@pytest.mark.parametrize(
    ("lists", "weights", "k", "expected"),
    [
        pytest.param([], None, 60, [], id="no lists"),
        pytest.param([[], []], None, 60, [], id="empty lists"),
        pytest.param(
            [["a", "b"]],
            None,
            60,
            [("a", Fraction(1, 61)), ("b", Fraction(1, 62))],
            id="ranks start at 1",
        ),
        pytest.param(
            [["a", "b"], ["b", "c"]],
            None,
            60,
            [
                ("b", Fraction(1, 62) + Fraction(1, 61)),
                ("a", Fraction(1, 61)),
                ("c", Fraction(1, 62)),
            ],
            id="sum over the lists",
        ),
        pytest.param(
            [["a", "b"], ["b", "a"]],
            None,
            60,
            [("a", Fraction(1, 61) + Fraction(1, 62)), ("b", Fraction(1, 61) + Fraction(1, 62))],
            id="a tie keeps first-seen order",
        ),
        pytest.param(
            [["a"], ["b"], ["c"]],
            None,
            60,
            [("a", Fraction(1, 61)), ("b", Fraction(1, 61)), ("c", Fraction(1, 61))],
            id="a tie across lists keeps first-seen order",
        ),
        pytest.param(
            [["a", "b", "a", "c"]],
            None,
            60,
            [("a", Fraction(1, 61)), ("b", Fraction(1, 62)), ("c", Fraction(1, 64))],
            id="a later repeat is ignored and still takes its rank",
        ),
        pytest.param(
            [["a"], ["b"]],
            [1.0, 3.0],
            60,
            [("b", Fraction(3, 61)), ("a", Fraction(1, 61))],
            id="weights",
        ),
        pytest.param(
            [["a", "b"]], None, 0, [("a", Fraction(1)), ("b", Fraction(1, 2))], id="another k"
        ),
    ],
)
def test_score_is_the_sum_of_weight_over_k_plus_rank(
    lists: list[list[str]],
    weights: list[float] | None,
    k: float,
    expected: list[tuple[str, Fraction]],
) -> None:
    fused = reciprocal_rank_fusion(lists, weights, k)

    assert [item for item, _ in expected] == [item for item, _ in fused]
    for (_, score), (_, exact) in zip(fused, expected, strict=True):
        assert math.isclose(exact, score, rel_tol=1e-15)


@given(RANKINGS)
def test_each_item_occurs_once_and_scores_fall(lists: list[list[str]]) -> None:
    fused = reciprocal_rank_fusion(lists)

    assert {item for ranking in lists for item in ranking} == {item for item, _ in fused}
    assert len(fused) == len({item for item, _ in fused})
    scores = [score for _, score in fused]
    assert sorted(scores, reverse=True) == scores
    assert all(score > 0 for score in scores)


@given(RANKINGS, st.randoms(use_true_random=False))
def test_order_of_the_lists_does_not_change_a_score(
    lists: list[list[str]], shuffler: Random
) -> None:
    other = list(lists)
    shuffler.shuffle(other)

    assert dict(reciprocal_rank_fusion(lists)) == dict(reciprocal_rank_fusion(other))


@given(st.lists(st.sampled_from("abcdefgh"), unique=True))
def test_one_ranking_keeps_its_order(ranking: list[str]) -> None:
    assert ranking == [item for item, _ in reciprocal_rank_fusion([ranking])]


@pytest.mark.parametrize(
    ("weights", "k", "name"),
    [
        ([1.0], 60, "weights"),
        ([1.0, 1.0, 1.0], 60, "weights"),
        ([1.0, 0.0], 60, "weights"),
        ([1.0, -1.0], 60, "weights"),
        ([1.0, math.nan], 60, "weights"),
        ([1.0, math.inf], 60, "weights"),
        (None, -1, "k"),
        (None, math.nan, "k"),
        (None, math.inf, "k"),
    ],
)
def test_value_out_of_range_is_refused(
    weights: Sequence[float] | None, k: float, name: str
) -> None:
    with pytest.raises(InvalidSetting) as caught:
        reciprocal_rank_fusion([["a"], ["b"]], weights, k)
    assert name == caught.value.name
