"""How do agreements, waivers and what rests on them read? As lines, unknown shown as unknown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from evenhand.core.access.roles import Actor
from evenhand.core.review.agreement import FEWEST_LABELS, Agreement
from evenhand.core.review.grounds import GroundingPermission, RecordedAgreement, Waiver
from evenhand.reports.review_words import word_text
from evenhand.reports.safe_text import shown_text
from evenhand.reports.wording import UNKNOWN


def agreement_lines(one: Agreement) -> Iterator[str]:
    """How reviews agree with people: numbers with what they cover."""
    yield f"criteria {one.revision_id}"
    yield f"  cases labelled by both  {one.n}  (by one only: {one.excluded})"
    yield f"  raw agreement           {_number(one.raw)}"
    yield f"  kappa                   {_number(one.kappa)}"
    yield (
        f"  both good {one.both_good}, both bad {one.both_bad}, good to the review only"
        f" {one.only_reviewer_good}, to people only {one.only_human_good}"
    )
    if not one.is_enough:
        yield f"  fewer than {FEWEST_LABELS} cases: too few to rest anything on"


def recorded_lines(one: RecordedAgreement) -> Iterator[str]:
    """A recorded agreement: which one, what it was counted from, and its numbers."""
    yield f"agreement {one.id}  {one.created_at:%Y-%m-%d %H:%M} UTC  {_actor(one.made_by)}"
    yield f"  stratum                 {one.identities.stratum}"
    yield (
        f"  labels                  {one.labels} of {one.labellers} labellers"
        f"  (cases of which they are divided: {one.divided})"
    )
    yield f"  digest of the labels    {one.labels_digest}"
    yield f"  digest of the findings  {one.observations_digest}"
    yield from agreement_lines(one.agreement)


def waiver_lines(one: Waiver) -> Iterator[str]:
    """A waiver: who, when, of what, and why."""
    yield f"waiver {one.id}  {one.created_at:%Y-%m-%d %H:%M} UTC  {_actor(one.made_by)}"
    yield f"  criteria {one.practice_revision_id}"
    yield f"  reason   {shown_text(one.reason)}"


def permission_text(one: GroundingPermission) -> tuple[str, str]:
    """Whether what a stratum found may be told as grounded, and its agreement with people."""
    agreed = UNKNOWN if one.agreement is None else _short(one.agreement.agreement)
    if one.waiver is not None:
        by, at = _actor(one.waiver.made_by), f"{one.waiver.created_at:%Y-%m-%d %H:%M} UTC"
        return f"waived by {by}, {at}: {shown_text(one.waiver.reason)}", agreed
    if one.refusal is not None:
        return f"no: {word_text(one.refusal)}", agreed
    return "agreed", agreed


def permission_lines(one: GroundingPermission) -> Iterator[str]:
    """The same as lines of a stratum."""
    grounded, agreed = permission_text(one)
    yield f"  grounded       {grounded}"
    yield f"    agreement    {agreed}"


def _short(one: Agreement) -> str:
    return f"n {one.n}, raw {_number(one.raw)}, kappa {_number(one.kappa)}"


def _number(one: Fraction | None) -> str:
    return UNKNOWN if one is None else f"{float(one):.3f}"


def _actor(one: Actor) -> str:
    kind = word_text(one.kind)
    return kind if one.id is None else f"{kind} {one.id}"
