"""What do rows come to, taken in one after the other? Counts of each stratum, never of two.

Of a row nothing is kept but what it adds to a count, and of a case what its newest review says: a
project of many attempts needs no more than its strata and their cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeVar

from evenhand.core.review.observation import Assessment
from evenhand.core.review.rates import Exclusion, PairedStrata, Rates, ReviewedRow, Share
from evenhand.core.review.states import AttemptOutcome, Origin
from evenhand.core.review.strata import Identities, pairing_verdict
from evenhand.core.review.usage import Pricing, Tokens
from evenhand.core.scoring.intervals import PairedCounts, newcombe_interval

Word = TypeVar("Word", bound=StrEnum)

_ENDS: Final = (AttemptOutcome.REVIEWED, AttemptOutcome.INSUFFICIENT_EVIDENCE)


class GatheredStratum:
    """What the rows of one stratum come to so far.

    Args:
        identities: what its rows share.

    Raises:
        ValueError: one of the four is unknown.
    """

    def __init__(self, identities: Identities) -> None:
        if identities.stratum is None:
            raise ValueError("stratum")
        self.stratum = identities.stratum
        self.identities = identities
        self._outcomes: Counter[AttemptOutcome] = Counter()
        self._pricing: Counter[Pricing] = Counter()
        self._outputs = self._invalid = self._seen = self._rejected = 0
        self._tokens: list[int | None] = [None, None, None]
        self._cost: Decimal | None = None
        self._newest: dict[str, Assessment | None] = {}
        self._unnamed = self._repeated = 0

    def take(self, row: ReviewedRow) -> None:
        """Take one row in; of one case the older first.

        Raises:
            ValueError: it is of another stratum, or of none.
        """
        if row.identities != self.identities or row.origin is not Origin.LIVE:
            raise ValueError(self.stratum)
        self._outcomes[row.outcome] += 1
        output = row.candidates
        if output is not None:
            self._outputs += 1
            self._invalid += bool(output.unreadable or output.rejected)
            self._seen += output.seen
            self._rejected += output.rejected
        if row.pricing is not None:
            self._pricing[row.pricing] += 1
            self._tokens = _added(self._tokens, row.tokens)
        if row.cost is not None:
            self._cost = (self._cost or Decimal(0)) + row.cost
        if row.outcome in _ENDS:
            self._take_case(row)

    def _take_case(self, row: ReviewedRow) -> None:
        if row.case_id is None:
            self._unnamed += 1
            return
        self._repeated += row.case_id in self._newest
        self._newest[row.case_id] = row.assessment

    @property
    def cases(self) -> dict[str, Assessment]:
        """What the newest review of each assessed case says."""
        return {case: said for case, said in self._newest.items() if said is not None}

    @property
    def excluded(self) -> dict[Exclusion, int]:
        """How many cases are in no share, by reason."""
        silent = sum(said is None for said in self._newest.values())
        counts = {
            Exclusion.CASE_UNKNOWN: self._unnamed,
            Exclusion.CASE_REPEATED: self._repeated,
            Exclusion.NOT_ASSESSED: silent,
        }
        return {reason: count for reason, count in counts.items() if count}

    @property
    def rates(self) -> Rates:
        """The rates of the rows so far."""
        attempts, told = self._outcomes.total(), self._pricing.total()
        failures = sum(count for one, count in self._outcomes.items() if one.is_failure)
        said = Counter(self._newest.values())
        good, bad = said[Assessment.GOOD], said[Assessment.BAD]
        tokens = Tokens(
            input=self._tokens[0], cached_input=self._tokens[1], output=self._tokens[2]
        )
        return Rates(
            stratum=self.stratum,
            identities=self.identities,
            attempts=_each(AttemptOutcome, self._outcomes),
            failures=Share(count=failures, total=attempts),
            invalid_outputs=Share(count=self._invalid, total=self._outputs),
            rejected=Share(count=self._rejected, total=self._seen),
            calls_told=Share(count=told, total=attempts),
            tokens=tokens if tokens.is_known else None,
            cost=self._cost,
            pricing=_each(Pricing, self._pricing),
            good=Share(count=good, total=good + bad),
            excluded=self.excluded,
        )


class Gathered:
    """What the rows of a project come to.

    Attributes:
        strata: each by itself, by its name.
        rows: how many there were, in a stratum or in none.
        excluded: rows that are in no stratum, by reason; one with two reasons is under both.
    """

    def __init__(self, rows: Iterable[ReviewedRow]) -> None:
        self.strata: dict[str, GatheredStratum] = {}
        self.rows = 0
        self.excluded: Counter[Exclusion] = Counter()
        # Where rows belong is decided once for all that are alike, not row by row.
        places: dict[tuple[Identities, Origin], GatheredStratum | tuple[Exclusion, ...]] = {}
        for row in rows:
            self.rows += 1
            like = row.identities, row.origin
            place = places.get(like)
            if place is None:
                place = places[like] = row.exclusions or self._stratum(row.identities)
            if isinstance(place, GatheredStratum):
                place.take(row)
            else:
                self.excluded.update(place)

    def _stratum(self, identities: Identities) -> GatheredStratum:
        made = GatheredStratum(identities)
        self.strata[made.stratum] = made
        return made


def newest_reviews(rows: Iterable[ReviewedRow]) -> dict[str, ReviewedRow]:
    """The newest review of each case that came to an end, by case.

    Args:
        rows: of one stratum, oldest first.
    """
    return {row.case_id: row for row in rows if row.case_id is not None and row.outcome in _ENDS}


def pair_strata(current: GatheredStratum, candidate: GatheredStratum) -> PairedStrata:
    """Two strata held against each other over the cases that both assess."""
    verdict = pairing_verdict(candidate.identities, current.identities)
    if not verdict.is_comparable:
        return PairedStrata(verdict=verdict)
    one, other = current.cases, candidate.cases
    common = one.keys() & other.keys()
    pairs = Counter((one[case], other[case]) for case in common)
    good, bad = Assessment.GOOD, Assessment.BAD
    counts = PairedCounts(
        both=pairs[good, good],
        candidate_only=pairs[bad, good],
        current_only=pairs[good, bad],
        neither=pairs[bad, bad],
    )
    excluded = Counter(current.excluded) + Counter(candidate.excluded)
    single = len(one.keys() ^ other.keys())
    if single:
        excluded[Exclusion.ONLY_ONE_SIDE] += single
    return PairedStrata(
        verdict=verdict,
        counts=counts,
        interval=newcombe_interval(counts),
        excluded=dict(excluded),
    )


def _added(sums: list[int | None], tokens: Tokens | None) -> list[int | None]:
    if tokens is None:
        return sums
    return [
        total if one is None else (total or 0) + one
        for total, one in zip(sums, tokens.buckets, strict=True)
    ]


def _each(words: type[Word], counted: Mapping[Word, int]) -> dict[Word, int]:
    return {word: counted.get(word, 0) for word in words}
