"""Rates inside one stratum, counted by hand; and two strata side by side, never added up."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.gathering import (
    Gathered,
    GatheredStratum,
    newest_reviews,
    pair_strata,
)
from evenhand.core.review.observation import Assessment
from evenhand.core.review.rates import Exclusion, Rates, ReviewedRow, Share
from evenhand.core.review.states import AttemptOutcome, Origin
from evenhand.core.review.usage import Pricing, Tokens
from evenhand.core.scoring.intervals import Interval, newcombe_interval
from tests.review_builders import a_row, identities

GOOD, BAD = Assessment.GOOD, Assessment.BAD
STRATUM = identities().stratum or ""


def gathered(rows: Iterable[ReviewedRow]) -> GatheredStratum:
    (found,) = Gathered(rows).strata.values()
    return found


def rates_of(stratum: str, rows: Iterable[ReviewedRow]) -> Rates:
    return Gathered(rows).strata[stratum].rates


@pytest.mark.proves("R-49", "G-28", "BR-33")
def test_failures_invalid_output_tokens_and_cost_are_those_of_the_attempts() -> None:
    rows = [
        a_row(1),
        a_row(
            2,
            assessment=BAD,
            candidates=CandidateCounts(seen=3, persisted=1, rejected=2),
            tokens=Tokens(input=50, output=5),
            cost=Decimal("0.000060"),
        ),
        a_row(
            3,
            outcome=AttemptOutcome.REQUEUED,
            candidates=CandidateCounts(unreadable=True),
            tokens=Tokens(input=7),
            pricing=Pricing.UNPRICED,
            cost=None,
            assessment=None,
        ),
        a_row(
            4,
            outcome=AttemptOutcome.FAILED,
            candidates=None,
            tokens=None,
            pricing=None,
            cost=None,
            assessment=None,
        ),
    ]
    found = rates_of(STRATUM, rows)
    assert found.failures == Share(count=2, total=4)
    assert found.invalid_outputs == Share(count=2, total=3)
    assert found.rejected == Share(count=2, total=4)
    assert found.tokens == Tokens(input=157, output=15)
    assert (found.cost, found.calls_told) == (Decimal("0.000180"), Share(count=3, total=4))
    assert found.pricing == {Pricing.PRICED: 2, Pricing.NO_CHARGE: 0, Pricing.UNPRICED: 1}
    assert found.good == Share(count=1, total=2)
    assert found.attempts[AttemptOutcome.REVIEWED] == 2


@pytest.mark.proves("G-26", "R-44")
def test_what_is_unknown_is_counted_apart_and_never_as_zero() -> None:
    silent = a_row(tokens=None, pricing=None, cost=None, assessment=None, candidates=None)
    found = rates_of(STRATUM, [silent])
    assert (found.tokens, found.cost) == (None, None)
    assert found.calls_told == Share(count=0, total=1)
    assert found.good.value is found.invalid_outputs.value is found.rejected.value is None
    assert found.excluded == {Exclusion.NOT_ASSESSED: 1}


@pytest.mark.proves("G-26")
def test_rows_in_no_stratum_are_counted_with_every_reason() -> None:
    rows = [
        a_row(1),
        a_row(2, identities=identities(prompt_digest=None, practice_revision_id=None)),
        a_row(3, identities=identities(config_digest=None, cohort=None)),
        a_row(4, origin=Origin.BACKFILL),
    ]
    found = Gathered(rows)
    assert list(found.strata) == [STRATUM]
    assert found.rows == len(rows)
    assert found.excluded == {
        Exclusion.PROMPT_UNKNOWN: 1,
        Exclusion.PRACTICE_UNKNOWN: 1,
        Exclusion.CONFIGURATION_UNKNOWN: 1,
        Exclusion.COHORT_UNKNOWN: 1,
        Exclusion.NOT_LIVE: 1,
    }


@pytest.mark.proves("R-25")
def test_rows_of_two_strata_give_no_rates() -> None:
    other = a_row(2, identities=identities(prompt_digest="9" * 64))
    one = GatheredStratum(identities())
    one.take(a_row(1))
    for stranger in (other, a_row(3, origin=Origin.BACKFILL)):
        with pytest.raises(ValueError, match=STRATUM):
            one.take(stranger)
    assert one.rates.calls_told == Share(count=1, total=1)
    with pytest.raises(ValueError, match="stratum"):
        GatheredStratum(identities(cohort=None))


def test_the_newest_review_of_a_case_counts_and_the_others_are_told() -> None:
    old = a_row(1, assessment=BAD)
    new = replace(
        a_row(1), job_id="z", ended_at=old.ended_at + timedelta(seconds=1), assessment=GOOD
    )
    nameless = a_row(3, case_id=None)
    found = rates_of(STRATUM, [old, new, nameless])
    assert found.good == Share(count=1, total=1)
    assert found.excluded == {Exclusion.CASE_REPEATED: 1, Exclusion.CASE_UNKNOWN: 1}
    assert newest_reviews([old, new, nameless]) == {"case-1": new}


@pytest.mark.proves("R-26")
def test_two_strata_are_paired_by_case_with_an_interval() -> None:
    current = [a_row(n, assessment=BAD if n < 4 else GOOD) for n in range(1, 9)]
    other = identities(config_digest="9" * 64)
    candidate = [
        a_row(n, identities=other, assessment=BAD if n == 8 else GOOD) for n in range(1, 10)
    ]
    found = pair_strata(gathered(current), gathered(candidate))
    assert found.verdict.is_comparable
    counts = found.counts
    assert counts is not None
    assert (counts.both, counts.candidate_only, counts.current_only, counts.neither) == (
        4,
        3,
        1,
        0,
    )
    assert found.delta == 2 / 8
    assert isinstance(found.interval, Interval)
    assert found.interval == newcombe_interval(counts)
    assert found.excluded == {Exclusion.ONLY_ONE_SIDE: 1}


@pytest.mark.proves("R-26")
def test_strata_of_other_cases_get_a_verdict_and_no_difference() -> None:
    other = [a_row(1, identities=identities(cohort="release-2"))]
    found = pair_strata(gathered([a_row(1)]), gathered(other))
    assert not found.verdict.is_comparable
    assert (found.counts, found.interval, found.delta) == (None, None, None)
