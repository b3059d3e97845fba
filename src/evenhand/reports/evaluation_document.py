"""What shape has an evaluation as JSON? ``evenhand.evaluation/1``, field by field.

Counts are integers, a rate carries its hits and its total, what is unknown is null.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

FORMAT: Final = "evenhand.evaluation/1"


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A share; ``value`` is rounded to what a double holds, ``hits`` and ``total`` are exact."""

    hits: int
    total: int
    value: float


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Whole numbers behind every rate."""

    attempted: int
    scored: int
    failed: int
    unjudged: int
    questions: int
    answerable: int
    no_answer: int
    top1_hits: int
    top3_hits: int
    answerable_top1_hits: int
    answerable_top3_hits: int
    abstained: int
    false_abstained: int


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Headline rates, each over its own kind of question; the pooled ones stand apart."""

    success_at_1: Rate
    success_at_3: Rate
    abstention: Rate
    false_abstention: Rate
    pooled_top1: Rate
    pooled_top3: Rate


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """One group of a breakdown."""

    name: str
    counts: Counts
    rates: Rates


class Splits(msgspec.Struct, frozen=True, kw_only=True):
    """Breakdowns; descriptive only."""

    form: list[Group]
    hard_class: list[Group]


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Whole milliseconds around the retrieval call, over questions that did not fail."""

    questions: int
    median_ms: int
    p90_ms: int


class LatencyConditions(msgspec.Struct, frozen=True, kw_only=True):
    """What latencies depend on."""

    machine: str
    jobs: int
    warmup: int
    batch: int


class FailedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question whose retrieval failed, by position in byte order of the ids."""

    position: int
    error_class: str


class Flags(msgspec.Struct, frozen=True, kw_only=True):
    """What must not be overlooked. ``short_lists`` is null where no outcomes are kept."""

    returned_nothing: bool
    never_abstained: bool
    short_lists: int | None


class RunFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a run file and the questions asked do not have in common; the first five ids of each.

    An absent question counts as one for which nothing came back. ``absent_no_answer`` of them are
    questions that nothing answers, so that the abstention rests on their absence.
    """

    absent: int
    absent_ids: list[str]
    absent_no_answer: int
    foreign: int
    foreign_ids: list[str]


class ReasonDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One reason of a verdict."""

    code: str
    dimension: str
    current: str | None
    previous: str | None


class VerdictDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the result may be compared with the previous one."""

    state: str
    reasons: list[ReasonDocument]


class Previous(msgspec.Struct, frozen=True, kw_only=True):
    """The immediately preceding result."""

    id: str
    created_at: datetime
    depth: int


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Current minus previous, with every failed question decided against and for the current."""

    measure: str
    previous: Rate
    current: Rate
    delta: float
    low: float
    high: float
    incomplete: bool


class Regression(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a pooled rate fell by more than was tolerated."""

    top1_regressed: bool
    top3_regressed: bool


class BaselineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The result against the pinned baseline.

    ``delta`` is this result less the baseline on the primary measure; it, its interval and
    ``conclusion`` are null unless comparable. ``evenhand compare baseline latest`` says more.
    """

    evaluation_id: str | None
    set_at: datetime | None
    verdict: VerdictDocument
    measure: str
    conclusion: str | None
    delta: float | None
    low: float | None
    high: float | None


class FlipDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A top-1 hit won or lost, by position in byte order of the ids."""

    position: int
    won: bool


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One finding of a self-check; null where it concerns no single question.

    ``at_least`` is there, and true, where there may be more such questions.
    """

    code: str
    questions: int | None
    looked_at: int | None
    at_least: bool | msgspec.UnsetType = msgspec.UNSET


class GoldenSetName(msgspec.Struct, frozen=True, kw_only=True):
    """Which golden set was asked."""

    identifier: str
    name: str


class FingerprintDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Digests of the identities that decide comparability."""

    labels: str
    benchmark: str | None
    variant: str | None
    scoring_version: str


class GradedScore(msgspec.Struct, frozen=True, kw_only=True):
    """A graded measure; ``mean`` counts a failed question as 0, and is the total of counts.

    Values compare where ``benchmark`` is equal, and null equals nothing.
    """

    measure: str
    mean: float
    questions: int
    failed: int
    protocol: str
    depth: int
    qrels_digest: str
    benchmark: str | None


class HubDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What a hub said of the result: under which id it keeps it, and its own verdict.

    ``previous_id`` is the result that the same sender published there before; null without one.
    """

    evaluation_id: str
    is_new: bool
    state: str
    reasons: list[str]
    previous_id: str | None


class EvaluationDocument(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation.

    ``id`` is null when nothing was stored, ``verdict`` when nothing was compared; ``differences``,
    ``regression`` and ``flips`` are null unless comparable. ``baseline`` is null where none is
    pinned for the set and retriever, and of a stored evaluation. ``run_file`` is null unless a
    run file was evaluated just now, ``hub`` unless it was sent to one. Of a part that is held out ``failed_questions`` and ``flips``
    are null.
    """

    format: str
    id: str | None
    created_at: datetime | None
    golden_set: GoldenSetName
    retriever: str
    grader: str
    protocol: str
    basis: str
    privacy: str | None
    depth: int
    started_at: datetime
    finished_at: datetime
    release: str | None
    counts: Counts
    rates: Rates
    splits: Splits | None
    flags: Flags
    failed_questions: list[FailedQuestion] | None
    latency: Latency | None
    conditions: LatencyConditions
    provenance: dict[str, str | None] | None
    fingerprints: FingerprintDocument | None
    verdict: VerdictDocument | None
    previous: Previous | None
    treatment_changed: bool | None
    depth_changed: bool | None
    differences: list[Difference] | None
    regression: Regression | None
    flips: list[FlipDocument] | None
    baseline: BaselineDocument | None
    checks: list[Check]
    graded: list[GradedScore] = []
    run_file: RunFile | None = None
    hub: HubDocument | None = None
