"""What did both sides of a comparison do with each case, and which request proves it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.console.addresses import gateway_request_address
from evenhand.core.comparison.concluded import Evidence
from evenhand.core.comparison.pins import LegName
from evenhand.core.retrieval.golden import is_holdout_identifier
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K
from evenhand.reports import wording
from evenhand.reports.safe_text import shown_id, shown_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSide:
    """What one side did with a case.

    Attributes:
        outcome: in a few words.
        is_failed: whether it failed.
        request_id: of the gateway request that proves it; empty without one.
        request: address of that request; empty likewise.
    """

    outcome: str
    is_failed: bool
    request_id: str
    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """A case with both sides.

    Attributes:
        position: its place in the suite, from 1.
        id, question: the golden question.
        is_critical: whether losing it decides.
        is_lost: whether it is critical, current hits it within three and candidate does not.
        current, candidate: what each side did.
    """

    position: int
    id: str
    question: str
    is_critical: bool
    is_lost: bool
    current: CaseSide
    candidate: CaseSide


def case_rows(
    suite: FrozenSuite,
    outcomes: Mapping[LegName, Sequence[Outcome] | None],
    evidence: Evidence,
) -> tuple[CaseRow, ...] | None:
    """Every case with what either side did; None of a holdout part, whose cases are not shown.

    Args:
        suite: the frozen cases.
        outcomes: of each side by position; None where they were purged or not kept.
        evidence: which request proves which case.
    """
    if is_holdout_identifier(suite.revision.set_identifier):
        return None
    proved = {(one.leg, one.position): one.public_id for one in evidence.requests}
    return tuple(_case(case, outcomes, proved) for case in suite.cases)


def _case(
    case: SuiteCase,
    outcomes: Mapping[LegName, Sequence[Outcome] | None],
    proved: Mapping[tuple[LegName, int], str],
) -> CaseRow:
    question = case.question
    before = _at(outcomes.get(LegName.CURRENT), case.position)
    after = _at(outcomes.get(LegName.CANDIDATE), case.position)
    return CaseRow(
        position=case.position + 1,
        id=shown_id(question.id),
        question=shown_text(question.question),
        is_critical=question.critical,
        is_lost=question.critical and _is_lost(before, after),
        current=_case_side(before, proved.get((LegName.CURRENT, case.position))),
        candidate=_case_side(after, proved.get((LegName.CANDIDATE, case.position))),
    )


def _is_lost(before: Outcome | None, after: Outcome | None) -> bool:
    if before is None or after is None:
        return False
    return before.is_hit(TOP_K) and not after.is_hit(TOP_K)


def _case_side(outcome: Outcome | None, request_id: str | None) -> CaseSide:
    return CaseSide(
        outcome=_outcome(outcome),
        is_failed=_has_failed(outcome),
        request_id=request_id or "",
        request="" if request_id is None else gateway_request_address(request_id),
    )


def _at(outcomes: Sequence[Outcome] | None, position: int) -> Outcome | None:
    return None if outcomes is None or position >= len(outcomes) else outcomes[position]


def _has_failed(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.state is OutcomeState.FAILED


def _outcome(outcome: Outcome | None) -> str:
    if outcome is None:
        return wording.UNKNOWN
    if outcome.state is OutcomeState.FAILED:
        return f"failed ({shown_text(outcome.error_class or wording.UNKNOWN)})"
    if outcome.is_no_answer:
        return "abstained" if outcome.window == 0 else "something came back"
    first = outcome.first_target(TOP_K)
    if first is not None:
        return f"hit at {first}"
    return "nothing came back" if outcome.window == 0 else f"miss within {TOP_K}"
