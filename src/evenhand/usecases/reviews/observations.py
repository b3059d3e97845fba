"""Take in what a review found: one payload a job, each candidate kept or refused with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.core.access.roles import Principal
from evenhand.core.errors.review import JobFenced
from evenhand.core.privacy import PrivacyPolicy, kept_text
from evenhand.core.review.admission import Admission
from evenhand.core.review.candidates import Accepted, Rejection, sort_candidates
from evenhand.core.review.evidence import read_evidence
from evenhand.core.review.job import AgentJob
from evenhand.core.review.observation import Observation, occurrence_key, recurrence_key
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.reviews.attempts import Holder
from evenhand.usecases.reviews.telling import get_own


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What came of a payload.

    Attributes:
        admission: that it was handed in.
        observations: what was kept, by position.
        rejections: what was refused, by position.
        is_new: whether this call stored it.
    """

    admission: Admission
    observations: tuple[Observation, ...]
    rejections: tuple[Rejection, ...]
    is_new: bool


def admit(  # noqa: PLR0913 -- what is handed in, by keyword
    uow: UnitOfWork,
    job_id: str,
    *,
    holder: Holder,
    candidates: Sequence[object] | None,
    payload_digest: str,
    principal: Principal,
    ids: Ids,
    policy: PrivacyPolicy,
) -> Admitted:
    """Keep what a review found, or find what the same payload stored before.

    Privacy is applied here, before anything becomes a row.

    Args:
        uow: the open transaction.
        job_id: of the job.
        holder: who says so.
        candidates: as decoded from JSON; None for output that could not be read.
        payload_digest: of the candidates (the C-92 rule).
        principal: who asks.
        ids: of the rows.
        policy: what may be kept of texts.

    Raises:
        ReviewNotFound, JobFenced: see `attempts.prepare`; execution has not begun.
        ObservationsConflict: the job handed in something else before.
        Exception: whatever a custom policy raises; then nothing is stored.
    """
    job = get_own(uow, job_id, principal)
    before = uow.observations.find_admission(job_id)
    if before is not None:
        job.require_token(worker=holder.worker, attempt=holder.attempt, token=holder.token)
        before.require_same(payload_digest)
        return _told(uow, before, is_new=False)
    now = uow.now()
    job.require_holder(worker=holder.worker, attempt=holder.attempt, token=holder.token, now=now)
    if job.started_at is None or job.prepared is None:
        raise JobFenced("job_not_prepared", "nothing was executed that could have found anything")
    evidence = read_evidence(job.prepared.evidence, job.prepared.readiness)
    found = sort_candidates(candidates, evidence)
    admission = Admission(
        job_id=job.id,
        attempt=job.attempt,
        payload_digest=payload_digest,
        counts=found.counts,
        created_at=now,
    )
    kept = [_observation(job, one, admission, ids=ids, policy=policy) for one in found.accepted]
    uow.observations.add(admission, kept, found.rejected)
    return _told(uow, admission, is_new=True)


def _observation(
    job: AgentJob, one: Accepted, admission: Admission, *, ids: Ids, policy: PrivacyPolicy
) -> Observation:
    asked, finding = job.submission, one.finding
    kind = asked.artifact_kind.value
    return Observation(
        id=ids.new(),
        job_id=job.id,
        attempt=job.attempt,
        practice_revision_id=one.revision_id,
        position=one.position,
        occurrence_key=occurrence_key(
            practice_slug=finding.practice,
            position=one.position,
            artifact_kind=kind,
            artifact_id=asked.artifact_id,
            job_id=job.id,
        ),
        recurrence_key=recurrence_key(
            practice_slug=finding.practice,
            artifact_kind=kind,
            artifact_id=asked.artifact_id,
            subject_id=asked.subject_id,
            first_evidence_path=finding.paths[0] if finding.paths else None,
        ),
        presence=finding.presence,
        assessment=finding.assessment,
        severity=finding.severity,
        summary=kept_text(policy, finding.summary),
        rationale=kept_text(policy, finding.rationale),
        paths=_kept_paths(policy, finding.paths),
        created_at=admission.created_at,
    )


def _kept_paths(policy: PrivacyPolicy, paths: tuple[str, ...]) -> tuple[str, ...] | None:
    """What privacy keeps of paths, which may name documents; all of them or none."""
    kept = [kept_text(policy, path) for path in paths]
    whole = [path for path in kept if path is not None]
    if len(whole) != len(paths) or not policy.level.keeps_run:
        return None
    return tuple(whole)


def _told(uow: UnitOfWork, admission: Admission, *, is_new: bool) -> Admitted:
    return Admitted(
        admission=admission,
        observations=uow.observations.list_of(admission.job_id),
        rejections=uow.observations.list_rejections(admission.job_id),
        is_new=is_new,
    )
