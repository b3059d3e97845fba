"""Usage and agreement: sums by hand, and what is unknown stays unknown."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from evenhand.core.errors import InvalidValue
from evenhand.core.review.agreement import FEWEST_LABELS, agree
from evenhand.core.review.observation import Assessment
from evenhand.core.review.usage import Pricing, Rates, Tokens, Usage, UsageSource
from tests.builders import START

GOOD, BAD = Assessment.GOOD, Assessment.BAD


def rates(*each: str) -> Rates:
    given = each or ("1", "0.5", "4")
    return Rates(
        **dict(zip(("input", "cached_input", "output"), map(Decimal, given), strict=True))
    )


def a_usage(**stated: Any) -> Usage:
    values: dict[str, Any] = {
        "id": "u",
        "job_id": "j",
        "attempt": 1,
        "model": "judge-small",
        "calls": 1,
        "tokens": Tokens(input=1000, cached_input=200, output=50),
        "source": UsageSource.RUNNER,
        "rates": rates(),
        "occurred_at": START,
    }
    return Usage(**values | stated)


@pytest.mark.proves("BR-33", "R-11")
def test_cost_is_tokens_times_frozen_rates_rounded_half_to_even() -> None:
    # 1000 * 1 + 200 * 0.5 + 50 * 4 = 1300 a million.
    assert a_usage().cost == Decimal("0.001300")
    assert a_usage(tokens=Tokens(input=1), rates=rates("2.5", "0", "0")).cost == (
        Decimal("0.000002")
    )
    assert a_usage(tokens=Tokens(input=1), rates=rates("3.5", "0", "0")).cost == (
        Decimal("0.000004")
    )


@pytest.mark.proves("BR-33")
def test_what_was_charged_never_rounds_to_nothing() -> None:
    assert a_usage(tokens=Tokens(input=1), rates=rates("0.1", "0", "0")).cost == (
        Decimal("0.000001")
    )


@pytest.mark.proves("BR-33", "R-44")
def test_an_unknown_price_or_count_is_unknown_and_no_zero() -> None:
    assert (a_usage(rates=None).pricing, a_usage(rates=None).cost) == (Pricing.UNPRICED, None)
    nothing = a_usage(tokens=Tokens(), source=UsageSource.NONE)
    assert (nothing.pricing, nothing.cost) == (Pricing.UNPRICED, None)
    free = a_usage(rates=rates("0", "0", "0"))
    assert (free.pricing, free.cost) == (Pricing.NO_CHARGE, Decimal("0.000000"))


@pytest.mark.parametrize(
    "stated",
    [
        {"calls": -1},
        {"source": UsageSource.NONE},
        {"tokens": Tokens()},
    ],
)
def test_a_count_and_who_counted_go_together(stated: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        a_usage(**stated)


@pytest.mark.parametrize("rate", ["-1", "NaN", "1000001", "Infinity"])
def test_a_rate_out_of_range_is_refused(rate: str) -> None:
    with pytest.raises(InvalidValue):
        rates(rate, "0", "0")
    with pytest.raises(InvalidValue):
        Tokens(input=-1)


@pytest.mark.proves("BR-33")
def test_each_bucket_is_taken_from_whoever_saw_more() -> None:
    merged = Tokens(input=5, output=1).merged(Tokens(input=3, cached_input=2, output=4))
    assert merged == Tokens(input=5, cached_input=2, output=4)
    assert Tokens().merged(Tokens()) == Tokens()


def test_agreement_counts_the_cases_that_both_labelled() -> None:
    # Cohen's worked shape: 20 both good, 15 both bad, 5 and 10 apart: raw 0.7, kappa 0.4.
    reviewer = {f"c{n}": GOOD if n < 25 else BAD for n in range(50)}
    human = {f"c{n}": GOOD if n < 20 or 25 <= n < 35 else BAD for n in range(50)}
    found = agree("r1", reviewer, human | {"alone": GOOD})
    assert (found.both_good, found.both_bad) == (20, 15)
    assert (found.only_reviewer_good, found.only_human_good) == (5, 10)
    assert (found.n, found.raw, found.kappa) == (50, Fraction(7, 10), Fraction(2, 5))
    assert (found.excluded, found.is_enough) == (1, FEWEST_LABELS == 50)


def test_agreement_without_a_case_or_without_a_difference_has_no_kappa() -> None:
    nothing = agree("r1", {}, {})
    assert (nothing.raw, nothing.kappa, nothing.is_enough) == (None, None, False)
    alike = agree("r1", {"a": GOOD}, {"a": GOOD})
    assert (alike.raw, alike.kappa) == (Fraction(1), None)
