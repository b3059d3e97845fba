"""Take in a run that was carried out elsewhere, once; and say whether it may be compared.

The hub scores: what comes in are rankings, or rows of which the counts are made here. Whoever
sends the same again under the same key gets the record that was made of it (G-44).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import ALLOWED, Action, Principal, sees
from evenhand.core.comparison.baseline import baseline_verdict, require_size
from evenhand.core.errors.evaluation import EvaluationNotFound
from evenhand.core.errors.publication import IdempotencyConflict, IdempotencyRace, InvalidReport
from evenhand.core.errors.registry import ReferenceRefused, RegisteredNotFound
from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy, stricter
from evenhand.core.registry.project import Project, known_project, meant_project
from evenhand.core.registry.registered import Noun
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Basis, EvaluationRecord, build_record
from evenhand.core.scoring.graded import StoredScore
from evenhand.core.scoring.protocols import GRADER
from evenhand.core.scoring.publication import Publication
from evenhand.core.scoring.reported import (
    UNKNOWN_CONDITIONS,
    ReportedAnswer,
    Stated,
    score_answers,
)
from evenhand.core.scoring.reported_rows import (
    DescribedSet,
    ReportedResult,
    ReportedRow,
    score_rows,
)
from evenhand.core.verdict import Verdict
from evenhand.usecases.ports import Ids, ResultEmitter, UnitOfWork, UnitOfWorkRunner

T = TypeVar("T")

#: What the audit calls it.
OBJECT_KIND: Final = "evaluation"
_VERB: Final = "publish"
_REVISION: Final = "suite_revision"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run as a client reports it.

    Attributes:
        key: of this call and its retries.
        digest: of what was sent, plain hex.
        asked: the set, or what is told of it; None where it is a suite revision.
        suite_revision_id: what was asked; None where `asked` says it.
        stated: what is stated beside the results.
        answers: a ranking for each question; None where rows were sent.
        rows: a row for each question, by position; None where rankings were sent.
    """

    key: str
    digest: str
    asked: GoldenSet | DescribedSet | None
    suite_revision_id: str | None
    stated: Stated
    answers: tuple[ReportedAnswer, ...] | None
    rows: tuple[ReportedRow, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What is stored of a run that came over the network.

    Attributes:
        record: the row.
        publication: how it came.
        verdict: whether it may be compared with the one that was published before it.
        previous: that one, None where there is none.
        is_new: whether this call stored it.
    """

    record: EvaluationRecord
    publication: Publication
    verdict: Verdict
    previous: EvaluationRecord | None
    is_new: bool


def publish(  # noqa: PLR0913 -- what one row is made of, by keyword
    uow: UnitOfWork,
    report: Report,
    *,
    project: str | None,
    principal: Principal,
    ids: Ids,
    policy: PrivacyPolicy,
    release: str,
    emitter: ResultEmitter,
) -> Published:
    """Score a reported run and store it, or find what the same call stored before.

    Results of answers whose reviews have ended are final now, and emitted with it (E-05).
    The key is looked up before any rule is applied, so that a retry succeeds whatever has changed
    meanwhile. Privacy is applied here, before anything becomes a row.

    Args:
        uow: the open transaction.
        report: what was sent.
        project: id or name of the project that it belongs to; None is a service client's own.
        principal: who sends it.
        ids: of the rows.
        policy: what may be kept.
        release: version of the program that stores.
        emitter: emits what this makes final.

    Raises:
        RegisteredNotFound: there is no such project, or it is not the service client's own; no
            such suite revision, or it is another project's.
        ReferenceRefused: the project is not active.
        IdempotencyConflict: the key was used for something else, or by somebody whose record the
            caller may not know of.
        IdempotencyRace: another call with this key is being stored at this very moment.
        InvalidReport, NothingScored: see `core.scoring.reported`.
        Exception: whatever a custom policy raises; then nothing is stored.
    """
    owner = _project(uow, project, principal)
    before = uow.publications.find_by_key(owner.id, report.key)
    if before is not None:
        if not sees(principal, client_id=before.client_id):
            # Not even whether the same was sent: that tells of what another one wrote.
            raise IdempotencyConflict
        before.require_same(report.digest)
        return _told(uow, uow.evaluations.get(before.evaluation_id), before, is_new=False)
    if not owner.active:
        raise ReferenceRefused(Noun.PROJECT.value, is_known=True)
    asked = _asked(uow, report, owner)
    made = _Made(id=ids.new(), release=release, project_id=owner.id, client_id=principal.client_id)
    record = _store(uow, report, asked, made=made, policy=policy)
    publication = Publication(
        evaluation_id=record.id,
        project_id=owner.id,
        suite_revision_id=report.suite_revision_id,
        client_id=principal.client_id,
        credential_id=principal.credential_id,
        idempotency_key=report.key,
        body_digest=report.digest,
        created_at=record.created_at,
    )
    uow.publications.add(publication)
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=record.created_at,
            actor=principal.actor,
            action=_VERB,
            object_kind=OBJECT_KIND,
            object_id=record.id,
            to_state="stored",
            code=record.basis.value,
            related_id=owner.id,
        )
    )
    emitter.run_published(uow, publication)
    return _told(uow, record, publication, is_new=True)


def once(database: UnitOfWorkRunner, work: Callable[[UnitOfWork], T]) -> T:
    """Run work whose key another call may be storing at this very moment, and once more then.

    Of two calls with one key the database lets one in; the other finds what it stored when it
    looks again.

    Raises:
        IdempotencyRace: it was lost again, which only a purge in between can bring about.
    """
    try:
        return database.run(work)
    except IdempotencyRace:
        pass
    return database.run(work)


def get_visible(
    uow: UnitOfWork, evaluation_id: str, *, principal: Principal
) -> tuple[EvaluationRecord, Sequence[StoredScore]]:
    """An evaluation that a caller may know of, with its graded values.

    Raises:
        EvaluationNotFound: there is none, or the caller is a service client that did not send it.
    """
    record = uow.evaluations.get(evaluation_id)
    require_visible(uow, evaluation_id, principal=principal)
    return record, uow.scores.list_of(evaluation_id)


def require_visible(uow: UnitOfWork, evaluation_id: str, *, principal: Principal) -> None:
    """Nothing, where a caller may know of an evaluation.

    Raises:
        EvaluationNotFound: the caller is a service client that did not send it.
    """
    if Action.READ in ALLOWED[principal.role]:
        return
    found = uow.publications.find_by_evaluation(evaluation_id)
    if found is None or not sees(principal, client_id=found.client_id):
        raise EvaluationNotFound(evaluation_id)


def _project(uow: UnitOfWork, reference: str | None, principal: Principal) -> Project:
    """The project that is meant; to a service client every other one is unknown."""
    meant = meant_project(reference, principal)
    return known_project(uow.projects.find(meant) or uow.projects.find_named(meant), principal)


def _asked(uow: UnitOfWork, report: Report, owner: Project) -> GoldenSet | DescribedSet:
    """What was asked; a suite revision of another project is unknown."""
    if report.asked is not None:
        return report.asked
    found = uow.suites.find_revision(report.suite_revision_id or "")
    if found is None or found.project_id != owner.id:
        raise RegisteredNotFound(_REVISION)
    return found.golden_set


def _store(
    uow: UnitOfWork,
    report: Report,
    asked: GoldenSet | DescribedSet,
    *,
    made: _Made,
    policy: PrivacyPolicy,
) -> EvaluationRecord:
    """Score what was reported and insert it, with what the privacy level keeps."""
    level, at = PrivacyLevel(policy.level), uow.now()
    if report.answers is not None and isinstance(asked, GoldenSet):
        whole = score_answers(asked, report.stated, report.answers, at=at)
        record = build_record(
            whole, id=made.id, created_at=at, privacy=level, release=made.release
        )
        outcomes, rankings = whole.outcomes, build_rankings(whole, policy)
        details = build_details(whole, policy)
    else:
        scored = score_rows(asked, report.stated, report.rows or ())
        if isinstance(asked, DescribedSet):
            _require_size(uow, scored, made=made)
        # No ranking was seen, so none can be kept.
        level = stricter(level, PrivacyLevel.METADATA)
        record = _record_of_rows(scored, report.stated, made=made, at=at, level=level)
        outcomes, rankings, details = scored.outcomes, None, None
    uow.evaluations.add(
        record,
        outcomes=outcomes if level.keeps_outcomes else None,
        rankings=rankings,
        details=details,
    )
    return record


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """Of a new row: its id, the version of the program that stores it, and whose it is."""

    id: str
    release: str
    project_id: str
    client_id: str | None


def _require_size(uow: UnitOfWork, scored: ReportedResult, *, made: _Made) -> None:
    """Nothing, where a described set is as large as the same sender said before.

    Nobody else's result is looked at: neither may its size be told, nor may a wrong one stand in
    the way of a right one.

    Raises:
        InvalidReport: one benchmark with two numbers of questions.
    """
    if scored.identity is None:
        return
    found = uow.publications.has_other_size(
        project_id=made.project_id,
        client_id=made.client_id,
        set_identifier=scored.asked.identifier,
        benchmark=scored.identity.fingerprints.benchmark,
        counts=scored.counts,
    )
    if found:
        rule = "is that of another number of questions in a result that was sent before"
        raise InvalidReport("described_set.labels_fingerprint", rule, code="set_contradicted")


def _record_of_rows(
    scored: ReportedResult, stated: Stated, *, made: _Made, at: datetime, level: PrivacyLevel
) -> EvaluationRecord:
    asked = scored.asked
    return EvaluationRecord(
        id=made.id,
        created_at=at,
        set_identifier=asked.identifier,
        set_name=asked.name,
        retriever=stated.retriever,
        grader=GRADER,
        protocol=stated.protocol,
        basis=Basis.IMPORTED,
        depth=stated.depth,
        conditions=UNKNOWN_CONDITIONS,
        counts=scored.counts,
        privacy=level,
        identity=scored.identity,
        started_at=at,
        finished_at=at,
        release=made.release,
        qrels_digest=asked.qrels_digest,
    )


def _told(
    uow: UnitOfWork, record: EvaluationRecord, publication: Publication, *, is_new: bool
) -> Published:
    """What is stored, held against what the same writer sent to the project before it.

    Nobody else's result is looked at: the reasons of a verdict tell labels of both.
    """
    found = uow.publications.find_previous(publication, record)
    previous = None if found is None else uow.evaluations.get(found)
    verdict = baseline_verdict(
        record.identity,
        None if previous is None else previous.identity,
        has_previous=previous is not None,
    )
    if previous is not None:
        verdict = require_size(verdict, record.counts, previous.counts)
    return Published(
        record=record, publication=publication, verdict=verdict, previous=previous, is_new=is_new
    )
