"""What came of a selected model comparison, in numbers and words, and case by case.

Without ``comparable`` a difference has no place here: the lines have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evenhand.console.addresses import (
    compare_address,
    evaluation_address,
    gateway_request_address,
)
from evenhand.core.comparison.concluded import Concluded, Evidence
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.summary import EvaluationSummary, MeasureLine
from evenhand.core.retrieval.golden import is_holdout_identifier
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.core.scoring.protocols import TOP_K
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_id, shown_text

#: Measure of a summary → as reports spell it, and what is said beside it.
_MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "success_at_1": ("Success@1", "answerable cases"),
    "success_at_3": ("Success@3", "answerable cases"),
    "reciprocal_rank_at_3": ("RR@3", "answerable cases"),
    "abstention": ("Abstention", "no-answer cases"),
    "false_abstention": ("False abstention", "answerable cases; lower is better"),
    "top1": ("top1", "pooled; not a headline"),
    "top3": ("top3", "pooled; not a headline"),
}
_NO_BOUND: Final = "no interval"
_REASONS: Final[Mapping[str, str]] = {
    "not_comparable": "the two sides are not comparable",
    "failed_cases": "cases failed",
    "critical_regression": "a critical case that current hits within three is lost",
}
_DROPPED: Final = "_dropped"
_ELIGIBLE: Final = (
    "Nothing in this comparison speaks against the candidate. Nothing was put into production; "
    "that is decided elsewhere."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure.

    Attributes:
        name, scope: what is measured, over what.
        current, candidate: the means.
        difference, bound: candidate less current, and how low that may really be; both empty
            unless the sides are comparable.
    """

    name: str
    scope: str
    current: str
    candidate: str
    difference: str
    bound: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    """What one side did.

    Attributes:
        name: of the side.
        failed: cases that failed, of all.
        abstained: of the cases that nothing answers, to how many nothing came back.
        basis: who saw the rankings come into being.
        evaluation: address of its evaluation; empty where that was purged.
        evaluation_id: its id; empty likewise.
    """

    name: str
    failed: str
    abstained: str
    basis: str
    evaluation: str
    evaluation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultView:
    """What came of it.

    Attributes:
        state: the verdict's state, by which it is drawn.
        headline: the answer in a few words.
        sentence: what that means.
        reasons: why it is not eligible, or not comparable; empty where it is.
        is_comparable, is_complete, is_eligible: the three answers.
        rows: measures.
        sides: current, then candidate.
        critical: critical regressions, in words.
        tolerance: how far a measure may fall.
        compare: address of the page that compares both evaluations; empty where one is gone.
    """

    state: str
    headline: str
    sentence: str
    reasons: tuple[str, ...]
    is_comparable: bool
    is_complete: bool
    is_eligible: bool
    rows: tuple[MeasureRow, ...]
    sides: tuple[SideResult, ...]
    critical: str
    tolerance: str
    compare: str


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


def result_view(concluded: Concluded, case_count: int) -> ResultView:
    """What came of a completed comparison.

    Args:
        concluded: as it is stored.
        case_count: of the suite.
    """
    summary, ids = concluded.summary, concluded.evaluation_ids
    state, headline, sentence = _answer(summary)
    current, candidate = ids.get(LegName.CURRENT, ""), ids.get(LegName.CANDIDATE, "")
    return ResultView(
        state=state,
        headline=headline,
        sentence=sentence,
        reasons=tuple(map(_reason, summary.comparability_reasons + summary.eligibility_reasons)),
        is_comparable=summary.comparable,
        is_complete=summary.complete,
        is_eligible=summary.eligible,
        rows=tuple(_measure(line, is_shown=summary.comparable) for line in summary.lines),
        sides=tuple(_side(summary, leg, ids.get(leg, ""), case_count) for leg in LegName),
        critical=numbers.count(summary.critical_regressions, "critical regression"),
        tolerance=numbers.decimal(summary.tolerance),
        compare=compare_address(current, candidate) if current and candidate else "",
    )


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


def _answer(summary: EvaluationSummary) -> tuple[str, str, str]:
    if not summary.comparable:
        return (
            "mismatch",
            "Not comparable",
            "The two sides were not measured on an equal benchmark, so no difference is shown.",
        )
    if summary.eligible:
        return (
            "comparable",
            "Eligible",
            _ELIGIBLE,
        )
    if not summary.complete:
        return (
            "unknown",
            "Not complete",
            "Cases failed, and a failed case counts as a miss; the candidate is not eligible.",
        )
    return (
        "mismatch",
        "Not eligible",
        "The two sides may be compared, and this speaks against the candidate:",
    )


def _reason(code: str) -> str:
    if code in _REASONS:
        return _REASONS[code]
    if code.endswith(_DROPPED):
        name = code.removesuffix(_DROPPED)
        return f"{_MEASURES.get(name, (name, ''))[0]} fell by more than the tolerance"
    return shown_text(code.replace("_", " "))


def _measure(line: MeasureLine, *, is_shown: bool) -> MeasureRow:
    name, scope = _MEASURES[line.measure]
    bound = ""
    if is_shown:
        given = line.lower_bound
        bound = _NO_BOUND if given is None else numbers.signed(Fraction(given))
    return MeasureRow(
        name=name,
        scope=scope,
        current=numbers.decimal(line.current),
        candidate=numbers.decimal(line.candidate),
        difference=numbers.signed(line.delta) if is_shown else "",
        bound=bound,
    )


def _side(
    summary: EvaluationSummary, leg: LegName, evaluation_id: str, case_count: int
) -> SideResult:
    side = summary.current if leg is LegName.CURRENT else summary.candidate
    return SideResult(
        name=leg.value,
        failed=numbers.fraction_text(side.failed, case_count),
        abstained=numbers.fraction_text(side.abstained, summary.no_answer_cases)
        if summary.no_answer_cases
        else wording.NO_SUCH_RATE,
        basis=side.basis.value,
        evaluation=evaluation_address(evaluation_id) if evaluation_id else "",
        evaluation_id=evaluation_id,
    )


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
