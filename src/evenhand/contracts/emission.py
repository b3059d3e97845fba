"""When is a result final, and which event is it? What the pipeline emits, from facts alone.

A result is final when the later of retrieval and answer evaluation has ended, where it waits for
a person when that one has spoken too, or when its candidate became ineligible (E-05, E-06).
Before that there is no event (E-38), and of a run that only retrieved there never is one (G-67).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from evenhand.contracts.events import Event, EventOutcome
from evenhand.contracts.ingestion import grain_digest
from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K

_DIGITS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class PseudonymKey:
    """The key that pseudonyms are made with.

    Attributes:
        version: which one; what was made with it names it.
        value: 32 secret bytes.
    """

    version: str
    value: bytes

    def __repr__(self) -> str:
        return f"PseudonymKey(version={self.version!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What is known of one case of a candidate run.

    Attributes:
        project_id: whose it is.
        run_id: the candidate run.
        case_id: the case within it.
        retrieval_ended_at: when retrieval was evaluated; None while it is not.
        answer_ended_at: when the answer was evaluated; None while it is not.
        ineligible_at: when the candidate became ineligible; None while it has not.
        awaits_acceptance: whether it is final only once a person has said what they think.
        retrieval_score: as measured; None where retrieval was not evaluated.
        grounded: what the answer evaluation found; None where it has not ended.
        accepted: what a person said of the answer; None is unknown.
        accepted_at: when; None while nobody has.
        duration_ms: of the whole workflow.
        release: of what emits.
        retrieval_version: fingerprint of the variant.
        evaluator_version: protocol and revision of the rubric.
        prompt_version: None is unknown.
        benchmark: fingerprint; None is unknown.
        review_stratum: digest; None is unknown.
    """

    project_id: str
    run_id: str
    case_id: str
    retrieval_ended_at: datetime | None
    answer_ended_at: datetime | None
    ineligible_at: datetime | None = None
    awaits_acceptance: bool = False
    retrieval_score: float | None
    grounded: bool | None
    accepted: bool | None = None
    accepted_at: datetime | None = None
    duration_ms: float
    release: str
    retrieval_version: str
    evaluator_version: str
    prompt_version: str | None = None
    benchmark: str | None = None
    review_stratum: str | None = None


def build_event(result: CaseResult, key: PseudonymKey) -> Event | None:
    """The event of a result; None while it is not final.

    Args:
        result: what is known.
        key: for the pseudonyms of project and case.

    Returns:
        The same event whenever the same result is emitted again: its id is derived from the grain.

    Source: statements E-05, E-06, E-38, G-63 to G-67; settled 21.
    """
    final = _final(result)
    if final is None:
        return None
    at, outcome = final
    is_evaluated = outcome is EventOutcome.EVALUATED
    event = Event(
        timestamp_utc=at,
        event_id="",
        account_id=account_pseudonym(result.project_id, key),
        release=result.release,
        evaluation_id=_pseudonym("eval_", key, "case", result.run_id, result.case_id),
        retrieval_version=result.retrieval_version,
        evaluator_version=result.evaluator_version,
        retrieval_score=result.retrieval_score or 0.0,
        grounded=bool(result.grounded) and is_evaluated,
        duration_ms=result.duration_ms,
        accepted=result.accepted if is_evaluated else None,
        outcome=outcome,
        prompt_version=result.prompt_version,
        benchmark=result.benchmark,
        review_stratum=result.review_stratum,
    )
    event_id = f"evt_{grain_digest(result.project_id, event)[:_DIGITS]}"
    return msgspec.structs.replace(event, event_id=event_id)


def account_pseudonym(project_id: str, key: PseudonymKey) -> str:
    """The account under which a project's results are emitted."""
    return _pseudonym("acct_", key, "account", project_id)


def score_of(outcome: Outcome) -> float | None:
    """Reciprocal rank of the first target within the top three distinct documents.

    Returns:
        A value in [0, 1]; of a no-answer question 1 where nothing came back, else 0; None where
        retrieval was not evaluated.

    Source: DESIGN 10.
    """
    if outcome.state is not OutcomeState.SCORED or outcome.window is None:
        return None
    if outcome.is_no_answer:
        return 1.0 if outcome.window == 0 else 0.0
    first = outcome.first_target(TOP_K)
    return 0.0 if first is None else 1.0 / first


def _final(result: CaseResult) -> tuple[datetime, EventOutcome] | None:
    if result.ineligible_at is not None:
        return result.ineligible_at, EventOutcome.INELIGIBLE
    ends = [result.retrieval_ended_at, result.answer_ended_at]
    if result.awaits_acceptance:
        ends.append(result.accepted_at)
    if None in ends or result.grounded is None or result.retrieval_score is None:
        return None
    return max(end for end in ends if end is not None), EventOutcome.EVALUATED


def _pseudonym(prefix: str, key: PseudonymKey, *parts: str) -> str:
    message = json_ascii_v1(list(parts)).encode("ascii")
    return prefix + hmac.new(key.value, message, hashlib.sha256).hexdigest()[:_DIGITS]
