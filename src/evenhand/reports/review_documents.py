"""What are reviews as JSON? What the API of a hub tells of them, and the whole trail of one."""

from __future__ import annotations

from typing import Any

from evenhand.core.review.agreement import Agreement
from evenhand.core.review.attempt import Attempt, Transition
from evenhand.core.review.grounds import RecordedAgreement, Waiver
from evenhand.core.review.practice import PracticeRevision
from evenhand.core.review.trail import Trail
from evenhand.core.review.usage import Usage
from evenhand.usecases.reviews.reading import Strata, StratumRates
from evenhand.wire.agent_jobs import job_to_wire
from evenhand.wire.grounding import agreement_to_wire, waiver_to_wire
from evenhand.wire.practices import revision_to_wire
from evenhand.wire.review_attempts import observation_to_wire
from evenhand.wire.review_feedback import acceptance_to_wire, detail_to_wire
from evenhand.wire.reviews import strata_to_wire, stratum_to_wire


def strata_document(found: Strata) -> Any:
    """Every stratum by itself, as ``GET /reviews/strata`` answers."""
    told = strata_to_wire(
        found.strata,
        permissions=found.permissions,
        rows=found.rows,
        excluded=found.excluded,
    )
    return told.model_dump(mode="json")


def stratum_document(found: StratumRates) -> Any:
    """One stratum, as ``GET /reviews/rates`` answers."""
    told = stratum_to_wire(
        found.rates,
        other=found.other,
        paired=found.paired,
        permissions=found.permissions,
        excluded=found.excluded,
    )
    return told.model_dump(mode="json")


def revision_document(one: PracticeRevision) -> Any:
    """A revision of a practice, as the API answers."""
    return revision_to_wire(one).model_dump(mode="json")


def agreement_document(one: Agreement) -> dict[str, Any]:
    """How reviews agree with people, as a JSON value; null is unknown."""
    return {
        "practice_revision_id": one.revision_id,
        "n": one.n,
        "raw_agreement": None if one.raw is None else float(one.raw),
        "kappa": None if one.kappa is None else float(one.kappa),
        "both_good": one.both_good,
        "both_bad": one.both_bad,
        "only_reviewer_good": one.only_reviewer_good,
        "only_human_good": one.only_human_good,
        "labelled_by_one_only": one.excluded,
        "is_enough": one.is_enough,
    }


def recorded_document(one: RecordedAgreement) -> Any:
    """A recorded agreement, as the API answers."""
    return agreement_to_wire(one).model_dump(mode="json")


def waiver_document(one: Waiver) -> Any:
    """A waiver, as the API answers."""
    return waiver_to_wire(one).model_dump(mode="json")


def trail_document(trail: Trail) -> dict[str, Any]:
    """One review with everything that is stored of it; null is unknown."""
    prepared, answers = trail.job.prepared, trail.acceptances
    return {
        "job": job_to_wire(trail.job).model_dump(mode="json"),
        "evidence_snapshot": None if prepared is None else prepared.evidence,
        "readiness": None if prepared is None else prepared.readiness,
        "practice_revisions": list(map(revision_document, trail.revisions)),
        "transitions": list(map(_transition, trail.transitions)),
        "attempts": list(map(_attempt, trail.attempts)),
        "usage": list(map(_usage, trail.usage)),
        "observations": [
            observation_to_wire(one).model_dump(mode="json") for one in trail.observations
        ],
        "rejections": [
            {"position": one.position, "reason": one.reason.value} for one in trail.rejections
        ],
        "feedback": [detail_to_wire(one).model_dump(mode="json") for one in trail.feedback],
        "accepted": answers[-1].accepted if answers else None,
        "acceptances": [acceptance_to_wire(one).model_dump(mode="json") for one in answers],
    }


def _transition(one: Transition) -> dict[str, Any]:
    return {
        "at": one.at.isoformat(),
        "attempt": one.attempt,
        "from_state": None if one.from_state is None else one.from_state.value,
        "to_state": one.to_state.value,
        "actor": {"kind": one.actor_kind, "id": one.actor_id},
        "reason": one.reason,
    }


def _attempt(one: Attempt) -> dict[str, Any]:
    output = one.candidates
    return {
        "attempt": one.attempt,
        "worker": one.worker,
        "claimed_at": None if one.claimed_at is None else one.claimed_at.isoformat(),
        "prepared_at": None if one.prepared_at is None else one.prepared_at.isoformat(),
        "execution_started_at": None if one.started_at is None else one.started_at.isoformat(),
        "ended_at": one.ended_at.isoformat(),
        "outcome": one.outcome.value,
        "error_class": one.error_class,
        "config_digest": one.config_digest,
        "prompt_digest": one.prompt_digest,
        "inputs_digest": one.inputs_digest,
        "candidates": None
        if output is None
        else {
            "seen": output.seen,
            "persisted": output.persisted,
            "rejected": output.rejected,
            "unreadable": output.unreadable,
        },
    }


def _usage(one: Usage) -> dict[str, Any]:
    tokens = one.tokens
    return {
        "attempt": one.attempt,
        "model": one.model,
        "calls": one.calls,
        "tokens": {
            "input": tokens.input,
            "cached_input": tokens.cached_input,
            "output": tokens.output,
        },
        "source": one.source.value,
        "pricing": one.pricing.value,
        "cost": None if one.cost is None else str(one.cost),
    }
