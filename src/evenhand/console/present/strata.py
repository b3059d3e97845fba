"""How do strata of reviews read? Each by itself, two of them side by side, and no total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.console.charts.differences import DifferenceChart, build_difference_chart
from evenhand.core.review.grounds import GroundingPermission
from evenhand.core.review.rates import Exclusion, PairedStrata, Rates, Share
from evenhand.core.scoring.intervals import Interval
from evenhand.core.verdict import VerdictState
from evenhand.reports import wording
from evenhand.reports.review_words import (
    cost_text,
    counts_text,
    share_text,
    tokens_text,
    word_text,
)
from evenhand.reports.reviews_grounding import permission_text
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import Fact
from evenhand.usecases.reviews.reading import Strata, StratumRates

CURRENT = "The current stratum"
CANDIDATE = "The candidate"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """One share inside a stratum: its name, as text, and to be drawn; None of nothing."""

    name: str
    text: str
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumView:
    """One stratum.

    Attributes:
        stratum: its name, 64 hex digits; ``short`` is its beginning.
        identities: what all of its reviews share.
        shares: what happened in it.
        facts: what is no share: attempts by outcome, tokens, cost.
    """

    stratum: str
    short: str
    identities: tuple[Fact, ...]
    shares: tuple[ShareView, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """Two strata held against each other.

    Attributes:
        state, word: the verdict.
        reasons: why they may not be; empty where they may.
        counts: what both say of the same cases; empty unless comparable.
        delta: the difference with its interval, or why there is none; empty unless comparable.
        chart: the same drawn; None without an interval.
        left_out: cases in no pair; empty for none.
    """

    state: VerdictState
    word: str
    reasons: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    delta: str
    chart: DifferenceChart | None
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Difference:
    """Low, difference and high, to be drawn."""

    drawn: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrataView:
    """Every stratum of a project by itself.

    Attributes:
        strata: by name.
        rows: how many reviews under a practice have ended, in a stratum or in none.
        left_out: those in none, by reason; empty for none.
    """

    strata: tuple[StratumView, ...]
    rows: int
    left_out: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SidesView:
    """Two strata side by side; each keeps its own numbers."""

    current: StratumView
    candidate: StratumView
    pair: PairView


def strata_view(found: Strata) -> StrataView:
    """Every stratum by itself, and how many rows are in none."""
    return StrataView(
        strata=tuple(stratum_view(one, found.permissions[one.stratum]) for one in found.strata),
        rows=found.rows,
        left_out=_left_out(found.excluded),
    )


def sides_view(found: StratumRates) -> SidesView | None:
    """Two strata side by side; None where only one was asked for."""
    if found.other is None or found.paired is None:
        return None
    return SidesView(
        current=stratum_view(found.rates, found.permissions[found.rates.stratum]),
        candidate=stratum_view(found.other, found.permissions[found.other.stratum]),
        pair=_pair(found.paired),
    )


def stratum_view(one: Rates, permission: GroundingPermission) -> StratumView:
    """One stratum."""
    named = one.identities
    grounded, agreed = permission_text(permission)
    return StratumView(
        stratum=one.stratum,
        short=one.stratum[:12],
        identities=(
            Fact(name="Configuration", value=named.config_digest or wording.UNKNOWN),
            Fact(name="Prompt", value=named.prompt_digest or wording.UNKNOWN),
            Fact(
                name="Cohort",
                value=shown_id(named.cohort or wording.UNKNOWN),
                note=named.cohort_kind.value,
            ),
            Fact(name="Criteria", value=named.practice_revision_id or wording.UNKNOWN),
        ),
        shares=(
            _share("Cases good", one.good),
            _share("Attempts that failed", one.failures),
            _share("Outputs invalid", one.invalid_outputs),
            _share("Candidates refused", one.rejected),
            _share("Attempts that told their usage", one.calls_told),
        ),
        facts=(
            Fact(name="Attempts", value=counts_text(one.attempts)),
            Fact(name="Tokens", value=tokens_text(one.tokens).removeprefix("tokens ")),
            Fact(
                name="Cost",
                value=cost_text(one.cost),
                note=counts_text(one.pricing) if any(one.pricing.values()) else "",
            ),
            Fact(name="Cases left out", value=_left_out(one.excluded) or "none"),
            Fact(name="Told as grounded", value=grounded, note=f"agreement: {agreed}"),
        ),
    )


def _pair(one: PairedStrata) -> PairView:
    verdict = one.verdict
    return PairView(
        state=verdict.state,
        word=wording.state_word(verdict.state),
        reasons=tuple(
            wording.reason_sentence(reason.code, current=CANDIDATE, previous=CURRENT)
            for reason in verdict.reasons
        ),
        counts=_counts(one),
        delta=_delta(one),
        chart=_chart(one),
        left_out=_left_out(one.excluded or {}),
    )


def _counts(one: PairedStrata) -> tuple[tuple[str, int], ...]:
    counts = one.counts
    if counts is None:
        return ()
    return (
        ("Cases that both assess", counts.questions),
        ("Good in both", counts.both),
        ("Good in the candidate only", counts.candidate_only),
        ("Good in the current one only", counts.current_only),
        ("Good in neither", counts.neither),
    )


def _delta(one: PairedStrata) -> str:
    if one.counts is None:
        return ""
    if one.delta is None:
        return "unknown: no case is assessed by both"
    if isinstance(one.interval, Interval):
        return (
            f"{one.delta:+.3f}, 95 % interval {one.interval.low:+.3f} to {one.interval.high:+.3f}"
        )
    why = "" if one.interval is None else f": {word_text(one.interval.reason)}"
    return f"{one.delta:+.3f}, no interval{why}"


def _chart(one: PairedStrata) -> DifferenceChart | None:
    if one.delta is None or not isinstance(one.interval, Interval):
        return None
    difference = _Difference(drawn=(one.interval.low, one.delta, one.interval.high))
    return build_difference_chart([difference])


def _left_out(excluded: Mapping[Exclusion, int]) -> str:
    return "" if not any(excluded.values()) else counts_text(excluded)


def _share(name: str, share: Share) -> ShareView:
    return ShareView(name=name, text=share_text(share), share=share.value)
