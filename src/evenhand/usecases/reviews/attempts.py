"""Take an attempt from its preparation to its end: prepare, start, complete, give back.

Each step is the holder's alone: worker, number of the attempt and token must be those of the
claim, and the statement that writes looks at them again.
"""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.access.roles import Principal
from evenhand.core.errors import InvalidValue
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.errors.review import InvalidEvidence, JobFenced
from evenhand.core.identity.canonical import is_sha256
from evenhand.core.review.evidence import Evidence
from evenhand.core.review.job import AgentJob, Prepared
from evenhand.core.review.states import AttemptOutcome
from evenhand.core.review.usage import Rates, Tokens, Usage, UsageSource
from evenhand.usecases.ports import Ids, ResultEmitter, UnitOfWork
from evenhand.usecases.reviews.telling import end_attempt, get_own

_DIGEST_RULE = "must be 64 lowercase hex digits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """By what a worker says that it holds an attempt.

    Attributes:
        worker: its name.
        attempt: the number.
        token: of the claim.
    """

    worker: str
    attempt: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a worker says that its attempt used.

    Attributes:
        calls: of the model.
        tokens: as counted.
        source: by whom.
        rates: None where the price is unknown.
    """

    calls: int
    tokens: Tokens
    source: UsageSource
    rates: Rates | None


def prepare(  # noqa: PLR0913 -- what is captured, by keyword
    uow: UnitOfWork,
    job_id: str,
    *,
    holder: Holder,
    evidence: Evidence,
    prompt_digest: str | None,
    inputs_digest: str,
    principal: Principal,
) -> AgentJob:
    """Write down what an attempt is about to run with, all of it together, once.

    Args:
        uow: the open transaction.
        job_id: of the job.
        holder: who says so.
        evidence: what can be looked at, and which revisions are admitted.
        prompt_digest: root digest of the scaffolding; None exactly where nothing is ready.
        inputs_digest: of the files that are injected.
        principal: who asks.

    Raises:
        ReviewNotFound, JobFenced: see `telling.get_own` and `AgentJob.require_holder`.
        ReferenceRefused: a revision of a practice is not there, or another project's.
        InvalidEvidence: a revision is another practice's, of another kind of artifact, or says
            something else than whoever judges has.
        InvalidValue: a digest is none, or a prompt beside nothing that is ready.
    """
    job = _held(uow, job_id, holder, principal)
    if not is_sha256(inputs_digest):
        raise InvalidValue("inputs_digest", _DIGEST_RULE)
    if prompt_digest is not None and not is_sha256(prompt_digest):
        raise InvalidValue("prompt_digest", _DIGEST_RULE)
    if bool(evidence.ready) is (prompt_digest is None):
        raise InvalidValue("prompt_digest", "belongs to an attempt with a practice that is ready")
    _require_admitted(uow, job, evidence)
    prepared = job.with_preparation(
        Prepared(
            at=uow.now(),
            prompt_digest=prompt_digest,
            inputs_digest=inputs_digest,
            evidence=evidence.text,
            readiness=evidence.readiness,
        )
    )
    uow.review_jobs.save(job, prepared)
    uow.review_jobs.add_practices(prepared, evidence.practices)
    return prepared


def start(uow: UnitOfWork, job_id: str, *, holder: Holder, principal: Principal) -> AgentJob:
    """Note that execution is about to begin; from here on something may be spent.

    Raises:
        ReviewNotFound, JobFenced: as :func:`prepare`; nothing is prepared, or it was started.
    """
    job = _held(uow, job_id, holder, principal)
    started = job.started(now=uow.now())
    uow.review_jobs.save(job, started)
    return started


def complete(  # noqa: PLR0913 -- what is told of an end, by keyword
    uow: UnitOfWork,
    job_id: str,
    *,
    holder: Holder,
    outcome: AttemptOutcome,
    error_class: str | None,
    spent: Spent | None,
    principal: Principal,
    ids: Ids,
    emitter: ResultEmitter,
) -> AgentJob:
    """End a job, with what its last attempt used; the same end told again changes nothing.

    Where the run is there that the reviewed answer belongs to, the result is final, and its event
    is emitted in the same transaction (E-05).

    Args:
        uow: the open transaction.
        job_id: of the job.
        holder: who says so.
        outcome: reviewed, too little evidence, or failed.
        error_class: of a failure.
        spent: None where nothing was spent, or nobody knows.
        principal: who asks.
        ids: of the rows.
        emitter: emits what this makes final.

    Raises:
        ReviewNotFound, JobFenced: as :func:`prepare`; observations are missing of a review.
        InvalidValue: an error that does not go with the outcome; usage of what was not started.
    """
    job = get_own(uow, job_id, principal)
    if job.state.is_terminal and job.outcome is outcome:
        job.require_token(worker=holder.worker, attempt=holder.attempt, token=holder.token)
        return job
    _require_held(uow, job, holder)
    if outcome is AttemptOutcome.REVIEWED and uow.observations.find_admission(job.id) is None:
        rule = "a review is completed once its observations are handed in"
        raise JobFenced("job_not_prepared", rule)
    now = uow.now()
    ended = job.ended(outcome, now=now, error_class=error_class)
    _spend(uow, job, spent, ids=ids)
    end_attempt(uow, job, ended, actor=principal.actor, ids=ids, now=now, reason=None)
    emitter.review_ended(uow, ended)
    return ended


def requeue(  # noqa: PLR0913 -- what is told of an end, by keyword
    uow: UnitOfWork,
    job_id: str,
    *,
    holder: Holder,
    error_class: str,
    spent: Spent | None,
    principal: Principal,
    ids: Ids,
) -> AgentJob:
    """Give a job back, to be begun again after a while; what the attempt used stays told.

    Raises:
        ReviewNotFound, JobFenced: as :func:`prepare`; no attempt is left, or its observations are
            handed in.
        InvalidValue: usage of what was not started.
    """
    job = _held(uow, job_id, holder, principal)
    if uow.observations.find_admission(job.id) is not None:
        raise JobFenced("job_not_queued", "a job whose observations are handed in is completed")
    now = uow.now()
    ended = job.ended(AttemptOutcome.REQUEUED, now=now, error_class=error_class)
    _spend(uow, job, spent, ids=ids)
    end_attempt(uow, job, ended, actor=principal.actor, ids=ids, now=now, reason="retry")
    return ended


def _require_held(uow: UnitOfWork, job: AgentJob, holder: Holder) -> None:
    job.require_holder(
        worker=holder.worker, attempt=holder.attempt, token=holder.token, now=uow.now()
    )


def _held(uow: UnitOfWork, job_id: str, holder: Holder, principal: Principal) -> AgentJob:
    job = get_own(uow, job_id, principal)
    _require_held(uow, job, holder)
    return job


def _require_admitted(uow: UnitOfWork, job: AgentJob, evidence: Evidence) -> None:
    """Nothing, where every revision is the practice's and the project's; no time is looked at."""
    kind = job.submission.artifact_kind
    if evidence.artifact_kind is not kind:
        raise InvalidEvidence("artifact_kind", "must be that of the job")
    for one in evidence.practices:
        found = uow.practices.find_revision(one.revision_id)
        if found is None or found.project_id != job.submission.project_id:
            raise ReferenceRefused("practice_revision", field="practices.revision_id")
        if found.practice_name != one.slug:
            raise InvalidEvidence("practices.slug", "must be the name of the revision's practice")
        if found.criteria.artifact_kind is not kind:
            raise InvalidEvidence("practices.revision_id", "judges another kind of artifact")
        if one.text_sha256 not in (None, found.criteria.text_sha256):
            raise InvalidEvidence("practices.text_sha256", "must be of what the revision says")


def _spend(uow: UnitOfWork, job: AgentJob, spent: Spent | None, *, ids: Ids) -> None:
    if spent is None:
        return
    if job.started_at is None:
        raise InvalidValue("usage", "belongs to an attempt that was started")
    uow.review_jobs.add_usage(
        Usage(
            id=ids.new(),
            job_id=job.id,
            attempt=job.attempt,
            # Of the admitted configuration, never what an answer calls itself (BR-33).
            model=job.effective_snapshot.model,
            calls=spent.calls,
            tokens=spent.tokens,
            source=spent.source,
            rates=spent.rates,
            occurred_at=uow.now(),
        )
    )
