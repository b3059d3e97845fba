"""May a judge's finding be told as ``grounded``? By a recorded agreement, by a waiver, or not.

A judge is criteria, configuration and prompt together: under another configuration or another
prompt the same criteria judge otherwise, and what people said of one judge says nothing of the
next (statements R-25, R-26). The cases may be others: an agreement is recorded over cases that
people labelled, to be rested on for cases that nobody has.

Source: DESIGN 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from evenhand.core.access.roles import Actor
from evenhand.core.errors import InvalidValue
from evenhand.core.review.agreement import Agreement
from evenhand.core.review.strata import Identities

MAX_REASON: Final = 2_000


class GroundingBasis(StrEnum):
    """By what a judge's finding may be told as grounded."""

    AGREED = "agreed"
    WAIVED = "waived"


class GroundingRefusal(StrEnum):
    """Why a judge's finding may not be told as grounded."""

    JUDGE_UNKNOWN = "judge_unknown"
    NO_AGREEMENT = "no_agreement"
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAgreement:
    """The agreement of one stratum with people, as it was when it was recorded, for good.

    Attributes:
        id: UUIDv7 text.
        created_at: aware UTC.
        made_by: who recorded it.
        identities: of the stratum, all four known.
        agreement: the counts.
        divided: cases of which people are divided, so that they have no label.
        labels: how many labels of people stand.
        labellers: how many people gave them.
        labels_digest: of those labels, 64 lowercase hex digits.
        observations_digest: of what the judge found of each case, with the job and the attempt.
    """

    id: str
    created_at: datetime
    made_by: Actor
    identities: Identities
    agreement: Agreement
    divided: int
    labels: int
    labellers: int
    labels_digest: str
    observations_digest: str

    @property
    def practice_revision_id(self) -> str:
        """The criteria."""
        return self.agreement.revision_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """That an operator lets a revision be told as grounded without enough labels, for good.

    Attributes:
        id: UUIDv7 text.
        created_at: aware UTC.
        made_by: who.
        practice_revision_id: the criteria.
        reason: why, 1 to 2000 characters that are not all blank.

    Raises:
        InvalidValue: a reason that is none, or too long.
    """

    id: str
    created_at: datetime
    made_by: Actor
    practice_revision_id: str
    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip() or len(self.reason) > MAX_REASON:
            rule = f"must say why, in 1 to {MAX_REASON} characters"
            raise InvalidValue("reason", rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPermission:
    """Whether a judge's finding may be told as grounded, and what every number then shows.

    Attributes:
        basis: by what; None where it may not.
        agreement: of this judge, the one over the most labels; told where it is too small as well.
        waiver: the newest of the criteria; None unless it is what permits.
        refusal: why not; None where it may.
    """

    basis: GroundingBasis | None
    agreement: RecordedAgreement | None = None
    waiver: Waiver | None = None
    refusal: GroundingRefusal | None = None


def may_feed_grounded(
    judge: Identities, agreements: Iterable[RecordedAgreement], waivers: Iterable[Waiver]
) -> GroundingPermission:
    """Whether what a judge finds may be told as grounded.

    Args:
        judge: the identities of the reviews; the cohort is not looked at.
        agreements: any; those of other judges are passed over.
        waivers: any; those of other criteria are passed over.
    """
    named = (judge.practice_revision_id, judge.config_digest, judge.prompt_digest)
    if None in named:
        return GroundingPermission(basis=None, refusal=GroundingRefusal.JUDGE_UNKNOWN)
    own = [one for one in agreements if _judge(one.identities) == named]
    best = max(own, key=lambda one: (one.agreement.n, one.created_at, one.id), default=None)
    if best is not None and best.agreement.is_enough:
        return GroundingPermission(basis=GroundingBasis.AGREED, agreement=best)
    waived = [one for one in waivers if one.practice_revision_id == judge.practice_revision_id]
    if waived:
        newest = max(waived, key=lambda one: (one.created_at, one.id))
        return GroundingPermission(basis=GroundingBasis.WAIVED, agreement=best, waiver=newest)
    why = GroundingRefusal.NO_AGREEMENT if best is None else GroundingRefusal.TOO_FEW_LABELS
    return GroundingPermission(basis=None, agreement=best, refusal=why)


def _judge(found: Identities) -> Sequence[str | None]:
    return found.practice_revision_id, found.config_digest, found.prompt_digest
