"""Which reviews may be counted together, and which two counts may be held against each other?

Rows are counted together only where all four identities are known and equal: the whole
configuration, the prompt, the cohort and the revision of the practice. Nothing here adds up two
strata, and there is no argument that leaves an identity out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.errors.review import StrataNotMerged
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.review.states import CohortKind
from evenhand.core.verdict import Dimension, Reason, ReasonCode, Verdict, VerdictState

_SCHEMA: Final = "review-stratum-v1"
_CHANGED: Final = {
    Dimension.CONFIGURATION: ReasonCode.CONFIGURATION_CHANGED,
    Dimension.PROMPT: ReasonCode.PROMPT_CHANGED,
    Dimension.COHORT: ReasonCode.COHORT_CHANGED,
    Dimension.PRACTICE: ReasonCode.PRACTICE_CHANGED,
}
#: What two strata must share to be held against each other: what was judged, and by what.
_PAIRED_BY: Final = (Dimension.COHORT, Dimension.PRACTICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identities:
    """The four identities of a reviewed row; None is unknown, and equal to nothing.

    Attributes:
        config_digest: of the whole configuration after the claim.
        prompt_digest: of the scaffolding.
        cohort_kind: how the cases are told.
        cohort: the inputs digest, or the name of the cases, as the kind says.
        practice_revision_id: of the admitted criteria.
    """

    config_digest: str | None
    prompt_digest: str | None
    cohort_kind: CohortKind
    cohort: str | None
    practice_revision_id: str | None

    def by_dimension(self) -> dict[Dimension, str | None]:
        """Each identity; a cohort says of which kind it is, so that two kinds never meet."""
        cohort = None if self.cohort is None else f"{self.cohort_kind.value}:{self.cohort}"
        return {
            Dimension.CONFIGURATION: self.config_digest,
            Dimension.PROMPT: self.prompt_digest,
            Dimension.COHORT: cohort,
            Dimension.PRACTICE: self.practice_revision_id,
        }

    @property
    def unknown(self) -> tuple[Dimension, ...]:
        """The identities that are missing; a row with any belongs to no stratum (G-26)."""
        return tuple(one for one, value in self.by_dimension().items() if value is None)

    @property
    def stratum(self) -> str | None:
        """The stratum that a row belongs to, 64 lowercase hex digits; None where one is unknown."""
        if self.unknown:
            return None
        named = {one.value: value for one, value in self.by_dimension().items()}
        return json_ascii_v1_digest({"schema": _SCHEMA} | named)


def strata_verdict(current: Identities, previous: Identities) -> Verdict:
    """Whether the rows of two may be counted together: all four identities known and equal.

    Source: statements R-25, R-26, G-26.
    """
    return _verdict(current, previous, tuple(_CHANGED))


def pairing_verdict(current: Identities, previous: Identities) -> Verdict:
    """Whether two strata may be held against each other, case by case, each with its own count.

    The cases and the criteria must be the same; configuration and prompt are what is compared.
    All four must be known.
    """
    return _verdict(current, previous, _PAIRED_BY)


def require_one(strata: Sequence[str]) -> str:
    """The one stratum that was asked for.

    Raises:
        StrataNotMerged: none, or more than one.
    """
    if len(strata) != 1:
        raise StrataNotMerged
    return strata[0]


def _verdict(current: Identities, previous: Identities, equal: tuple[Dimension, ...]) -> Verdict:
    pairs = zip(current.by_dimension().items(), previous.by_dimension().values(), strict=True)
    sides = [(one, mine, theirs) for (one, mine), theirs in pairs]
    unknown = [
        Reason(code=code, dimension=one, current=mine, previous=theirs)
        for one, mine, theirs in sides
        for code, side in (
            (ReasonCode.CURRENT_UNKNOWN, mine),
            (ReasonCode.PREVIOUS_UNKNOWN, theirs),
        )
        if side is None
    ]
    if unknown:
        return Verdict(state=VerdictState.UNKNOWN, reasons=tuple(unknown))
    changed = [
        Reason(code=_CHANGED[one], dimension=one, current=mine, previous=theirs)
        for one, mine, theirs in sides
        if one in equal and mine != theirs
    ]
    if changed:
        return Verdict(state=VerdictState.MISMATCH, reasons=tuple(changed))
    return Verdict(state=VerdictState.COMPARABLE)
