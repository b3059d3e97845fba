"""How often did what happen, inside one stratum? Counts, shares, and what is left out and why.

They are gathered from rows by ``core.review.gathering``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import AttemptOutcome, Origin
from evenhand.core.review.strata import Identities
from evenhand.core.review.usage import Pricing, Tokens
from evenhand.core.scoring.intervals import Interval, PairedCounts
from evenhand.core.scoring.significance import Refusal
from evenhand.core.verdict import Verdict


class Exclusion(StrEnum):
    """Why a row is in no stratum, or a case in no share."""

    CONFIGURATION_UNKNOWN = "configuration_unknown"
    PROMPT_UNKNOWN = "prompt_unknown"
    COHORT_UNKNOWN = "cohort_unknown"
    PRACTICE_UNKNOWN = "practice_unknown"
    NOT_LIVE = "not_live"
    CASE_UNKNOWN = "case_unknown"
    CASE_REPEATED = "case_repeated"
    NOT_ASSESSED = "not_assessed"
    ONLY_ONE_SIDE = "only_one_side"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedRow:
    """One ended attempt, under one practice that it was prepared for.

    Attributes:
        job_id, attempt: which.
        identities: what it ran with.
        origin: live, or made otherwise; only live ones are counted.
        case_id: of the cohort, None where unknown.
        ended_at: aware UTC.
        outcome: how the attempt ended.
        candidates: what its output held; None where none was handed in.
        tokens: that it used; None where no usage was told.
        pricing: None where no usage was told.
        cost: of the attempt; None is unknown.
        assessment: bad where one of its observations under the practice is, good where all that
            are assessed are; None where none is.
    """

    job_id: str
    attempt: int
    identities: Identities
    origin: Origin
    case_id: str | None
    ended_at: datetime
    outcome: AttemptOutcome
    candidates: CandidateCounts | None
    tokens: Tokens | None
    pricing: Pricing | None
    cost: Decimal | None
    assessment: Assessment | None

    @property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """Why it is in no stratum; empty for one that is in one."""
        unknown = tuple(Exclusion(f"{one.value}_unknown") for one in self.identities.unknown)
        return unknown if self.origin is Origin.LIVE else (*unknown, Exclusion.NOT_LIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """So many of so many.

    Attributes:
        count: at most `total`.
        total: the denominator; 0 makes no share.
    """

    count: int
    total: int

    @property
    def value(self) -> float | None:
        """In [0, 1]; None of nothing."""
        return self.count / self.total if self.total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What happened inside one stratum; every number from attempts, none from a log.

    Attributes:
        stratum: 64 lowercase hex digits.
        identities: what its rows share.
        attempts: that ended, by outcome; every outcome is there.
        failures: attempts that failed, ran out of time or were given back, of all.
        invalid_outputs: outputs that could not be read or had a candidate refused, of all outputs.
        rejected: candidates that were refused, of all that were seen.
        calls_told: attempts that told of their usage, of all.
        tokens: added up per bucket over the attempts that told; None where none did.
        cost: added up over the attempts whose cost is known; None where none is.
        pricing: attempts that told of usage, by what is known of its cost.
        good: cases assessed as good, of all assessed.
        excluded: cases in no share, by reason.
    """

    stratum: str
    identities: Identities
    attempts: Mapping[AttemptOutcome, int]
    failures: Share
    invalid_outputs: Share
    rejected: Share
    calls_told: Share
    tokens: Tokens | None
    cost: Decimal | None
    pricing: Mapping[Pricing, int]
    good: Share
    excluded: Mapping[Exclusion, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedStrata:
    """Two strata over the same cases; each keeps its own count, and nothing is added up.

    Attributes:
        verdict: whether they may be held against each other.
        counts: of the cases that both assess; None unless comparable.
        interval: of the difference of the shares of good cases, candidate minus current, or why
            there is none; None unless comparable.
        excluded: cases of either that are in no pair, by reason; None unless comparable.
    """

    verdict: Verdict
    counts: PairedCounts | None = None
    interval: Interval | Refusal | None = None
    excluded: Mapping[Exclusion, int] | None = None

    @property
    def delta(self) -> float | None:
        """Share of good cases, candidate minus current; None unless comparable, and of no case."""
        if self.counts is None or not self.counts.questions:
            return None
        return (self.counts.candidate_only - self.counts.current_only) / self.counts.questions
