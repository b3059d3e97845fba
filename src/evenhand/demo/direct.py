"""Are the hub's numbers those of the very indexes that were compared? Evaluate them directly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from evenhand.adapters.embedders.protocol import Embedder
from evenhand.adapters.system import SystemClock, machine_label
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.protocols import HitCounts
from evenhand.demo.operator import Model
from evenhand.sdk.consumer import Index
from evenhand.usecases.evaluate import evaluate
from evenhand.wire.intents import Comparison

_FIELDS: Final = (
    "success_at_1",
    "success_at_3",
    "abstention",
    "false_abstention",
    "top1",
    "top3",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a comparison, as it is in this process.

    Attributes:
        model: as it was registered.
        index: what is searched.
        embedder: of the same weights as the hub's.
    """

    model: Model
    index: Index
    embedder: Embedder

    @property
    def identifier(self) -> str:
        """The side as a retriever."""
        return self.model.name

    def retrieve(self, question: str, limit: int) -> list[str]:
        """What the consumer's engine gives, without the hub."""
        vector = self.embedder.embed([question], "query")[0].tolist()
        cutoff = self.model.score_cutoff
        found = self.index.search(vector)[:limit]
        return [one.chunk_id for one in found if cutoff is None or one.score >= cutoff]


def differing(
    comparison: Comparison, golden_set: GoldenSet, current: Side, candidate: Side
) -> tuple[str, ...]:
    """Sides and measures whose number is not that of a direct evaluation.

    Args:
        comparison: completed.
        golden_set: what its suite was frozen from.
        current: the first side.
        candidate: the other.
    """
    metrics = comparison.evaluation_summary.metrics
    if metrics is None:
        return ("no number was published",)
    pairs = (("current", metrics.current, current), ("candidate", metrics.candidate, candidate))
    return tuple(
        f"{leg} {field}"
        for leg, told, side in pairs
        for field, value in _measured(golden_set, side).items()
        if getattr(told, field) != value
    )


def _measured(golden_set: GoldenSet, side: Side) -> Mapping[str, float]:
    evaluation = evaluate(golden_set, side, clock=SystemClock(), machine=machine_label())
    return dict(zip(_FIELDS, _values(evaluation.counts), strict=True))


def _values(counts: HitCounts) -> Iterator[float]:
    yield counts.answerable_top1_hits / counts.answerable
    yield counts.answerable_top3_hits / counts.answerable
    yield counts.abstained / counts.no_answer
    yield counts.false_abstained / counts.answerable
    yield counts.top1_hits / counts.questions
    yield counts.top3_hits / counts.questions
