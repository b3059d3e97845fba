"""What is kept of a completed comparison beside the intent? Written once, and read with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.core.comparison.evidence import ConsumedRequest
from evenhand.core.comparison.pins import LegName
from evenhand.core.comparison.summary import EvaluationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a publication adds beside its two evaluations.

    Attributes:
        evaluation_ids: of each side.
        consumer_revision_sha256: what reported them, as it says of itself (C-84, C-97).
        requests: which gateway requests prove which cases.
        summary: what came of it.
    """

    evaluation_ids: Mapping[LegName, str]
    consumer_revision_sha256: str
    requests: tuple[ConsumedRequest, ...]
    summary: EvaluationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class Concluded:
    """What is read of it with the intent.

    Attributes:
        summary: what came of it.
        evaluation_ids: of each side whose evaluation was not purged.
    """

    summary: EvaluationSummary
    evaluation_ids: Mapping[LegName, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a completed comparison rests on, case by case.

    Attributes:
        consumer_revision_sha256: what reported the rankings, as it says of itself; None where
            both evaluations were purged, or nothing was reported.
        requests: which gateway requests prove which cases, by side and position; of a comparison
            that was not completed none.
    """

    consumer_revision_sha256: str | None
    requests: tuple[ConsumedRequest, ...]
