"""A consumer publishes both sides of a comparison: all of it is stored, or nothing.

Two evaluations, which one each side is, which gateway requests prove them, the summary, the end of
the intent and its entry of the audit are one transaction (C-85). The hub scores; what a consumer
sends are rankings and the ids of calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from evenhand.core.access.roles import Principal
from evenhand.core.comparison import holder
from evenhand.core.comparison.admission import Targets
from evenhand.core.comparison.concluded import Conclusion
from evenhand.core.comparison.evidence import (
    Window,
    Witnesses,
    consumed_requests,
    request_faults,
)
from evenhand.core.comparison.intent import Intent
from evenhand.core.comparison.legs import score_leg
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.report import ResultReport, case_faults
from evenhand.core.comparison.summary import summarise
from evenhand.core.errors import Invalid
from evenhand.core.errors.comparison import CaseFault, PinsMismatch, ReportRejected
from evenhand.core.privacy import PrivacyLevel, PrivacyPolicy
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.core.scoring.details import build_details, build_rankings
from evenhand.core.scoring.evaluation import Evaluation, build_record
from evenhand.usecases.intents.claiming import Held
from evenhand.usecases.intents.emitting import emit_ineligible
from evenhand.usecases.intents.targets import require_unchanged
from evenhand.usecases.intents.telling import tell
from evenhand.usecases.ports import Ids, ResultEmitter, UnitOfWork


def publish_result(  # noqa: PLR0913 -- what is stored, by keyword
    uow: UnitOfWork,
    held: Held,
    report: ResultReport,
    *,
    principal: Principal,
    ids: Ids,
    policy: PrivacyPolicy,
    release: str,
    emitter: ResultEmitter,
) -> Intent:
    """Score and store both sides; the same result sent again changes nothing, at any later time.

    Args:
        uow: the open transaction.
        held: of `usecases.intents.claiming.hold`.
        report: what was sent.
        principal: who asks.
        ids: of the rows.
        policy: what may be kept of it.
        release: version of the program that stores.
        emitter: emits the cases of a candidate that became ineligible.

    Raises:
        ResultConflict: another result was published.
        Fenced: it has ended otherwise, or its cancellation was requested.
        PinsMismatch: what was sent back is not the digest of the pins.
        TargetChanged: what was pinned is not as it was.
        ReportRejected: a case is missing, or a gateway request does not prove its case.

    Source: statements C-27, C-39, C-67 to C-87, G-36, G-43, G-51 to G-55.
    """
    intent, now, digest = held.intent, held.now, report.digest
    if holder.is_published(intent, digest):
        return intent
    holder.require_uncancelled(intent)
    if report.pins_digest != intent.pins.digest:
        raise PinsMismatch
    targets = require_unchanged(uow, intent.pins)
    suite = _suite(uow, intent)
    _require_proved(uow, report, suite, intent, now)
    legs = _score(report, suite, intent, targets, now)
    conclusion = Conclusion(
        evaluation_ids={
            name: _store(uow, leg, at=now, id=ids.new(), policy=policy, release=release)
            for name, leg in legs.items()
        },
        consumer_revision_sha256=report.consumer_revision_sha256,
        requests=consumed_requests(report, suite.cases),
        summary=summarise(legs[LegName.CURRENT], legs[LegName.CANDIDATE]),
    )
    made = holder.complete(intent, result_digest=digest, now=now)
    uow.intents.conclude(intent, conclusion)
    if not conclusion.summary.eligible and PrivacyLevel(policy.level).keeps_outcomes:
        emit_ineligible(
            uow,
            intent,
            legs[LegName.CANDIDATE],
            evaluation_id=conclusion.evaluation_ids[LegName.CANDIDATE],
            suite=suite,
            at=now,
            emitter=emitter,
            release=release,
        )
    uow.intents.save_held(intent, made, now=now)
    tell(uow, intent, made, action="complete", at=now, actor=principal.actor, ids=ids)
    return made


def _suite(uow: UnitOfWork, intent: Intent) -> FrozenSuite:
    found = uow.suites.find_revision(intent.pins.suite_revision_id)
    if found is None:
        # The database itself refers to it.
        raise Invalid("suite_revision_id: the revision is not there any more")
    return found


def _require_proved(
    uow: UnitOfWork, report: ResultReport, suite: FrozenSuite, intent: Intent, now: datetime
) -> None:
    """Nothing, where the report holds every case once and its requests prove them."""
    _reject(list(case_faults(report, suite.cases)))
    named = {public_id for name in LegName for public_id in report.leg(name).requests.values()}
    witnesses = Witnesses(
        found=uow.gateway_requests.find_all(named), consumed=uow.intents.find_consumed(named)
    )
    began, deadline = intent.claimed_at or now, intent.deadline_at or now
    window = Window(begins=began, ends=min(now, deadline))
    _reject(list(request_faults(report, suite.cases, witnesses, pins=intent.pins, window=window)))


def _reject(faults: Sequence[CaseFault]) -> None:
    if faults:
        raise ReportRejected(faults)


def _score(
    report: ResultReport, suite: FrozenSuite, intent: Intent, targets: Targets, now: datetime
) -> dict[LegName, Evaluation]:
    served = {LegName.CURRENT: targets.current, LegName.CANDIDATE: targets.candidate}
    return {
        name: score_leg(
            suite,
            report,
            name,
            pins=intent.pins,
            # Of two projects each has its own series, whatever its deployments are called.
            retriever=f"{targets.project.name}/{served[name].deployment.name}",
            at=now,
        )
        for name in LegName
    }


def _store(
    uow: UnitOfWork,
    leg: Evaluation,
    *,
    at: datetime,
    id: str,  # noqa: A002 -- the field's name
    policy: PrivacyPolicy,
    release: str,
) -> str:
    """Insert the evaluation of a side with what the privacy level keeps; its id."""
    level = PrivacyLevel(policy.level)
    uow.evaluations.add(
        build_record(leg, id=id, created_at=at, privacy=level, release=release),
        outcomes=leg.outcomes if level.keeps_outcomes else None,
        rankings=build_rankings(leg, policy),
        details=build_details(leg, policy),
    )
    return id
