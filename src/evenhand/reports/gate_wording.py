"""Which sentence says what a gate found? One for each state and each finding.

A bound or a drop stands only in findings that exist where two results are comparable.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from evenhand.core.comparison.gate_result import (
    GateCode,
    GateFinding,
    GateResult,
    GateState,
    GateValue,
)
from evenhand.core.verdict import VerdictState
from evenhand.reports import numbers
from evenhand.reports.comparison_wording import REFUSALS

_NAMES: Final = {
    GateCode.VERDICT: "comparability",
    GateCode.MARGIN: "margin",
    GateCode.WORSE_WITHIN_MARGIN: "significant fall within the margin",
    GateCode.POINT_DROP: "point drop",
    GateCode.FAMILY: "no significant fall",
    GateCode.FLOOR: "floor",
    GateCode.FALSE_ABSTENTION: "ceiling",
    GateCode.CRITICAL: "critical questions",
    GateCode.CRITICAL_ABSENT: "critical questions of the policy",
    GateCode.FAILED_SHARE: "failed questions",
    GateCode.COMPLETE: "completeness",
    GateCode.LATENCY: "latency",
    GateCode.BASIS: "basis",
}

_REFUSED: Final = {reason.value: words for reason, words in REFUSALS.items()}


_STATES: Final = {
    GateState.PASS: "The candidate meets every demand of the policy.",
    GateState.FAIL: "The candidate breaks a demand of the policy.",
    GateState.INCONCLUSIVE: (
        "The questions do not decide it: neither a loss beyond the margin is shown, nor that "
        "there is none."
    ),
    GateState.INCOMPARABLE: (
        "Candidate and baseline cannot be compared, so there is nothing to decide by."
    ),
    GateState.INCOMPLETE: (
        "Something that the policy demands is not known: questions that failed could change the "
        "decision, or the set does not ask what the policy looks at."
    ),
}
_FIRST: Final = {
    GateState.PASS: (
        "There is no baseline yet: the candidate meets every demand that concerns it alone."
    ),
    GateState.INCOMPARABLE: "There is nothing that the candidate could be held against.",
}


def gate_word(state: GateState) -> str:
    """The state as a word."""
    return state.value.capitalize()


def gate_sentence(result: GateResult, *, has_baseline: bool) -> str:
    """What the state of a gate means.

    Args:
        result: what the gate says.
        has_baseline: whether the candidate was held against one.
    """
    if result.went_wrong:
        return "So many questions failed that nothing is decided."
    if not has_baseline:
        return _FIRST.get(result.state, _STATES[result.state])
    return _STATES[result.state]


def finding_name(finding: GateFinding) -> str:
    """Which demand it is: ``floor, Success@1``."""
    name = _NAMES[finding.code]
    return f"{name}, {finding.measure}" if finding.measure else name


def finding_sentence(finding: GateFinding) -> str:
    """What was found, and what was wanted."""
    return _SENTENCES[finding.code](finding)


def value_text(value: GateValue | None) -> str:
    """A value of a finding, three decimals where it is no whole number."""
    match value:
        case None:
            return "not known"
        case str():
            return value
        case float():
            return numbers.decimal(Fraction(value))
        case Fraction():
            return numbers.decimal(value)
        case _:
            return str(value)


def _verdict(finding: GateFinding) -> str:
    if finding.found == finding.wanted:
        return "candidate and baseline are comparable"
    if finding.found == VerdictState.BASELINE.value:
        return "there is no baseline"
    return f"the verdict is {finding.found}"


def _margin(finding: GateFinding) -> str:
    found, wanted = finding.found, finding.wanted
    if found is None:
        return "the set asks no such questions"
    if isinstance(found, str):
        return _without_interval(finding.state, found)
    bound = f"lower 95 % bound {value_text(found)}, to be above {value_text(wanted)}"
    if finding.state is GateState.PASS and not _is_above(found, wanted):
        return (
            "nothing that is declared changed and no question came out otherwise; by itself the "
            f"set is too small ({bound})"
        )
    if finding.state is GateState.INCOMPLETE:
        return f"{bound}; questions that failed could change the decision"
    if finding.state is GateState.FAIL and not _is_above(found, wanted):
        return f"{bound}, and the candidate is worse"
    return bound


def _without_interval(state: GateState, reason: str) -> str:
    why = f"no interval: {_REFUSED.get(reason, reason)}"
    match state:
        case GateState.PASS:
            return "nothing that is declared changed and no question came out otherwise"
        case GateState.FAIL:
            return f"{why}; the fall is as large as the margin or larger, and more than chance"
        case GateState.INCOMPLETE:
            return f"{why}; questions that failed could change the decision"
        case _:
            return why


def _is_above(found: GateValue, wanted: GateValue | None) -> bool:
    return not isinstance(found, str) and not isinstance(wanted, str | None) and found > wanted


def _worse(finding: GateFinding) -> str:
    return f"difference {value_text(finding.found)}, within the margin and more than chance"


def _drop(finding: GateFinding) -> str:
    return f"drop of {value_text(finding.found)}, flagged above {value_text(finding.wanted)}"


def _family(finding: GateFinding) -> str:
    if finding.found is None:
        return "the set asks no such questions"
    moved = f"difference {value_text(finding.found)}"
    match finding.state:
        case GateState.FAIL:
            return f"{moved}, a significant fall"
        case GateState.INCOMPLETE:
            return f"{moved}; questions that failed could make it a significant fall, or none"
        case _:
            return f"{moved}, no significant fall"


def _least(finding: GateFinding) -> str:
    return f"{_or_no_questions(finding)}, at least {value_text(finding.wanted)}"


def _most(finding: GateFinding) -> str:
    return f"{_or_no_questions(finding)}, at most {value_text(finding.wanted)}"


def _or_no_questions(finding: GateFinding) -> str:
    return "no such questions" if finding.found is None else value_text(finding.found)


def _critical(finding: GateFinding) -> str:
    return f"{finding.found} lost, at most {finding.wanted}"


def _absent(finding: GateFinding) -> str:
    return f"{finding.found} named by the policy, not among the judged questions of the set"


def _failed(finding: GateFinding) -> str:
    return f"{value_text(finding.found)} of the questions failed, at most {value_text(finding.wanted)}"


def _complete(finding: GateFinding) -> str:
    questions = "question" if finding.found == 1 else "questions"
    return f"{finding.found} {questions} failed on both sides together, at most {finding.wanted}"


def _latency(finding: GateFinding) -> str:
    if finding.found is None:
        return "unknown: the conditions of the two sides differ, or nothing was measured"
    return (
        f"median {value_text(finding.found)} times the baseline's, at most "
        f"{value_text(finding.wanted)}"
    )


def _basis(finding: GateFinding) -> str:
    return f"{finding.found}, wanted {finding.wanted}"


_SENTENCES: Final[Mapping[GateCode, Callable[[GateFinding], str]]] = {
    GateCode.VERDICT: _verdict,
    GateCode.MARGIN: _margin,
    GateCode.WORSE_WITHIN_MARGIN: _worse,
    GateCode.POINT_DROP: _drop,
    GateCode.FAMILY: _family,
    GateCode.FLOOR: _least,
    GateCode.FALSE_ABSTENTION: _most,
    GateCode.CRITICAL: _critical,
    GateCode.CRITICAL_ABSENT: _absent,
    GateCode.FAILED_SHARE: _failed,
    GateCode.COMPLETE: _complete,
    GateCode.LATENCY: _latency,
    GateCode.BASIS: _basis,
}
