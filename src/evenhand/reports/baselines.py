"""What is a pinned baseline, in lines of text and as JSON? Its outcomes are left to the export."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from evenhand.core.comparison.pinned import PinnedBaseline
from evenhand.reports import numbers
from evenhand.reports.rates import count_views, headline_rates
from evenhand.reports.safe_text import shown_id, shown_text


def baseline_document(baseline: PinnedBaseline) -> dict[str, Any]:
    """A baseline as a JSON value: identities, counts, who pinned it and why; no outcomes."""
    return {
        "id": baseline.id,
        "set": baseline.set_identifier,
        "retriever": baseline.retriever,
        "set_at": baseline.set_at.isoformat(),
        "actor": baseline.actor,
        "note": baseline.note,
        "evaluation": baseline.evaluation_id,
        "basis": baseline.basis.value,
        "depth": baseline.depth,
        "conditions": asdict(baseline.conditions),
        "counts": asdict(baseline.counts),
        "provenance": baseline.provenance.to_dict(),
        "labels": baseline.labels_fingerprint,
        "benchmark": baseline.benchmark_fingerprint,
        "variant": baseline.variant_fingerprint,
        "scoring_version": baseline.scoring_version,
    }


def baseline_lines(baseline: PinnedBaseline) -> Iterator[str]:
    """A baseline as lines of text."""
    provenance = baseline.provenance
    source = baseline.evaluation_id or "read from a file"
    yield f"{shown_id(baseline.set_identifier)}  {shown_id(baseline.retriever)}"
    yield f"  set         {numbers.instant_text(baseline.set_at)} by {shown_text(baseline.actor)}"
    if baseline.note:
        yield f"  note        {shown_text(baseline.note)}"
    yield f"  evaluation  {source}, basis {baseline.basis.value}"
    yield f"  corpus      {provenance.corpus_revision}"
    yield f"  model       {provenance.model_revision}"
    yield f"  chunking    {provenance.chunking_identity}"
    yield f"  pipeline    {provenance.pipeline_identity}"
    yield f"  execution   {provenance.execution_revision or 'unknown'}"
    yield f"  labels      {baseline.labels_fingerprint}"
    yield f"  benchmark   {baseline.benchmark_fingerprint}"
    yield f"  variant     {baseline.variant_fingerprint}"
    counted = (f"{one.name} {one.number}" for one in count_views(baseline.counts))
    yield f"  questions   {', '.join(counted)}"
    for rate in headline_rates(baseline.counts):
        yield f"  {rate.name}: {rate.text}"


def history_lines(baselines: Iterable[PinnedBaseline]) -> Iterator[str]:
    """Three lines each, in the order given: when and what; Success@1; whence, who and why."""
    for one in baselines:
        success = numbers.rate_text(one.counts.answerable_top1_hits, one.counts.answerable)
        benchmark = numbers.short(one.benchmark_fingerprint or "")
        yield "  ".join(
            (
                numbers.instant_text(one.set_at),
                shown_id(one.set_identifier),
                shown_id(one.retriever),
            )
        )
        yield f"  Success@1 {success}  benchmark {benchmark}"
        source = one.evaluation_id or "read from a file"
        note = f": {shown_text(one.note)}" if one.note else ""
        yield f"  {source}  by {shown_text(one.actor)}{note}"
