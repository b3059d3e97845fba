"""Read one review's trail, and count reviews by stratum: no stratum is ever added to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.core.access.roles import Principal
from evenhand.core.errors.review import ReviewNotFound
from evenhand.core.review.agreement import Agreement, agree
from evenhand.core.review.feedback import Feedback
from evenhand.core.review.gathering import Gathered, GatheredStratum, pair_strata
from evenhand.core.review.grounds import GroundingPermission
from evenhand.core.review.job import AgentJob
from evenhand.core.review.labels import SaidLabel, people_say
from evenhand.core.review.rates import Exclusion, PairedStrata, Rates
from evenhand.core.review.states import ArtifactKind
from evenhand.core.review.strata import require_one
from evenhand.core.review.trail import FeedbackTrail, Trail
from evenhand.usecases.ports import UnitOfWork
from evenhand.usecases.reviews.grounding import labelled_cohort, permission
from evenhand.usecases.reviews.telling import JOB_KIND, require_visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Strata:
    """Every stratum of a project by itself.

    Attributes:
        strata: rates of each, by stratum.
        permissions: whether what it found may be told as grounded, by stratum.
        rows: how many rows there are, in a stratum or in none.
        excluded: rows that are in none, by reason.
    """

    strata: tuple[Rates, ...]
    permissions: Mapping[str, GroundingPermission]
    rows: int
    excluded: Mapping[Exclusion, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumRates:
    """One stratum, and the one that it is held against.

    Attributes:
        rates: of the stratum.
        other: of the other one, by itself; None where none was asked for.
        paired: the two over the same cases; None where none was asked for.
        permissions: whether what they found may be told as grounded, by stratum.
        excluded: rows of the project that are in no stratum, by reason.
    """

    rates: Rates
    other: Rates | None
    paired: PairedStrata | None
    permissions: Mapping[str, GroundingPermission]
    excluded: Mapping[Exclusion, int]


def get_visible(uow: UnitOfWork, job_id: str, *, principal: Principal) -> AgentJob:
    """A job that a caller may read.

    Raises:
        ReviewNotFound: there is none, or it is somebody else's.
    """
    found = uow.review_jobs.find(job_id)
    if found is None:
        raise ReviewNotFound(JOB_KIND)
    require_visible(found, principal)
    return found


def get_feedback(uow: UnitOfWork, feedback_id: str, *, principal: Principal) -> FeedbackTrail:
    """Feedback that a caller may read, with what is known of it.

    Raises:
        ReviewNotFound: there is none, or its review is somebody else's.
    """
    found = uow.feedback.get(feedback_id)
    job = uow.review_jobs.find(found.job_id)
    try:
        if job is not None:
            require_visible(job, principal)
    except ReviewNotFound:
        raise ReviewNotFound("feedback") from None
    return _feedback(uow, found)


def trail_of(uow: UnitOfWork, job: AgentJob) -> Trail:
    """Everything that is stored of a review."""
    asked = job.submission
    is_answer = asked.artifact_kind is ArtifactKind.ANSWER
    return Trail(
        job=job,
        transitions=uow.review_jobs.list_transitions(job.id),
        attempts=uow.review_jobs.list_attempts(job.id),
        usage=uow.review_jobs.list_usage(job.id),
        revisions=uow.practices.list_admitted(job.id, job.attempt),
        observations=uow.observations.list_of(job.id),
        rejections=uow.observations.list_rejections(job.id),
        feedback=tuple(_feedback(uow, one) for one in uow.feedback.list_of(job.id)),
        acceptances=uow.feedback.list_acceptances(asked.project_id, asked.artifact_id)
        if is_answer
        else (),
    )


def find_trail(uow: UnitOfWork, job_id: str) -> Trail:
    """The trail of a review, for whoever can read the database.

    Raises:
        ReviewNotFound: there is none.
    """
    found = uow.review_jobs.find(job_id)
    if found is None:
        raise ReviewNotFound(JOB_KIND)
    return trail_of(uow, found)


def strata_of(uow: UnitOfWork, project_id: str) -> Strata:
    """Every stratum of a project, each by itself; there is no total over them."""
    found = Gathered(uow.review_rates.iterate_rows(project_id))
    rates = tuple(found.strata[stratum].rates for stratum in sorted(found.strata))
    return Strata(
        strata=rates,
        permissions=_permissions(uow, rates),
        rows=found.rows,
        excluded=dict(found.excluded),
    )


def stratum_rates(
    uow: UnitOfWork, project_id: str, strata: Sequence[str], other: Sequence[str] = ()
) -> StratumRates:
    """Rates of one stratum; with another one, both over the same cases, each by itself.

    Args:
        uow: an open transaction.
        project_id: whose.
        strata: the one that is asked for.
        other: the one that it is held against; empty for none.

    Raises:
        StrataNotMerged: more than one stratum was named in one place.
        ReviewNotFound: the project has no such stratum (``stratum_not_found``).
    """
    wanted = require_one(strata)
    beside = require_one(other) if other else None
    found = Gathered(uow.review_rates.iterate_rows(project_id))
    mine = _stratum(found, wanted)
    theirs = None if beside is None else _stratum(found, beside)
    shown = [one.rates for one in (mine, theirs) if one is not None]
    return StratumRates(
        rates=shown[0],
        other=None if theirs is None else shown[1],
        permissions=_permissions(uow, shown),
        paired=None if theirs is None else pair_strata(mine, theirs),
        excluded=dict(found.excluded),
    )


def agreement_of(
    uow: UnitOfWork,
    project_id: str,
    strata: Sequence[str],
    labels: Mapping[str, Sequence[SaidLabel]],
) -> Agreement:
    """How one stratum agrees with labels that are not stored, over the cases that both labelled.

    Args:
        uow: an open transaction.
        project_id: whose.
        strata: the one that is asked for.
        labels: of people, by revision; those of other criteria than the stratum's say nothing.

    Raises:
        StrataNotMerged: more than one stratum was named.
        ReviewNotFound: the project has no such stratum (``stratum_not_found``).
    """
    wanted = require_one(strata)
    found = _stratum(Gathered(uow.review_rates.iterate_rows(project_id)), wanted)
    of = labelled_cohort(found.identities)
    said = people_say(of, labels.get(of.practice_revision_id, ()))
    return agree(of.practice_revision_id, found.cases, said.cases)


def _permissions(uow: UnitOfWork, shown: Sequence[Rates]) -> dict[str, GroundingPermission]:
    return {one.stratum: permission(uow, one.identities) for one in shown}


def _stratum(found: Gathered, stratum: str) -> GatheredStratum:
    if stratum not in found.strata:
        raise ReviewNotFound("stratum")
    return found.strata[stratum]


def _feedback(uow: UnitOfWork, one: Feedback) -> FeedbackTrail:
    return FeedbackTrail(
        feedback=one,
        placements=uow.feedback.list_placements(one.id),
        dispatches=uow.feedback.list_dispatches(one.id),
        reactions=uow.feedback.list_reactions(one.id),
    )
