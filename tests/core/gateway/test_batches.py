import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.gateway.batches import MAX_TOKENS, Usage, read_count, split, total
from tests.cases_runner import load


@given(st.integers(1, 5000), st.one_of(st.none(), st.integers(1, 500)))
def test_parts_hold_every_input_once_in_order_and_none_is_too_long(
    count: int, limit: int | None
) -> None:
    parts = split(count, limit)

    assert [position for part in parts for position in part] == list(range(count))
    assert all(1 <= len(part) <= (limit or count) for part in parts)
    # No part is shorter than it could be.
    assert all(len(part) == len(parts[0]) for part in parts[:-1])


def test_b_103_five_inputs_go_out_as_two_two_and_one() -> None:
    given_ = load("B-103")["given"]

    assert [len(part) for part in split(len(given_["input"]), given_["upstream_limit"])] == [
        2,
        2,
        1,
    ]


def test_b_101_what_is_no_number_of_tokens_is_unknown_and_never_zero() -> None:
    case = load("B-101")
    stated = [
        usage.get("prompt_tokens") if isinstance(usage, dict) else usage
        for usage in case["given"]["upstream_usage"]
    ]

    assert [read_count(value) for value in stated] == case["expected"]["recorded_prompt_tokens"]


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (0, 0),
        (7, 7),
        (True, None),
        (1.0, None),
        (-1, None),
        ("0", None),
        (MAX_TOKENS, MAX_TOKENS),
        (MAX_TOKENS + 1, None),
        (2**63, None),
        (10**30, None),
    ],
)
def test_zero_is_a_number_and_a_boolean_is_none(value: object, count: int | None) -> None:
    assert read_count(value) == count


@given(st.lists(st.one_of(st.none(), st.integers(0, 1000)), min_size=1))
def test_usage_is_summed_where_every_part_is_known(counts: list[int | None]) -> None:
    found = total([Usage(prompt_tokens=count) for count in counts])

    expected = None if None in counts else sum(count or 0 for count in counts)
    assert found.prompt_tokens == expected
    assert found.is_known is (expected is not None)
    assert found.total_tokens is None


def test_b_101_a_sum_that_no_database_holds_is_unknown() -> None:
    most = Usage(prompt_tokens=MAX_TOKENS, total_tokens=1)

    assert total([most]) == most
    assert total([most, Usage(prompt_tokens=1, total_tokens=1)]) == Usage(total_tokens=2)
