"""How does a gate read? Plain values, every number written out, for all renderers."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.core.comparison.checks import SelfCheck
from evenhand.core.comparison.gate import Gated
from evenhand.core.comparison.gate_result import GateFinding, GateState
from evenhand.core.comparison.set_use import SetUseCounts
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.reports import gate_wording as words
from evenhand.reports.comparison_parts import ComparisonView
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.reports.comparison_wording import check_sentence, uses_sentence
from evenhand.reports.notices import flag
from evenhand.reports.safe_text import shown_id
from evenhand.reports.view import Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingView:
    """One demand.

    Attributes:
        code: stable name of the demand.
        name: ``floor, Success@1``.
        state: what it contributes.
        sentence: what was found, and what was wanted.
        is_flag: a person should look although the gate does not decide by it.
        questions: ids of the questions behind it.
    """

    code: str
    name: str
    state: GateState
    sentence: str
    is_flag: bool
    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateView:
    """Everything that a report of a gate shows.

    Attributes:
        title: what was put to the gate.
        state, word, sentence: the answer.
        policy: where the policy came from.
        findings: in the order in which they were looked at.
        comparison: with the baseline, None where there is none.
        uses: how often the set was decided on, where no comparison says it; else empty.
        notices: what makes one doubt the candidate, where no comparison says it.
    """

    title: str
    state: GateState
    word: str
    sentence: str
    policy: str
    findings: tuple[FindingView, ...]
    comparison: ComparisonView | None
    uses: str = ""
    notices: tuple[Notice, ...] = ()


def build_gate_view(
    gated: Gated,
    *,
    golden_set: GoldenSet | None,
    policy: str,
    hints: ComparisonHints | None = None,
    uses: SetUseCounts | None = None,
) -> GateView:
    """The view of a gate.

    Args:
        gated: what was decided.
        golden_set: what the candidate was asked; None where no question is to be named.
        policy: where the policy came from.
        hints: what only the caller knows.
        uses: how often the set was decided on, this decision included.
    """
    comparison = gated.comparison
    candidate = gated.candidate
    return GateView(
        title=f"{shown_id(candidate.retriever)} on {shown_id(candidate.set_identifier)}",
        state=gated.result.state,
        word=words.gate_word(gated.result.state),
        sentence=words.gate_sentence(gated.result, has_baseline=comparison is not None),
        policy=shown_id(policy),
        findings=tuple(_finding(one, golden_set) for one in gated.result.findings),
        comparison=None
        if comparison is None
        else build_comparison_view(comparison, golden_set=golden_set, hints=hints, uses=uses),
        uses=uses_sentence(uses) if comparison is None else "",
        notices=tuple(flag(_check(one)) for one in gated.own_checks),
    )


def _check(check: SelfCheck) -> str:
    return check_sentence(check, both="The candidate and the result before it")


def _finding(finding: GateFinding, golden_set: GoldenSet | None) -> FindingView:
    named = () if golden_set is None else finding.positions
    questions = () if golden_set is None else golden_set.by_position
    return FindingView(
        code=finding.code.value,
        name=words.finding_name(finding),
        state=finding.state,
        sentence=words.finding_sentence(finding),
        is_flag=finding.is_flag,
        questions=tuple(shown_id(questions[position].id) for position in named),
    )
