"""How much of what came back has anybody judged? Judged@k of both sides.

A document that nobody has judged counts as not relevant. Where one side brings up more of them
than the other, part of the difference may be what nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import rate

#: Cutoffs, in distinct documents, at which judged@k is told.
CUTOFFS: Final = (3, 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Distinct documents that came back, and how many of them are judged; whole numbers."""

    judged: int
    documents: int

    @property
    def share(self) -> Fraction:
        """In [0, 1]; 0 where nothing came back."""
        return rate(self.judged, self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAt:
    """Judged@k of two comparable results.

    Attributes:
        cutoff: k, in distinct documents, at least 1.
        current, candidate: over the answerable questions that failed on neither side.
    """

    cutoff: int
    current: Judged
    candidate: Judged

    @property
    def differs(self) -> bool:
        """Whether the shares of the two sides are not equal."""
        return self.current.share != self.candidate.share


def judged_coverage(pairs: Sequence[tuple[Outcome, Outcome]]) -> tuple[JudgedAt, ...]:
    """Judged@3 and judged@10 of both sides.

    No-answer questions have no judged document and are left out.

    Args:
        pairs: judged questions, the current side's outcome and the candidate's.
    """
    both = [pair for pair in pairs if all(map(_counts, pair))]
    return tuple(
        JudgedAt(
            cutoff=cutoff,
            current=_judged([before for before, _ in both], cutoff),
            candidate=_judged([after for _, after in both], cutoff),
        )
        for cutoff in CUTOFFS
    )


def _counts(outcome: Outcome) -> bool:
    return outcome.state is OutcomeState.SCORED and outcome.is_answerable


def _judged(outcomes: list[Outcome], cutoff: int) -> Judged:
    return Judged(
        judged=sum(hit.rank <= cutoff for one in outcomes for hit in one.judged_hits),
        documents=sum(min(cutoff, one.retrieved or 0) for one in outcomes),
    )
