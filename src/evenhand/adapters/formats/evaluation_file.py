"""Reads what ``evenhand evaluations export`` wrote: ``evenhand.evaluation-export/1``.

Nothing that can be computed is taken on trust: counts come from the outcomes, fingerprints from
the declaration. Rows from before there were declarations have none, and are unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from evenhand.adapters.formats.lines import read_whole
from evenhand.adapters.formats.outcome_records import (
    ConditionsRecord,
    CountsRecord,
    Fingerprint,
    Name,
    OutcomeRecord,
    Positive,
    ProvenanceRecord,
    Whole,
    convert,
    read_counts,
    read_outcomes,
    require_counts,
    require_identity,
)
from evenhand.adapters.formats.strict_json import decode_object
from evenhand.core.errors import InvalidFile, InvalidText
from evenhand.core.errors.identity import UnknownEncoding
from evenhand.core.identity.canonical import readable_json
from evenhand.core.identity.legacy_bytes import decode_text
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import DocId, QueryId
from evenhand.core.retrieval.ranking import StoredRanking, distinct_documents
from evenhand.core.scoring.evaluation import Basis, Conditions, EvaluationRecord
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import GRADER, SCORING_VERSION
from evenhand.usecases.evaluations import Kept

FORMAT: Final = "evenhand.evaluation-export/1"
#: Bytes of JSON that are read at most.
MAX_BYTES: Final = 2**30

_Id = Annotated[
    str, msgspec.Meta(pattern="^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$")
]
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    id: _Id
    created_at: _Time
    started_at: _Time
    finished_at: _Time
    set_identifier: Name
    set_name: str
    retriever: Name
    grader: str
    protocol: str
    basis: Literal["imported", "local", "reported", "witnessed"]
    depth: Positive
    privacy: Literal["none", "metadata", "redacted", "full"]
    release: str
    conditions: ConditionsRecord
    counts: CountsRecord
    # Absent in rows from before there were declarations.
    provenance: ProvenanceRecord | None = None
    benchmark_fingerprint: Fingerprint | None = None
    variant_fingerprint: Fingerprint | None = None
    # Absent in files from before grades were kept.
    qrels_digest: Fingerprint | None = None


class _Ranking(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    position: Whole
    query_id: str | dict[str, object]
    documents: list[str | dict[str, object]]
    scores: list[float] | None


class _Export(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    format: Literal["evenhand.evaluation-export/1"]
    evaluation: _Record
    outcomes: list[OutcomeRecord] | None
    run: list[_Ranking] | None
    details: Any


def read_evaluation(path: Path) -> Kept:
    """The evaluation that a JSON file holds, as it was exported.

    Raises:
        InvalidFile: it is no such file, or contradicts itself; names the place and the rule.
    """
    file = path.name
    return evaluation_of(decode_object(read_whole(path, file, limit=MAX_BYTES), file, None), file)


def evaluation_of(document: Mapping[str, object], file: str) -> Kept:
    """The evaluation of an export's document; raises as `read_evaluation`."""
    if document.get("format") != FORMAT:
        raise InvalidFile(file, "format: is not evenhand.evaluation-export/1")
    export = convert(document, _Export, file)
    record, level = export.evaluation, PrivacyLevel(export.evaluation.privacy)
    _require_known_protocol(record, file)
    _require_kept(export, level, file)
    outcomes = None if export.outcomes is None else read_outcomes(export.outcomes, file)
    if outcomes is None:
        counts = read_counts(record.counts, file)
    else:
        counts = require_counts(record.counts, outcomes, file)
    return Kept(
        record=EvaluationRecord(
            id=record.id,
            created_at=record.created_at,
            started_at=record.started_at,
            finished_at=record.finished_at,
            set_identifier=record.set_identifier,
            set_name=record.set_name,
            retriever=record.retriever,
            grader=record.grader,
            protocol=record.protocol,
            basis=Basis(record.basis),
            depth=record.depth,
            conditions=Conditions(**msgspec.to_builtins(record.conditions)),
            counts=counts,
            privacy=level,
            identity=_identity(record, file),
            release=record.release,
            qrels_digest=record.qrels_digest,
        ),
        outcomes=outcomes,
        rankings=_rankings(export.run, outcomes, file),
        details=_details(export.details),
    )


def _require_known_protocol(record: _Record, file: str) -> None:
    if (record.protocol, record.grader) != (SCORING_VERSION, GRADER):
        raise InvalidFile(file, "evaluation.protocol: is none that this release can count")


def _require_kept(export: _Export, level: PrivacyLevel, file: str) -> None:
    if (export.outcomes is not None) is not level.keeps_outcomes:
        raise InvalidFile(
            file, "outcomes: are there from privacy level metadata up, and only then"
        )
    if (export.run is not None) is not level.keeps_run:
        raise InvalidFile(file, "run: is there at privacy level full, and only then")
    if export.details is not None and level is not PrivacyLevel.FULL:
        raise InvalidFile(file, "details: are there at privacy level full, and only then")


def _identity(record: _Record, file: str) -> StoredIdentity | None:
    stated = (record.provenance, record.benchmark_fingerprint, record.variant_fingerprint)
    if stated == (None, None, None):
        return None
    provenance, benchmark, variant = stated
    if provenance is None or benchmark is None or variant is None:
        raise InvalidFile(file, "provenance: is known with both fingerprints, or not at all")
    if provenance.scoringVersion != record.protocol:
        raise InvalidFile(file, "provenance.scoringVersion: is not the evaluation's protocol")
    return require_identity(provenance, benchmark, variant, file)


def _rankings(
    run: list[_Ranking] | None, outcomes: tuple[Outcome, ...] | None, file: str
) -> tuple[StoredRanking, ...] | None:
    if run is None or outcomes is None:
        return None
    rankings = tuple(_ranking(place, one, outcomes, file) for place, one in enumerate(run))
    for place, (one, other) in enumerate(pairwise(rankings), 1):
        if one.position >= other.position or one.query_id >= other.query_id:
            raise InvalidFile(file, _of_run(place, "positions and query ids must rise"))
    return rankings


def _ranking(place: int, one: _Ranking, outcomes: tuple[Outcome, ...], file: str) -> StoredRanking:
    try:
        query_id = decode_text(one.query_id)
        documents = tuple(DocId(decode_text(document)) for document in one.documents)
    except (UnknownEncoding, InvalidText):
        raise InvalidFile(
            file, _of_run(place, "holds an id that is neither text nor tag")
        ) from None
    outcome = outcomes[one.position] if one.position < len(outcomes) else None
    if outcome is None or outcome.retrieved is None or not query_id:
        raise InvalidFile(file, _of_run(place, "belongs to no question that was answered"))
    # A policy of somebody's own may have emptied ids, so there may be fewer.
    if len(distinct_documents(documents)) > outcome.retrieved:
        raise InvalidFile(file, _of_run(place, "has more documents than its outcome says"))
    if one.scores is not None and not _are_scores(one.scores, len(documents)):
        raise InvalidFile(file, _of_run(place, "needs one finite score beside each document"))
    return StoredRanking(
        position=one.position,
        query_id=QueryId(query_id),
        documents=documents,
        scores=None if one.scores is None else tuple(one.scores),
    )


def _are_scores(scores: list[float], documents: int) -> bool:
    return len(scores) == documents and all(map(math.isfinite, scores))


def _details(details: object) -> str | None:
    # What was no JSON was exported as the text it was.
    if details is None or isinstance(details, str):
        return details
    return readable_json(details)


def _of_run(place: int, rule: str) -> str:
    return f"run[{place}]: {rule}"
