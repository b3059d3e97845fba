"""What does a gate demand of a candidate? One value, declared before anything is measured.

How a policy is decided is `core.comparison.gate`; how it is written as a file is
`adapters.formats.gate_policy`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Final

from evenhand.core.comparison.difference import DEFAULT_MAX_DROP
from evenhand.core.errors import InvalidSetting
from evenhand.core.errors.retrieval import InvalidMeasure
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.core.scoring.measures import Measure

#: Measures of the hits protocol in which more is better; a floor may be set for each.
FLOOR_MEASURES: Final = ("Success@1", "Success@3", "abstention")
#: Everything that a gate can decide by.
GATE_MEASURES: Final = (*FLOOR_MEASURES, "false abstention")
#: Largest ratio of two latencies that a policy may state.
MOST_RATIO: Final = 100

_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_OR_GRADED: Final = ", or a graded measure such as nDCG@10"


class OnInconclusive(StrEnum):
    """What an inconclusive gate does: a warning with exit code 0, or exit code 4."""

    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """Least value of a rate of the candidate; a failed question counts as a miss.

    Attributes:
        measure: one of `FLOOR_MEASURES`.
        minimum: in [0, 1]; a rate equal to it passes.
    """

    measure: str
    minimum: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalRule:
    """Which questions must not be lost.

    Attributes:
        marked: whether the questions that the set marks as critical are among them.
        questions: digests of question ids, see `question_digest`; a policy names no ids.
        max_regressions: how many of them the current side may hit at 3 and the candidate not.
    """

    marked: bool = True
    questions: tuple[str, ...] = ()
    max_regressions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletenessRule:
    """How many questions may fail.

    Attributes:
        max_failed_share: above it something went wrong and nothing is decided; None leaves it to
            the setting of the same name.
        require_complete: whether one failed question on either side makes the gate incomplete,
            even where it could not change the decision.
    """

    max_failed_share: Fraction | None = None
    require_complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """What a gate demands.

    Attributes:
        primary: the measure that decides, one of `GATE_MEASURES` or a graded measure, held by
            its canonical name: ``RBP(p=0.8)`` is ``RBP(rel=1)``.
        margin: the largest loss that is accepted, in [0, 1]. The gate passes when the lower
            95 % bound of the difference is above minus the margin.
        max_drop: a drop of the primary measure by more than this is flagged, whatever the
            margin says of it; in [0, 1].
        also_test: further measures; a significant fall in one of them fails the gate. Together
            with the primary measure they are one family, adjusted by Holm's method.
        inconclusive: what an inconclusive gate does.
        floors: least rates of the candidate, at most one a measure.
        max_false_abstention: largest false abstention of the candidate; None is no limit.
        critical: questions that must not be lost.
        completeness: how many questions may fail.
        max_median_ratio: how many times the current side's median latency the candidate's may
            be; looked at between equal conditions only. None is no limit.
        basis: what the numbers of the candidate may rest on; empty is anything. A baseline of
            another basis is flagged.

    Raises:
        InvalidSetting: a field outside its range; names the field, not the value.
    """

    primary: str = "Success@1"
    margin: Fraction = DEFAULT_MAX_DROP
    max_drop: Fraction = DEFAULT_MAX_DROP
    also_test: tuple[str, ...] = ()
    inconclusive: OnInconclusive = OnInconclusive.WARN
    floors: tuple[Floor, ...] = ()
    max_false_abstention: Fraction | None = None
    critical: CriticalRule = field(default_factory=CriticalRule)
    completeness: CompletenessRule = field(default_factory=CompletenessRule)
    max_median_ratio: Fraction | None = None
    basis: tuple[Basis, ...] = ()

    def __post_init__(self) -> None:
        """Check each field; see the class."""
        if self.primary not in GATE_MEASURES:
            object.__setattr__(self, "primary", _canonical(self.primary))
        _require_measures("also_test", self.also_test, GATE_MEASURES)
        if self.primary in self.also_test:
            raise InvalidSetting("also_test", "must not name the primary measure again")
        _require_measures("floors", [floor.measure for floor in self.floors], FLOOR_MEASURES)
        for name, share in (
            ("margin", self.margin),
            ("max_drop", self.max_drop),
            ("max_false_abstention", self.max_false_abstention),
            ("completeness.max_failed_share", self.completeness.max_failed_share),
            *((f"floors.{floor.measure}", floor.minimum) for floor in self.floors),
        ):
            if share is not None and not 0 <= share <= 1:
                raise InvalidSetting(name, "must lie between 0 and 1")
        ratio = self.max_median_ratio
        if ratio is not None and not 0 < ratio <= MOST_RATIO:
            raise InvalidSetting("latency.max_median_ratio", "must be above 0 and at most 100")
        _require_distinct("basis", self.basis)
        _require_critical(self.critical)

    @property
    def primary_measure(self) -> str | Measure:
        """The measure that decides: a rate of the hits protocol by its name, or a graded one."""
        return self.primary if self.primary in GATE_MEASURES else parse_measure(self.primary)

    @property
    def family(self) -> tuple[str, ...]:
        """The measures that are tested together, the primary one first."""
        return (self.primary, *self.also_test)


def question_digest(question_id: bytes) -> str:
    """What a policy calls a question: SHA-256 of the bytes of its id, 64 lowercase hex digits.

    It keeps ids out of a file that is committed. Whoever can guess an id can check the guess.
    """
    return sha256(question_id).hexdigest()


def _require_critical(rule: CriticalRule) -> None:
    if not all(_DIGEST.fullmatch(digest) for digest in rule.questions):
        raise InvalidSetting(
            "critical.questions",
            "must be SHA-256 digests of question ids, 64 lowercase hex digits",
        )
    _require_distinct("critical.questions", rule.questions)
    if rule.max_regressions < 0:
        raise InvalidSetting("critical.max_regressions", "must not be negative")


def _require_measures(name: str, given: Sequence[str], known: Sequence[str]) -> None:
    if not set(given) <= set(known):
        raise InvalidSetting(name, _known(known))
    _require_distinct(name, given)


def _canonical(name: str) -> str:
    try:
        measure = parse_measure(name)
    except InvalidMeasure:
        raise InvalidSetting("primary", _known(GATE_MEASURES) + _OR_GRADED) from None
    if measure.is_count:
        raise InvalidSetting("primary", "must not be a count, which has no mean between 0 and 1")
    if re.split(r"[(@ ]", name, maxsplit=1)[0] != measure.family.value:
        # One of the many names that other tools have for it, which no schema could list.
        raise InvalidSetting("primary", _written(measure))
    return str(measure)


def _written(measure: Measure) -> str:
    return f"must be written as {measure}"


def _require_distinct(name: str, given: Sequence[str]) -> None:
    if len(set(given)) != len(given):
        raise InvalidSetting(name, "must not name the same thing twice")


def _known(known: Sequence[str]) -> str:
    return f"must be of: {', '.join(known)}"
