"""A consumer claims a comparison, once, and says how far it has come and that it ends.

Whoever calls is a service client; to one of another project a comparison is unknown, and to
another one of its own project it is forbidden. Then time decides, then the token, then the state
(statements C.3): `hold` is that order, and every verb of a claim's holder begins with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evenhand.core.access.credential import token_digest
from evenhand.core.access.roles import Principal
from evenhand.core.comparison import holder
from evenhand.core.comparison.intent import Intent, IntentState, claim, observe
from evenhand.core.errors.comparison import (
    ComparisonNotFound,
    NotDesignatedClient,
    already_terminal,
)
from evenhand.core.retrieval.suite_revision import SuiteCase
from evenhand.usecases.intents.targets import require_unchanged
from evenhand.usecases.intents.telling import interrupt, tell
from evenhand.usecases.ports import Ids, Refused, UnitOfWork

_WRONG_TOKEN = "wrong_claim_token"  # noqa: S105 -- a code


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A comparison whose claim the caller has proved.

    Attributes:
        intent: as it is stored, and held until the transaction ends.
        now: of the database; the claim is alive then, or has ended with its digest kept.
    """

    intent: Intent
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A claim.

    Attributes:
        intent: as it is from now on.
        cases: what is to be asked, by position; labels and all.
    """

    intent: Intent
    cases: tuple[SuiteCase, ...]


def find_assigned(uow: UnitOfWork, intent_id: str, *, principal: Principal) -> Intent:
    """A comparison that the caller is to carry out, held until the transaction ends.

    Raises:
        ComparisonNotFound: there is none, or it is of another project.
        NotDesignatedClient: another client of the project is to do so.
    """
    intent = uow.intents.find_locked(intent_id)
    if intent is None or intent.pins.project_id != principal.project_id:
        raise ComparisonNotFound
    if intent.pins.client_id != principal.client_id:
        raise NotDesignatedClient
    return intent


def claim_intent(
    uow: UnitOfWork, intent_id: str, *, token: str, principal: Principal, ids: Ids
) -> Claimed | Refused:
    """Take a comparison, for the only time.

    Args:
        uow: the open transaction.
        intent_id: which one.
        token: what the caller is to be told where it succeeds; only its digest is kept.
        principal: who asks.
        ids: of the rows.

    Raises:
        ComparisonNotFound, NotDesignatedClient: as `find_assigned`.
        AlreadyClaimed: somebody has it, be it the caller itself.
        Fenced: it has ended.
        TargetChanged: what was pinned is not as it was; it stays as it is.

    Source: statements C-26, C-37, C-47, C-53 to C-55, G-41, G-43, G-49.
    """
    intent = find_assigned(uow, intent_id, principal=principal)
    now = uow.now()
    if observe(intent, now) is not intent:
        interrupt(uow, [intent], now=now, ids=ids)
        return Refused(already_terminal())
    made = claim(intent, token_digest=token_digest(token), now=now)
    require_unchanged(uow, intent.pins)
    cases = uow.suites.list_cases(
        intent.pins.suite_revision_id, after=-1, limit=intent.pins.case_count
    )
    uow.intents.save(intent, made)
    tell(uow, intent, made, action="claim", at=now, actor=principal.actor, ids=ids)
    return Claimed(intent=made, cases=cases)


def hold(
    uow: UnitOfWork, intent_id: str, *, token: str, principal: Principal, ids: Ids
) -> Held | Refused:
    """A comparison whose claim the caller proves by its token.

    A claim whose time is over is ended, and a wrong token is told of in the audit, although the
    call is refused.

    Args:
        uow: the open transaction.
        intent_id: which one.
        token: as it was sent.
        principal: who asks.
        ids: of the rows.

    Raises:
        ComparisonNotFound, NotDesignatedClient: as `find_assigned`.
        Fenced: it was not claimed, or ended before there was a claim, or was interrupted.

    Source: statements C-38 to C-40, C-105, C-106, G-38, G-40, G-60.
    """
    intent = find_assigned(uow, intent_id, principal=principal)
    now = uow.now()
    refusal = holder.refusal_of_holder(intent, token, now)
    if refusal is None:
        return Held(intent=intent, now=now)
    if interrupt(uow, [intent], now=now, ids=ids):
        return Refused(refusal)
    if refusal.code == _WRONG_TOKEN:
        tell(uow, intent, intent, action="refuse_token", at=now, actor=principal.actor, ids=ids)
        return Refused(refusal)
    raise refusal


def report_progress(
    uow: UnitOfWork,
    held: Held,
    *,
    current: int,
    candidate: int,
) -> Intent:
    """Renew the lease and keep how many cases are done; of the same version.

    Args:
        uow: the open transaction.
        held: of `hold`.
        current: cases done on the current side.
        candidate: the same of the candidate.

    Raises:
        CountsTooLarge, CountsDecreased, Fenced: see `core.comparison.holder.progress`.

    Source: statements C-61 to C-66, G-50.
    """
    made = holder.progress(held.intent, current=current, candidate=candidate, now=held.now)
    uow.intents.save_held(held.intent, made, now=held.now)
    return made


def finish_intent(
    uow: UnitOfWork,
    held: Held,
    *,
    outcome: holder.Outcome,
    error_code: str | None,
    principal: Principal,
    ids: Ids,
) -> Intent:
    """End a claim without a result; the same end reported again changes nothing.

    Args:
        uow: the open transaction.
        held: of `hold`.
        outcome: that it failed, or that a cancellation is acknowledged.
        error_code: why it failed.
        principal: who asks.
        ids: of the rows.

    Raises:
        ResultConflict: it has ended with another report.
        Fenced: no cancellation was requested that could be acknowledged.

    Source: statements C-40, C-100 to C-102, G-37.
    """
    intent = held.intent
    if holder.is_finished(intent, outcome=outcome, error_code=error_code):
        return intent
    made = holder.finish(intent, outcome=outcome, error_code=error_code, now=held.now)
    uow.intents.save_held(intent, made, now=held.now)
    action = "fail" if outcome is IntentState.FAILED else "cancel"
    tell(uow, intent, made, action=action, at=held.now, actor=principal.actor, ids=ids)
    return made
