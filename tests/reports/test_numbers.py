from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.reports import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3168, 6078), "0.521"),
        (Fraction(1), "1.000"),
        (Fraction(0), "0.000"),
        (Fraction(1, 2000), "0.000"),
        (Fraction(3, 2000), "0.002"),
        (Fraction(-21, 1000), "-0.021"),
    ],
)
def test_a_share_has_three_decimals(value: Fraction, text: str) -> None:
    assert numbers.decimal(value) == text


@given(st.fractions(min_value=-1, max_value=1))
def test_the_shown_decimal_is_within_half_a_thousandth(value: Fraction) -> None:
    assert abs(Fraction(numbers.decimal(value)) - value) <= Fraction(1, 2000)


def test_a_rate_carries_what_it_covers() -> None:
    assert numbers.rate_text(3168, 6078) == "0.521 (3168 of 6078)"


def test_a_rate_over_nothing_is_no_share() -> None:
    assert numbers.rate_text(0, 0) == "no such questions (0 of 0)"


def test_a_change_too_small_for_three_decimals_keeps_its_sign_and_its_hits() -> None:
    assert numbers.delta_text(Fraction(1, 6078), 1) == "+0.000 (+1)"
    assert numbers.delta_text(Fraction(-1, 6078), -1) == "-0.000 (-1)"
    assert numbers.delta_text(Fraction(0), 0) == "0.000 (0)"


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (12_340, "12.3 s"),
        (59_999, "59.9 s"),
        (245_000, "4 min 05 s"),
    ],
)
def test_a_duration_is_short(ms: int, text: str) -> None:
    assert numbers.duration_text(timedelta(milliseconds=ms)) == text


def test_digests_and_long_labels_are_shortened_and_short_labels_are_not() -> None:
    assert numbers.short("v1:" + "ab" * 32) == "v1:abababababab…"
    assert numbers.short("cd" * 32) == "cdcdcdcdcdcd…"
    assert numbers.short("corpus-2026-09") == "corpus-2026-09"
    assert numbers.short("x" * 60 + "tail") == "x" * 24 + "…" + "x" * 8 + "tail"


labels = st.text(alphabet="ab:-", min_size=1, max_size=120) | st.just("v1:" + "ab" * 32)


@given(labels, labels)
def test_two_labels_that_differ_still_differ_when_shortened(one: str, other: str) -> None:
    shown = numbers.short_pair(one, other)

    assert (shown[0] == shown[1]) is (one == other)
