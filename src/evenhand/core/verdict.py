"""May these two results be compared? The one value that carries the answer everywhere.

How the answer is found is `core.comparison.baseline`'s business; how it is worded is `reports`'.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class VerdictState(StrEnum):
    """What two results are to each other.

    ``comparable``: equal benchmarks. ``baseline``: nothing to compare with yet.
    ``unknown``: at least one of them does not say what was run. ``mismatch``: both say it, and
    they ran on different benchmarks.
    """

    COMPARABLE = "comparable"
    BASELINE = "baseline"
    UNKNOWN = "unknown"
    MISMATCH = "mismatch"


class Dimension(StrEnum):
    """Which identity a reason speaks of."""

    CORPUS = "corpus"
    LABELS = "labels"
    SCORING = "scoring"
    PROVENANCE = "provenance"
    CONFIGURATION = "configuration"
    PROMPT = "prompt"
    COHORT = "cohort"
    PRACTICE = "practice"


class ReasonCode(StrEnum):
    """Why a verdict is not ``comparable``; stable names."""

    NO_PREVIOUS = "no_previous"
    CURRENT_UNKNOWN = "current_unknown"
    PREVIOUS_UNKNOWN = "previous_unknown"
    CORPUS_CHANGED = "corpus_changed"
    LABELS_CHANGED = "labels_changed"
    SCORING_CHANGED = "scoring_changed"
    GRADES_CHANGED = "grades_changed"
    DEPTH_CHANGED = "depth_changed"
    CURRENT_GRADES_UNKNOWN = "current_grades_unknown"
    PREVIOUS_GRADES_UNKNOWN = "previous_grades_unknown"
    CONFIGURATION_CHANGED = "configuration_changed"
    PROMPT_CHANGED = "prompt_changed"
    COHORT_CHANGED = "cohort_changed"
    PRACTICE_CHANGED = "practice_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason for a verdict.

    Attributes:
        code: stable name of the reason.
        dimension: the identity that moved or is missing.
        current: that identity on the current side, None when unknown.
        previous: the same on the previous side, None when unknown.
    """

    code: ReasonCode
    dimension: Dimension
    current: str | None = None
    previous: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether two results may be compared, and if not, why.

    Attributes:
        state: the answer.
        reasons: empty exactly when the state is ``comparable``.
    """

    state: VerdictState
    reasons: tuple[Reason, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a verdict that says no without a reason, or yes with one.

        Raises:
            ValueError: state and reasons contradict each other.
        """
        if (self.state is VerdictState.COMPARABLE) is bool(self.reasons):
            raise ValueError(self.state)

    @property
    def is_comparable(self) -> bool:
        """Whether a difference may be computed, stored or shown at all."""
        return self.state is VerdictState.COMPARABLE
