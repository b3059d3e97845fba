"""Everything that was kept of one evaluation, as one JSON value that people and tools can read."""

from __future__ import annotations

from typing import Any

import msgspec

from evenhand.core.identity.legacy_bytes import encode_at_full
from evenhand.core.identity.stored import to_stored
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.usecases.evaluations import Kept

FORMAT = "evenhand.evaluation-export/1"


def export_document(kept: Kept) -> dict[str, Any]:
    """The JSON value of an export.

    Ids that are not UTF-8 are spelt as the ``retrieval-bytes-v1`` tag. What the privacy level did
    not keep is null.
    """
    return {
        "format": FORMAT,
        "evaluation": _record(kept.record),
        "outcomes": None if kept.outcomes is None else [_outcome(one) for one in kept.outcomes],
        "run": None if kept.rankings is None else [_ranking(one) for one in kept.rankings],
        # A policy of somebody's own may have left text that is no JSON, or nothing.
        "details": _decoded(kept.details) if kept.details else None,
    }


def _record(record: EvaluationRecord) -> dict[str, Any]:
    identity = record.identity
    document = {
        "id": record.id,
        "created_at": record.created_at.isoformat(),
        "started_at": record.started_at.isoformat(),
        "finished_at": record.finished_at.isoformat(),
        "set_identifier": record.set_identifier,
        "set_name": record.set_name,
        "retriever": record.retriever,
        "grader": record.grader,
        "protocol": record.protocol,
        "basis": record.basis.value,
        "depth": record.depth,
        "privacy": record.privacy.value,
        "release": record.release,
        "conditions": msgspec.to_builtins(record.conditions),
        "counts": msgspec.to_builtins(record.counts),
        "provenance": None,
        "benchmark_fingerprint": None,
        "variant_fingerprint": None,
        "qrels_digest": record.qrels_digest,
    }
    if identity is not None:
        document["provenance"] = to_stored(identity.provenance, identity.fingerprints)
        document["benchmark_fingerprint"] = identity.fingerprints.benchmark
        document["variant_fingerprint"] = identity.fingerprints.variant
    return document


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "position": outcome.position,
        "state": outcome.state.value,
        "targets": outcome.targets,
        "retrieved": outcome.retrieved,
        "window": outcome.window,
        "judged_hits": [list(hit) for hit in outcome.judged_hits],
        "latency_ms": outcome.latency_ms,
        "error_class": outcome.error_class,
        "judged_grades": None if outcome.judged_grades is None else list(outcome.judged_grades),
    }


def _ranking(ranking: StoredRanking) -> dict[str, Any]:
    return {
        "position": ranking.position,
        "query_id": _spelt(ranking.query_id),
        "documents": [_spelt(document) for document in ranking.documents],
        "scores": None if ranking.scores is None else list(ranking.scores),
    }


def _spelt(identifier: bytes) -> object:
    return encode_at_full(identifier, lambda value: value)


def _decoded(details: str) -> object:
    try:
        return msgspec.json.decode(details)
    except msgspec.DecodeError:
        return details
