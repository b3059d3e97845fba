"""What came of a selected model comparison, in numbers and words.

Without ``comparable`` a difference has no place here: the lines have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evenhand.console.addresses import compare_address, evaluation_address
from evenhand.core.comparison.concluded import Concluded
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.summary import EvaluationSummary, MeasureLine
from evenhand.core.verdict import ReasonCode
from evenhand.reports import comparison_wording as comparing
from evenhand.reports import numbers, wording
from evenhand.reports.safe_text import shown_text

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
_HELD: Final = (
    "No case failed, no critical case was lost, and no measure fell by more than is tolerated."
)
_ELSEWHERE: Final = "Nothing was put into production; that is decided elsewhere."
_POOLED: Final = frozenset({"top1", "top3"})
_LESS_IS_BETTER: Final = "false_abstention"


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
        cases: of the suite.
        critical: critical cases that current hits within three and the candidate does not.
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
    cases: int
    critical: int
    tolerance: str
    compare: str


def result_view(concluded: Concluded, case_count: int) -> ResultView:
    """What came of a completed comparison.

    Args:
        concluded: as it is stored.
        case_count: of the suite.
    """
    summary, ids = concluded.summary, concluded.evaluation_ids
    state, headline, sentence = _answer(summary, case_count)
    current, candidate = ids.get(LegName.CURRENT, ""), ids.get(LegName.CANDIDATE, "")
    return ResultView(
        state=state,
        headline=headline,
        sentence=sentence,
        reasons=(
            *map(_not_comparable, summary.comparability_reasons),
            *map(_reason, summary.eligibility_reasons),
        ),
        is_comparable=summary.comparable,
        is_complete=summary.complete,
        is_eligible=summary.eligible,
        rows=tuple(_measure(line, is_shown=summary.comparable) for line in summary.lines),
        sides=tuple(_side(summary, leg, ids.get(leg, ""), case_count) for leg in LegName),
        cases=case_count,
        critical=summary.critical_regressions,
        tolerance=numbers.decimal(summary.tolerance),
        compare=compare_address(current, candidate) if current and candidate else "",
    )


def _answer(summary: EvaluationSummary, case_count: int) -> tuple[str, str, str]:
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
            " ".join(filter(None, (_HELD, _not_ruled_out(summary, case_count), _ELSEWHERE))),
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


def _not_ruled_out(summary: EvaluationSummary, case_count: int) -> str:
    """Which measures may really have fallen by more than is tolerated; empty for none."""
    names = [
        _MEASURES[line.measure][0]
        for line in summary.lines
        if line.measure not in _POOLED and _is_open(line, summary.tolerance)
    ]
    if not names:
        return ""
    cases = numbers.count(case_count, "case")
    return f"But {cases} cannot rule out a larger loss in {', '.join(names)}: see the bounds."


def _is_open(line: MeasureLine, tolerance: Fraction) -> bool:
    """Whether nobody can say that a measure did not fall by more than is tolerated."""
    if line.lower_bound is None:
        return True
    bound = Fraction(line.lower_bound)
    return bound > tolerance if line.measure == _LESS_IS_BETTER else bound < -tolerance


def _not_comparable(code: str) -> str:
    """As every report says it, of a candidate that is held against the current side."""
    return wording.reason_sentence(
        ReasonCode(code), current=comparing.CANDIDATE, previous=comparing.CURRENT
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
