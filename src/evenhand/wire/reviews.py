"""What does the API tell of counts of reviews? Each stratum by itself, and what is in none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from evenhand.core.review.grounds import GroundingPermission
from evenhand.core.review.rates import Exclusion, PairedStrata
from evenhand.core.review.rates import Rates as CoreRates
from evenhand.core.review.rates import Share as CoreShare
from evenhand.core.scoring.intervals import Interval as CoreInterval
from evenhand.core.scoring.significance import Refusal
from evenhand.core.verdict import Verdict as CoreVerdict
from evenhand.wire.grounding import Grounding, grounding_to_wire
from evenhand.wire.shapes import Answer, Digest

Word = TypeVar("Word", bound=StrEnum)


class OfOneProject(BaseModel):
    """Whose counts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project_id: str | None = Field(
        default=None, description="Id or name; needed of people, null is a client's own."
    )


class RatesQuery(OfOneProject):
    """Which stratum, and which one it is held against."""

    # The gate refuses a parameter that is said twice, so there is no way to name two as one.
    stratum: Digest = Field(description="One; rows of two are never added up.")
    other: Digest | None = Field(default=None, description="One over the same cases, or none.")


class Share(Answer):
    """So many of so many."""

    count: int
    total: int = Field(description="The denominator; 0 makes no share.")


class Cohort(Answer):
    """By what the cases are told."""

    kind: str
    name: str | None


class Tokens(Answer):
    """Tokens, added up; null where nobody counted any."""

    input: int | None
    cached_input: int | None
    output: int | None


class Rates(Answer):
    """What happened inside one stratum; every number is read from attempts."""

    stratum: str
    config_digest: str | None
    prompt_digest: str | None
    cohort: Cohort
    practice_revision_id: str | None
    attempts: dict[str, int] = Field(description="That ended, by outcome.")
    failures: Share = Field(description="Failed, out of time or given back, of all attempts.")
    invalid_outputs: Share = Field(description="Unreadable or with a refusal, of all outputs.")
    rejected_candidates: Share
    usage_told: Share = Field(description="Attempts that told of usage, of all.")
    tokens: Tokens | None
    cost: str | None = Field(description="Of attempts whose cost is known; null: of none.")
    pricing: dict[str, int] = Field(description="Attempts that told, by what is known of cost.")
    good: Share = Field(description="Cases assessed as good, of all assessed.")
    excluded_cases: dict[str, int] = Field(description="Cases in no share, by reason.")
    grounding: Grounding


class Strata(Answer):
    """Every stratum by itself; there is no total over them."""

    items: list[Rates]
    rows: int = Field(description="Ended attempts by practice, in a stratum or in none.")
    excluded_rows: dict[str, int] = Field(description="Rows in no stratum, by reason.")


class Reason(Answer):
    """One reason of a verdict."""

    code: str
    dimension: str
    current: str | None
    previous: str | None


class Verdict(Answer):
    """Whether two strata may be held against each other."""

    state: str
    reasons: list[Reason]


class Interval(Answer):
    """Where the true difference is believed to lie."""

    low: float
    high: float
    confidence: float
    method: str


class Pairs(Answer):
    """Cases by which of the two assesses them as good."""

    both: int
    candidate_only: int
    current_only: int
    neither: int


class Paired(Answer):
    """Two strata over the same cases; null unless comparable."""

    verdict: Verdict
    cases: Pairs | None
    delta: float | None = Field(description="Share of good cases, other minus stratum.")
    interval: Interval | None
    no_interval: str | None = Field(description="Why there is none.")
    excluded_cases: dict[str, int] | None


class StratumRates(Answer):
    """One stratum, and the one that it is held against."""

    rates: Rates
    other: Rates | None
    paired: Paired | None
    excluded_rows: dict[str, int] = Field(description="Of the project, in no stratum, by reason.")


def strata_to_wire(
    strata: Sequence[CoreRates],
    *,
    permissions: Mapping[str, GroundingPermission],
    rows: int,
    excluded: Mapping[Exclusion, int],
) -> Strata:
    """All of them."""
    return Strata(
        items=[rates_to_wire(one, permissions[one.stratum]) for one in strata],
        rows=rows,
        excluded_rows=_named(excluded),
    )


def stratum_to_wire(
    rates: CoreRates,
    *,
    other: CoreRates | None,
    paired: PairedStrata | None,
    permissions: Mapping[str, GroundingPermission],
    excluded: Mapping[Exclusion, int],
) -> StratumRates:
    """One, and the one beside it."""
    return StratumRates(
        rates=rates_to_wire(rates, permissions[rates.stratum]),
        other=None if other is None else rates_to_wire(other, permissions[other.stratum]),
        paired=None if paired is None else _paired(paired),
        excluded_rows=_named(excluded),
    )


def rates_to_wire(one: CoreRates, permission: GroundingPermission) -> Rates:
    """All of one stratum."""
    found, tokens = one.identities, one.tokens
    return Rates(
        stratum=one.stratum,
        config_digest=found.config_digest,
        prompt_digest=found.prompt_digest,
        cohort=Cohort(kind=found.cohort_kind.value, name=found.cohort),
        practice_revision_id=found.practice_revision_id,
        attempts=_named(one.attempts),
        failures=_share(one.failures),
        invalid_outputs=_share(one.invalid_outputs),
        rejected_candidates=_share(one.rejected),
        usage_told=_share(one.calls_told),
        tokens=None
        if tokens is None
        else Tokens(input=tokens.input, cached_input=tokens.cached_input, output=tokens.output),
        cost=None if one.cost is None else str(one.cost),
        pricing=_named(one.pricing),
        good=_share(one.good),
        excluded_cases=_named(one.excluded),
        grounding=grounding_to_wire(permission),
    )


def _paired(one: PairedStrata) -> Paired:
    counts, found = one.counts, one.interval
    return Paired(
        verdict=_verdict(one.verdict),
        cases=None
        if counts is None
        else Pairs(
            both=counts.both,
            candidate_only=counts.candidate_only,
            current_only=counts.current_only,
            neither=counts.neither,
        ),
        delta=one.delta,
        interval=Interval(
            low=found.low,
            high=found.high,
            confidence=found.confidence,
            method=found.method.value,
        )
        if isinstance(found, CoreInterval)
        else None,
        no_interval=found.reason.value if isinstance(found, Refusal) else None,
        excluded_cases=None if one.excluded is None else _named(one.excluded),
    )


def _verdict(one: CoreVerdict) -> Verdict:
    return Verdict(
        state=one.state.value,
        reasons=[
            Reason(
                code=reason.code.value,
                dimension=reason.dimension.value,
                current=reason.current,
                previous=reason.previous,
            )
            for reason in one.reasons
        ],
    )


def _share(one: CoreShare) -> Share:
    return Share(count=one.count, total=one.total)


def _named(counts: Mapping[Word, int]) -> dict[str, int]:
    return {word.value: count for word, count in counts.items()}
