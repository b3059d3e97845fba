"""What does one reported side of a comparison score?

The hub scores, by the hits protocol, what a consumer reports: a document is the document of a
chunk, else the chunk itself, and a result below the cutoff of the side's deployment is none, so
that a search that always finds something can answer that there is nothing. A failed case is a miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from evenhand.core.comparison.pins import LegName, PinnedLeg, Pins
from evenhand.core.comparison.report import CaseReport, ResultReport
from evenhand.core.identity.canonical import json_ascii_v1_digest, sha256_hex
from evenhand.core.identity.provenance import RetrievalProvenance, build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.retrieval.ranking import Answer, Failed, build_retrieved
from evenhand.core.retrieval.suite_revision import FrozenSuite
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.core.scoring.outcome import build_outcomes
from evenhand.core.scoring.protocols import SCORING_VERSION, WINDOW, count_hits
from evenhand.core.scoring.reported import UNKNOWN_CONDITIONS

#: How many results a case may have; what a consumer asked its index for is not known.
DEPTH: Final = 50
_INDEX: Final = "index:"


def score_leg(
    suite: FrozenSuite,
    report: ResultReport,
    name: LegName,
    *,
    pins: Pins,
    retriever: str,
    at: datetime,
) -> Evaluation:
    """The evaluation of one side.

    Args:
        suite: the frozen cases with their labels.
        report: what was sent, which holds each case once.
        name: of the side.
        pins: of the comparison.
        retriever: under which name the evaluation is stored.
        at: when it was reported, aware UTC; when it was run is not known.

    Source: statements C-82, G-55, G-72.
    """
    leg, pinned = report.leg(name), pins.leg(name)
    by_case = leg.by_case
    answers = tuple(_answer(by_case[case.case_id], pinned.score_cutoff) for case in suite.cases)
    golden_set = suite.golden_set
    outcomes = build_outcomes(golden_set, answers, window=WINDOW)
    provenance = leg_provenance(pins, pinned, report.consumer_revision_sha256)
    fingerprints = build_fingerprints(provenance, golden_set.labels_fingerprint, SCORING_VERSION)
    return Evaluation(
        golden_set=golden_set,
        retriever=retriever,
        identity=StoredIdentity(provenance=provenance, fingerprints=fingerprints),
        answers=answers,
        outcomes=outcomes,
        counts=count_hits(outcomes),
        basis=_basis(leg.results),
        depth=DEPTH,
        conditions=UNKNOWN_CONDITIONS,
        started_at=at,
        finished_at=at,
    )


def leg_provenance(
    pins: Pins, pinned: PinnedLeg, consumer_revision_sha256: str
) -> RetrievalProvenance:
    """What a side was run on, as labels: both sides share the corpus, and differ in the rest.

    How documents were cut is a property of the index, so the index stands for it.
    """
    index = _INDEX + sha256_hex(pinned.index_ref.encode())
    pipeline = {
        "index_ref": pinned.index_ref,
        "retrieval_config_sha256": pins.retrieval_config_sha256,
        "embedding_identity": pinned.embedding_identity,
        "runtime_identity": pinned.runtime_identity,
        "score_cutoff": pinned.score_cutoff,
    }
    return RetrievalProvenance(
        corpus_revision=pins.corpus_sha256,
        model_revision=pinned.artifact_digest,
        chunking_identity=index,
        pipeline_identity=json_ascii_v1_digest(pipeline),
        execution_revision=consumer_revision_sha256,
    )


def _answer(case: CaseReport, cutoff: float | None) -> Answer:
    if case.error_code is not None:
        return Failed(error_class=case.error_code)
    kept = [
        (entry.document, entry.score)
        for entry in case.entries
        if cutoff is None or entry.score >= cutoff
    ]
    return build_retrieved(kept, depth=DEPTH, scored=True, latency_ms=round(case.latency_ms))


def _basis(results: Sequence[CaseReport]) -> Basis:
    # Each case that succeeded is matched to a gateway request, or nothing is published. Where none
    # did, no call was witnessed.
    return Basis.WITNESSED if any(one.succeeded for one in results) else Basis.REPORTED
