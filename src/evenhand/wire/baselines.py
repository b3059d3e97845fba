"""What does the API tell of pinned baselines? Identities and counts, who chose it and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import Field

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.core.scoring.protocols import HitCounts
from evenhand.wire.evaluations import Counts, Identity, Rates, identity_to_wire, rates_to_wire
from evenhand.wire.shapes import Answer, Strict


class NewBaseline(Strict):
    """Which result later ones are to be compared with, and why."""

    evaluation_id: str = Field(min_length=1, max_length=64, description="The whole id.")
    note: str = Field(default="", max_length=2000, description="Why; any viewer reads it.")


class Baseline(Answer):
    """A result that somebody chose to compare later ones with."""

    id: str
    golden_set: str
    retriever: str
    set_at: datetime
    actor: str = Field(description="Who chose it.")
    note: str
    evaluation_id: str | None = Field(
        description="What it was copied from, which may be gone; null where that was a file."
    )
    basis: str
    depth: int
    protocol: str
    counts: Counts
    rates: Rates
    identity: Identity


class BaselineDetail(Baseline):
    """A baseline with every other one of its set and retriever."""

    is_active: bool = Field(description="Whether it is the newest of its set and retriever.")
    history: list[Baseline] = Field(
        description="All of its set and retriever, newest first, at most 100; this one is in it."
    )


class NewlyPinned(Answer):
    """What setting a baseline did."""

    baseline: Baseline
    replaced: str | None = Field(description="Id of the one that was active before.")
    benchmark_changed: bool = Field(
        description="Whether results that compared with the former one no longer do."
    )


def baseline_to_wire(baseline: PinnedBaseline) -> Baseline:
    """The item of a list."""
    return Baseline(**_members(baseline))


def detail_to_wire(baseline: PinnedBaseline, history: Sequence[PinnedBaseline]) -> BaselineDetail:
    """One baseline.

    Args:
        baseline: the one.
        history: of its set and retriever, newest first.
    """
    return BaselineDetail(
        **_members(baseline),
        is_active=bool(history) and history[0].id == baseline.id,
        history=list(map(baseline_to_wire, history)),
    )


def _members(baseline: PinnedBaseline) -> dict[str, Any]:
    counts: HitCounts = baseline.counts
    return {
        "id": baseline.id,
        "golden_set": baseline.set_identifier,
        "retriever": baseline.retriever,
        "set_at": baseline.set_at,
        "actor": baseline.actor,
        "note": baseline.note,
        "evaluation_id": baseline.evaluation_id,
        "basis": baseline.basis.value,
        "depth": baseline.depth,
        "protocol": baseline.scoring_version,
        "counts": Counts(**asdict(counts)),
        "rates": rates_to_wire(counts),
        "identity": identity_to_wire(baseline.identity),
    }
