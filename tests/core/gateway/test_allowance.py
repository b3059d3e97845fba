"""What a client with a limit may still ask: a minute's worth, refilled evenly."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.gateway import InvalidInput
from evenhand.core.gateway.allowance import Wait, spend
from tests.builders import START

MINUTE = timedelta(minutes=1)


def spent(count: int, per_minute: int) -> datetime:
    """What is left after a first request."""
    found = spend(None, count=count, per_minute=per_minute, now=START)
    assert isinstance(found, datetime)
    return found


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_whole_minutes_worth_may_be_asked_at_once_and_no_more() -> None:
    full_at = spent(60, 60)

    assert full_at == START + MINUTE
    assert spend(full_at, count=1, per_minute=60, now=START) == Wait(1)
    assert spend(full_at, count=60, per_minute=60, now=START) == Wait(60)
    assert spend(full_at, count=60, per_minute=60, now=after(60)) == after(120)


def test_what_was_asked_is_refilled_evenly() -> None:
    full_at = spent(60, 60)

    assert spend(full_at, count=10, per_minute=60, now=after(9.5)) == Wait(1)
    assert spend(full_at, count=10, per_minute=60, now=after(10)) == after(70)


def test_waiting_as_long_as_it_says_is_enough() -> None:
    full_at = spent(7, 7)
    early = spend(full_at, count=3, per_minute=7, now=after(0.3))

    assert isinstance(early, Wait)
    assert isinstance(
        spend(full_at, count=3, per_minute=7, now=after(0.3 + early.seconds)), datetime
    )


def test_more_than_a_minutes_worth_is_never_let_through() -> None:
    with pytest.raises(InvalidInput, match="no more a minute"):
        spend(None, count=8, per_minute=7, now=START)


def test_a_clock_that_was_set_back_makes_nobody_wait_longer_than_a_minute() -> None:
    assert spend(after(86400), count=5, per_minute=5, now=START) == Wait(60)


def test_another_limit_counts_at_once() -> None:
    full_at = spent(10, 10)

    assert spend(full_at, count=1, per_minute=1000, now=after(0.06)) == after(60.06)


@given(
    st.integers(1, 500),
    st.lists(st.tuples(st.floats(0, 90), st.integers(1, 500)), min_size=1, max_size=40),
)
def test_no_span_lets_more_through_than_a_minutes_worth_and_what_is_refilled(
    per_minute: int, asked: list[tuple[float, int]]
) -> None:
    full_at: datetime | None = None
    now, let_through = START, []
    for passed, count in asked:
        now += timedelta(seconds=passed)
        found = spend(full_at, count=min(count, per_minute), per_minute=per_minute, now=now)
        if isinstance(found, Wait):
            assert 1 <= found.seconds <= 60
            continue
        full_at = found
        let_through.append((now, min(count, per_minute)))
    for begin, _ in let_through:
        for end, _ in let_through:
            total = sum(count for at, count in let_through if begin <= at <= end)
            # Instants are whole microseconds, each rounded once.
            room = (end - begin) / MINUTE + len(let_through) * 1e-6
            assert begin > end or total <= per_minute * (1 + room)
