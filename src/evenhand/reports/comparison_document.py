"""What shape has a comparison as JSON? ``evenhand.comparison/1``, field by field.

The same shape is described in ``comparison.schema.json`` beside this module. Nothing that
compares two results has a value unless the verdict is ``comparable``. No text of a question is
in it: questions are named by position, and by id where the golden set is at hand.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

import msgspec

from evenhand.core.comparison.cases import Group
from evenhand.core.comparison.checks import CheckCode, Which
from evenhand.core.comparison.paired import Conclusion
from evenhand.core.comparison.speed import NoLatency
from evenhand.core.scoring.evaluation import Basis
from evenhand.core.scoring.intervals import IntervalMethod
from evenhand.core.scoring.significance import Method, RefusalReason
from evenhand.core.verdict import VerdictState
from evenhand.reports.evaluation_document import (
    Counts,
    FingerprintDocument,
    LatencyConditions,
)

#: Where the shape is described, beside this module.
SCHEMA_FILE: Final = "comparison.schema.json"


class Struct(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all parts of the document have in common."""


class SideDocument(Struct, frozen=True, kw_only=True):
    """One side; ``counts`` are null unless comparable, so that nothing stands side by side."""

    evaluation_id: str | None
    created_at: datetime | None
    is_baseline: bool
    retriever: str
    set_identifier: str
    protocol: str
    basis: Basis
    depth: int
    conditions: LatencyConditions
    counts: Counts | None
    provenance: dict[str, str | None] | None
    fingerprints: FingerprintDocument | None


class Dimension(StrEnum):
    """Which identity a reason speaks of."""

    # Of an evaluation; a verdict about reviews has others, which no comparison ever names.
    CORPUS = "corpus"
    LABELS = "labels"
    SCORING = "scoring"
    PROVENANCE = "provenance"


class ReasonDocument(Struct, frozen=True, kw_only=True):
    """One reason of a verdict; which side it speaks of is in ``code``."""

    code: str
    dimension: Dimension
    current: str | None
    candidate: str | None


class VerdictDocument(Struct, frozen=True, kw_only=True):
    """Whether the two may be compared."""

    state: VerdictState
    reasons: list[ReasonDocument]


class IntervalDocument(Struct, frozen=True, kw_only=True):
    """An interval of a difference; ``low`` and ``high`` are null where ``refused`` says why.

    ``resamples`` and ``seed`` are null where nothing was drawn.
    """

    low: float | None
    high: float | None
    confidence: float | None
    method: IntervalMethod | None
    resamples: int | None
    seed: int | None
    refused: RefusalReason | None


class SignificanceDocument(Struct, frozen=True, kw_only=True):
    """A test; ``p`` is null where ``refused`` says why. ``adjusted_p`` decides.

    ``assignments`` of signs were looked at, null where the test has none; ``exact`` says that
    nothing was left to chance or approximated, and ``seed`` is null where nothing was drawn.
    """

    p: float | None
    adjusted_p: float | None
    method: Method | None
    exact: bool | None
    assignments: int | None
    seed: int | None
    family: int
    refused: RefusalReason | None


class DetectableDocument(Struct, frozen=True, kw_only=True):
    """The smallest true difference that is likely to be found; null where even 1 is not."""

    discordance: float | None
    difference: float | None


class DifferenceDocument(Struct, frozen=True, kw_only=True):
    """Candidate less current on one measure; ``low`` and ``high`` as failed questions allow."""

    measure: str
    role: Literal["primary", "descriptive"]
    higher_is_better: bool
    questions: int
    current_failed: int
    candidate_failed: int
    current: float
    candidate: float
    delta: float
    low: float
    high: float
    interval: IntervalDocument
    test: SignificanceDocument
    wins: int
    losses: int
    ties: int
    conclusion: Conclusion
    detectable: list[DetectableDocument]


class PlacingDocument(Struct, frozen=True, kw_only=True):
    """Where the first target of a question stood."""

    rank: int | None
    retrieved: int | None
    error_class: str | None


class FlipDocument(Struct, frozen=True, kw_only=True):
    """A question whose top-1 hit was won or lost."""

    position: int
    id: str | None
    critical: bool | None
    won: bool
    is_no_answer: bool
    current: PlacingDocument
    candidate: PlacingDocument


class RankMovesDocument(Struct, frozen=True, kw_only=True):
    """What became of first targets, in questions."""

    nearer: int
    further: int
    equal: int


class SplitDocument(Struct, frozen=True, kw_only=True):
    """The primary measure within a group; descriptive."""

    group: Group
    name: str
    questions: int
    current: float
    candidate: float
    delta: float
    wins: int
    losses: int
    ties: int


class LatencyDocument(Struct, frozen=True, kw_only=True):
    """Lower medians in whole milliseconds; null where ``refused`` says why."""

    questions: int | None
    current_ms: int | None
    candidate_ms: int | None
    delta_ms: int | None
    refused: NoLatency | None


class JudgedDocument(Struct, frozen=True, kw_only=True):
    """Judged documents among those that came back within a cutoff, of both sides."""

    cutoff: int
    current_judged: int
    current_documents: int
    candidate_judged: int
    candidate_documents: int
    differs: bool


class CheckDocument(Struct, frozen=True, kw_only=True):
    """One finding of a self-check; ``at_least`` where there may be more such questions."""

    code: CheckCode
    side: Which
    questions: int | None
    looked_at: int | None
    at_least: bool | msgspec.UnsetType = msgspec.UNSET


class ScaleDocument(Struct, frozen=True, kw_only=True):
    """With what one side was measured; ``benchmark`` decides, and equals nothing when null."""

    qrels_digest: str | None
    depth: int
    benchmark: str | None


class GradedDocument(Struct, frozen=True, kw_only=True):
    """The graded measure that decides, and its benchmark on both sides."""

    measure: str
    protocol: str
    current: ScaleDocument
    candidate: ScaleDocument


class ComparisonDocument(Struct, frozen=True, kw_only=True):
    """One comparison. From ``conclusion`` to ``judged`` everything is null unless comparable.

    ``graded`` is null where a rate of the hits protocol decides; ``flips`` and ``splits`` also of
    a part that is held out, of which only sums are told.
    """

    format: Literal["evenhand.comparison/1"]
    verdict: VerdictDocument
    current: SideDocument
    candidate: SideDocument
    primary: str
    depth_changed: bool
    checks: list[CheckDocument]
    set_uses: int | None
    conclusion: Conclusion | None
    treatment_changed: bool | None
    differences: list[DifferenceDocument] | None
    flips: list[FlipDocument] | None
    rank_moves: RankMovesDocument | None
    splits: list[SplitDocument] | None
    latency: LatencyDocument | None
    judged: list[JudgedDocument] | None
    fair_answer: str | None
    graded: GradedDocument | None


class ComparisonsDocument(Struct, frozen=True, kw_only=True):
    """Several candidates against one current side, decided together."""

    format: Literal["evenhand.comparisons/1"]
    comparisons: list[ComparisonDocument]


def comparison_schema() -> bytes:
    """The JSON Schema of a comparison, as the file beside this module holds it."""
    schema = msgspec.json.schema(ComparisonDocument)
    described = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return msgspec.json.format(msgspec.json.encode(described), indent=1) + b"\n"
