"""How often did what happen, inside one stratum? Counts, shares, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeVar

from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import AttemptOutcome, Origin
from evenhand.core.review.strata import Identities, pairing_verdict
from evenhand.core.review.usage import Pricing, Tokens
from evenhand.core.scoring.intervals import Interval, PairedCounts, newcombe_interval
from evenhand.core.scoring.significance import Refusal
from evenhand.core.verdict import Verdict

Word = TypeVar("Word", bound=StrEnum)


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


def by_stratum(rows: Iterable[ReviewedRow]) -> dict[str, list[ReviewedRow]]:
    """The rows that are in a stratum, by stratum; those that are in none are left out."""
    found: dict[str, list[ReviewedRow]] = {}
    for row in rows:
        stratum = row.identities.stratum
        if stratum is not None and not row.exclusions:
            found.setdefault(stratum, []).append(row)
    return found


def excluded_rows(rows: Iterable[ReviewedRow]) -> dict[Exclusion, int]:
    """How many rows are in no stratum, by reason; one with two reasons counts under both."""
    return dict(Counter(reason for row in rows for reason in row.exclusions))


def rates_of(stratum: str, rows: Sequence[ReviewedRow]) -> Rates:
    """The rates of one stratum.

    Args:
        stratum: which.
        rows: all of this stratum; at least one.

    Raises:
        ValueError: a row of another stratum, or none.
    """
    if not rows or {row.identities.stratum for row in rows} != {stratum}:
        raise ValueError(stratum)
    outputs = [row.candidates for row in rows if row.candidates is not None]
    invalid = [one for one in outputs if one.unreadable or one.rejected]
    told = [row for row in rows if row.pricing is not None]
    costs = [row.cost for row in rows if row.cost is not None]
    cases, excluded = assessed_cases(rows)
    return Rates(
        stratum=stratum,
        identities=rows[0].identities,
        attempts=_each(AttemptOutcome, (row.outcome for row in rows)),
        failures=Share(count=sum(row.outcome.is_failure for row in rows), total=len(rows)),
        invalid_outputs=Share(count=len(invalid), total=len(outputs)),
        rejected=Share(
            count=sum(one.rejected for one in outputs), total=sum(one.seen for one in outputs)
        ),
        calls_told=Share(count=len(told), total=len(rows)),
        tokens=_tokens(told),
        cost=sum(costs, start=Decimal(0)) if costs else None,
        pricing=_each(Pricing, (row.pricing for row in told if row.pricing is not None)),
        good=Share(count=sum(one is Assessment.GOOD for one in cases.values()), total=len(cases)),
        excluded=excluded,
    )


def pair_strata(current: Sequence[ReviewedRow], candidate: Sequence[ReviewedRow]) -> PairedStrata:
    """Two strata held against each other over the cases that both assess.

    Args:
        current: all rows of one stratum; at least one.
        candidate: the same of the other.
    """
    verdict = pairing_verdict(candidate[0].identities, current[0].identities)
    if not verdict.is_comparable:
        return PairedStrata(verdict=verdict)
    one, left_out = assessed_cases(current)
    other, more_left_out = assessed_cases(candidate)
    common = one.keys() & other.keys()
    pairs = Counter((one[case], other[case]) for case in common)
    good, bad = Assessment.GOOD, Assessment.BAD
    counts = PairedCounts(
        both=pairs[good, good],
        candidate_only=pairs[bad, good],
        current_only=pairs[good, bad],
        neither=pairs[bad, bad],
    )
    excluded = Counter(left_out) + Counter(more_left_out)
    single = len(one.keys() ^ other.keys())
    if single:
        excluded[Exclusion.ONLY_ONE_SIDE] += single
    return PairedStrata(
        verdict=verdict,
        counts=counts,
        interval=newcombe_interval(counts),
        excluded=dict(excluded),
    )


def assessed_cases(
    rows: Sequence[ReviewedRow],
) -> tuple[dict[str, Assessment], dict[Exclusion, int]]:
    """What the newest review of each case says, and how many are left out, by reason.

    Args:
        rows: of one stratum.
    """
    reviewed = [row for row in rows if row.outcome in _ENDS]
    named = sum(row.case_id is not None for row in reviewed)
    newest = newest_reviews(rows)
    cases = {case: row.assessment for case, row in newest.items() if row.assessment is not None}
    excluded = {
        Exclusion.CASE_UNKNOWN: len(reviewed) - named,
        Exclusion.CASE_REPEATED: named - len(newest),
        Exclusion.NOT_ASSESSED: len(newest) - len(cases),
    }
    return cases, {reason: count for reason, count in excluded.items() if count}


def newest_reviews(rows: Sequence[ReviewedRow]) -> dict[str, ReviewedRow]:
    """The newest review of each case that came to an end, by case.

    Args:
        rows: of one stratum.
    """
    newest: dict[str, ReviewedRow] = {}
    for row in sorted(rows, key=lambda row: (row.ended_at, row.job_id)):
        if row.case_id is not None and row.outcome in _ENDS:
            newest[row.case_id] = row
    return newest


_ENDS: Final = (AttemptOutcome.REVIEWED, AttemptOutcome.INSUFFICIENT_EVIDENCE)


def _tokens(told: Sequence[ReviewedRow]) -> Tokens | None:
    known = [row.tokens.buckets for row in told if row.tokens is not None and row.tokens.is_known]
    if not known:
        return None
    columns = [[one for one in column if one is not None] for column in zip(*known, strict=True)]
    added = [sum(column) if column else None for column in columns]
    return Tokens(input=added[0], cached_input=added[1], output=added[2])


def _each(words: type[Word], found: Iterable[Word]) -> dict[Word, int]:
    counted = Counter(found)
    return {word: counted[word] for word in words}
