"""How is one fact of a review written? The same on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from evenhand.core.review.attempt import CandidateCounts
from evenhand.core.review.job import AgentJob
from evenhand.core.review.rates import Share
from evenhand.core.review.states import CohortKind
from evenhand.core.review.usage import Tokens
from evenhand.reports.safe_text import shown_id
from evenhand.reports.wording import UNKNOWN

_BUCKETS: Final = ("in", "cached", "out")


def cohort_text(job: AgentJob) -> str:
    """By what its case is the same as another: the digest of its inputs, or a named set of cases."""
    asked, prepared = job.submission, job.prepared
    if asked.cohort:
        return shown_id(asked.cohort)
    if asked.cohort_kind is CohortKind.INPUTS and prepared is not None:
        return prepared.inputs_digest
    return UNKNOWN


def known_text(text: str | None) -> str:
    """A text, or that it is unknown."""
    return UNKNOWN if text is None else shown_id(text)


def truth_text(said: bool | None) -> str:  # noqa: FBT001 -- shown, not decided by
    """``yes``, ``no`` or ``unknown``."""
    return UNKNOWN if said is None else "yes" if said else "no"


def share_text(one: Share) -> str:
    """``3 of 10 (30.0%)``; of nothing there is no share."""
    if one.value is None:
        return "0 of 0 (unknown)"
    return f"{one.count} of {one.total} ({one.value:.1%})"


def tokens_text(tokens: Tokens | None) -> str:
    """``tokens in 12, cached unknown, out 3``."""
    if tokens is None or not tokens.is_known:
        return f"tokens {UNKNOWN}"
    pairs = zip(_BUCKETS, tokens.buckets, strict=True)
    return "tokens " + ", ".join(
        f"{name} {UNKNOWN if count is None else count}" for name, count in pairs
    )


def cost_text(cost: Decimal | None) -> str:
    """The cost as it is kept; no cost is ``0``, and an unknown one is not."""
    return UNKNOWN if cost is None else str(cost)


def counts_text(counts: Mapping[Any, int]) -> str:
    """``reviewed 3, timed out 1``; ``none`` where nothing was counted."""
    told = [f"{word_text(word)} {count}" for word, count in counts.items() if count]
    return ", ".join(told) or "none"


def word_text(word: StrEnum) -> str:
    """A word of the record, for people."""
    return word.value.replace("_", " ")


def output_text(output: CandidateCounts | None) -> str:
    """What an attempt handed in."""
    if output is None:
        return "unknown: none was handed in"
    if output.unreadable:
        return "could not be read"
    return f"{output.seen} candidates, {output.rejected} refused"
