"""What does a gate say? A state, and one finding per demand that was looked at.

How the findings come about is `core.comparison.gate`; how they are worded is `reports`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

from evenhand.core.comparison.paired import PairedDifference

#: What a finding found, or wanted: a share, a bound, a number, a word.
GateValue: TypeAlias = Fraction | float | int | str


class GateState(StrEnum):
    """What a gate says; what a finding contributes to it.

    ``incomplete``: failed questions could change the decision, too many of them failed, or what
    the policy demands cannot be measured on this set.
    """

    PASS = "pass"  # noqa: S105 -- an answer, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    INCOMPARABLE = "incomparable"
    INCOMPLETE = "incomplete"


#: Which state wins: what cannot be compared has no verdict, and one broken demand is enough.
PRECEDENCE: Final = (
    GateState.INCOMPARABLE,
    GateState.FAIL,
    GateState.INCOMPLETE,
    GateState.INCONCLUSIVE,
)


class GateCode(StrEnum):
    """What a finding is about; stable names."""

    VERDICT = "verdict"
    MARGIN = "margin"
    WORSE_WITHIN_MARGIN = "worse_within_margin"
    POINT_DROP = "point_drop"
    FAMILY = "family"
    FLOOR = "floor"
    FALSE_ABSTENTION = "max_false_abstention"
    CRITICAL = "critical"
    CRITICAL_ABSENT = "critical_absent"
    FAILED_SHARE = "max_failed_share"
    COMPLETE = "require_complete"
    LATENCY = "latency"
    BASIS = "basis"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFinding:
    """One demand, and what was found.

    Attributes:
        code: the demand.
        measure: of which measure or side, None where the demand has none.
        state: what it contributes; ``pass`` where the demand is met or decides nothing.
        found: what was found, None where nothing could be.
        wanted: what the policy asks for, None where it asks for nothing.
        is_flag: a person should look at it although the gate does not decide by it.
        positions: questions behind it, by position of the candidate.
    """

    code: GateCode
    measure: str | None = None
    state: GateState = GateState.PASS
    found: GateValue | None = None
    wanted: GateValue | None = None
    is_flag: bool = False
    positions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """What the gate says.

    Attributes:
        state: the answer.
        findings: one per demand that was looked at, met ones included.
        family: the differences that decided, adjusted; empty unless comparable.
    """

    state: GateState
    findings: tuple[GateFinding, ...]
    family: tuple[PairedDifference, ...] = ()

    @property
    def went_wrong(self) -> bool:
        """Whether too many questions failed for any decision to be one."""
        return any(
            finding.code is GateCode.FAILED_SHARE and finding.state is not GateState.PASS
            for finding in self.findings
        )


def unless(*, broken: bool, state: GateState) -> GateState:
    """``pass``, or the state where the demand is broken."""
    return state if broken else GateState.PASS
