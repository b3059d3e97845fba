"""Sixteen strata from two of each identity; none is merged, and the sums are those by hand."""

from decimal import Decimal
from itertools import combinations, product
from typing import Any

import pytest

from evenhand.core.errors.review import ReviewNotFound, StrataNotMerged
from evenhand.core.review.rates import Exclusion, Share
from evenhand.core.review.states import AttemptOutcome, CohortKind
from evenhand.core.review.usage import Pricing, Rates, Tokens, UsageSource
from evenhand.usecases.reviews import reading
from evenhand.usecases.reviews.attempts import Spent
from tests.review_builders import PROMPT, a_candidate
from tests.usecases.reviews.conftest import World

GOOD = a_candidate(presence="present", assessment="good", severity=None)


def strata(world: World) -> reading.Strata:
    return world.database.read(lambda uow: reading.strata_of(uow, world.project_id))


def rates(world: World, *asked: str, other: tuple[str, ...] = ()) -> reading.StratumRates:
    return world.database.read(
        lambda uow: reading.stratum_rates(uow, world.project_id, asked, other)
    )


def spent(tokens: int | None, rate: str | None = "2") -> Spent:
    known = Tokens(input=tokens)
    return Spent(
        calls=1,
        tokens=known,
        source=UsageSource.RUNNER if known.is_known else UsageSource.NONE,
        rates=None
        if rate is None
        else Rates(input=Decimal(rate), cached_input=Decimal(0), output=Decimal(0)),
    )


@pytest.mark.proves("R-25", "R-26", "R-13", "G-27")
def test_two_of_each_identity_are_sixteen_strata_and_no_two_are_merged(world: World) -> None:
    revisions = (world.revision, world.another_revision())
    for config, prompt, cohort, revision in product(
        ({}, {"temperature": 1}), (PROMPT, "c" * 64), ("one", "two"), revisions
    ):
        world.review(config=config, prompt=prompt, cohort=cohort, revision=revision)

    found = strata(world)

    assert len(found.strata) == 16
    assert all(sum(one.attempts.values()) == 1 for one in found.strata)
    names = [one.stratum for one in found.strata]
    for pair in combinations(names, 2):
        with pytest.raises(StrataNotMerged):
            rates(world, *pair)
        with pytest.raises(StrataNotMerged):
            rates(world, pair[0], other=pair)
    assert rates(world, names[0]).rates == found.strata[0]
    with pytest.raises(ReviewNotFound):
        rates(world, "0" * 64)


@pytest.mark.proves("R-49", "BR-33", "G-28", "R-11")
def test_failures_tokens_cost_and_invalid_output_agree_with_a_count_by_hand(world: World) -> None:
    world.review(candidates=[GOOD], spent=spent(1000))
    world.review(candidates=[a_candidate(), 7, "x"], spent=spent(500))
    claimed = world.claim(world.submit())
    world.prepare(claimed)
    world.start(claimed)
    world.requeue(claimed, spent=spent(250, None))
    broken = world.claim(world.submit())
    world.prepare(broken)
    world.start(broken)
    world.complete(broken, outcome=AttemptOutcome.FAILED, error_class="BROKEN")

    (found,) = strata(world).strata

    # Four attempts: two reviewed, one given back, one failed.
    assert found.failures == Share(count=2, total=4)
    # Two outputs were handed in, one of them with refusals: 2 of its 3 candidates, of 4 in all.
    assert found.invalid_outputs == Share(count=1, total=2)
    assert found.rejected == Share(count=2, total=4)
    # 1000 + 500 + 250 tokens; 1000 and 500 at 2 a million, 250 at an unknown price.
    assert found.tokens == Tokens(input=1750)
    assert found.cost == Decimal("0.003000")
    assert found.pricing == {Pricing.PRICED: 2, Pricing.NO_CHARGE: 0, Pricing.UNPRICED: 1}
    assert found.calls_told == Share(count=3, total=4)
    assert found.good == Share(count=1, total=2)


@pytest.mark.proves("G-26", "BR-34")
def test_attempts_with_an_unknown_identity_are_counted_with_the_reason(world: World) -> None:
    world.review()
    early = world.claim(world.submit())
    world.complete(early, outcome=AttemptOutcome.FAILED, error_class="EARLY")
    world.review(cohort=None)
    found = strata(world)
    assert (len(found.strata), found.rows) == (1, 3)
    assert found.excluded == {
        Exclusion.PROMPT_UNKNOWN: 1,
        Exclusion.PRACTICE_UNKNOWN: 1,
        Exclusion.COHORT_UNKNOWN: 1,
    }


@pytest.mark.proves("G-27")
def test_a_cohort_of_inputs_is_told_by_the_digest_of_the_files(world: World) -> None:
    job = world.review(cohort_kind=CohortKind.INPUTS, cohort=None)
    (found,) = strata(world).strata
    assert job.prepared is not None
    assert found.identities.cohort == job.prepared.inputs_digest


@pytest.mark.proves("R-26")
def test_two_strata_over_the_same_cases_are_paired_and_each_keeps_its_count(world: World) -> None:
    def review(case: str, good: bool, **stated: Any) -> None:
        world.review(case_id=case, candidates=[GOOD if good else a_candidate()], **stated)

    for number in range(4):
        review(f"c{number}", number > 1)
        review(f"c{number}", True, config={"temperature": 1})
    both = strata(world).strata
    weaker, stronger = sorted(both, key=lambda one: one.good.count)

    found = rates(world, weaker.stratum, other=(stronger.stratum,))

    assert (found.rates.good, found.other and found.other.good) == (
        Share(count=2, total=4),
        Share(count=4, total=4),
    )
    assert found.paired is not None
    assert found.paired.counts is not None
    assert (found.paired.counts.candidate_only, found.paired.delta) == (2, 0.5)
    assert found.paired.interval is not None
