"""What is one evaluation as rows, and how does it come back?

Values in, plain tuples out, and the reverse; no statement is made here. What is stored of an
identity is read with `core.identity.stored`, which answers "unknown" where it cannot be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from typing import Any, Final

import msgspec
from sqlalchemy import RowMapping

from evenhand.core.identity.stored import StoredIdentity, from_stored, to_stored
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.retrieval.golden import DocId, QueryId
from evenhand.core.retrieval.ranking import StoredRanking
from evenhand.core.scoring.evaluation import Basis, Conditions, EvaluationRecord
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.protocols import HitCounts
from evenhand.store.text import require_storable
from evenhand.store.times import text_to_time, time_to_text

_COUNTS: Final = tuple(field.name for field in fields(HitCounts))
_hits_decoder: Final = msgspec.json.Decoder(tuple[JudgedHit, ...])
_grades_decoder: Final = msgspec.json.Decoder(tuple[int, ...])


def record_to_row(record: EvaluationRecord, details: str | None) -> dict[str, Any]:
    """The row of table ``evaluation``.

    Raises:
        InvalidText: a text that a database cannot hold.
    """
    identity = record.identity
    row: dict[str, Any] = {
        "id": record.id,
        "set_identifier": record.set_identifier,
        "set_name": record.set_name,
        "retriever": record.retriever,
        "grader": record.grader,
        "protocol": record.protocol,
        "basis": record.basis.value,
        "depth": record.depth,
        **asdict(record.conditions),
        **asdict(record.counts),
        "privacy": record.privacy.value,
        "provenance": None if identity is None else identity_to_text(identity),
        "benchmark_fingerprint": None if identity is None else identity.fingerprints.benchmark,
        "variant_fingerprint": None if identity is None else identity.fingerprints.variant,
        "release": record.release,
        "details": details,
    }
    for field, value in row.items():
        if isinstance(value, str):
            require_storable(value, field)
    return row | {
        "created_at": time_to_text(record.created_at),
        "started_at": time_to_text(record.started_at),
        "finished_at": time_to_text(record.finished_at),
    }


def row_to_record(row: RowMapping) -> EvaluationRecord:
    """The record of a row; an identity that does not read back as whole is unknown (BP-21)."""
    return EvaluationRecord(
        id=row["id"],
        created_at=text_to_time(row["created_at"]),
        set_identifier=row["set_identifier"],
        set_name=row["set_name"],
        retriever=row["retriever"],
        grader=row["grader"],
        protocol=row["protocol"],
        basis=Basis(row["basis"]),
        depth=row["depth"],
        conditions=row_to_conditions(row),
        counts=row_to_counts(row),
        privacy=PrivacyLevel(row["privacy"]),
        identity=row_to_identity(row),
        started_at=text_to_time(row["started_at"]),
        finished_at=text_to_time(row["finished_at"]),
        release=row["release"],
        qrels_digest=row["qrels_digest"],
    )


def row_to_conditions(row: RowMapping) -> Conditions:
    """What the latencies of a row's result depend on."""
    return Conditions(
        machine=row["machine"], jobs=row["jobs"], warmup=row["warmup"], batch=row["batch"]
    )


def row_to_counts(row: RowMapping) -> HitCounts:
    """The whole numbers of a row's result."""
    return HitCounts(**{name: row[name] for name in _COUNTS})


def identity_to_text(identity: StoredIdentity) -> str:
    """The JSON text of column ``provenance``."""
    return msgspec.json.encode(to_stored(identity.provenance, identity.fingerprints)).decode()


def row_to_identity(row: RowMapping) -> StoredIdentity | None:
    """The identity in a row, None where it is unknown or not to be trusted. Never raises."""
    try:
        document: object = msgspec.json.decode(row["provenance"] or "null")
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return from_stored(document, row["benchmark_fingerprint"], row["variant_fingerprint"])


def outcomes_to_rows(result_id: str, outcomes: Iterable[Outcome]) -> Iterator[tuple[object, ...]]:
    """Rows of table ``evaluation_outcome`` or ``baseline_outcome``, in the order of its columns.

    Raises:
        InvalidText: an error class that a database cannot hold.
    """
    for outcome in outcomes:
        error_class = outcome.error_class
        if error_class is not None:
            require_storable(error_class, "error_class")
        yield (
            result_id,
            outcome.position,
            outcome.state.value,
            outcome.targets,
            outcome.retrieved,
            outcome.window,
            msgspec.json.encode(outcome.judged_hits).decode(),
            outcome.latency_ms,
            error_class,
        )


def grades_to_rows(result_id: str, outcomes: Iterable[Outcome]) -> Iterator[tuple[object, ...]]:
    """Rows of table ``evaluation_grade`` or ``baseline_grade``, in the order of its columns."""
    for outcome in outcomes:
        if outcome.judged_grades is not None:
            grades = msgspec.json.encode(outcome.judged_grades).decode()
            yield result_id, outcome.position, grades


def row_to_outcome(row: RowMapping) -> Outcome:
    """The outcome of a row, with the grades beside it.

    Raises:
        msgspec.DecodeError: the judged hits or the grades are not what was written.
    """
    grades = row["grades"]
    return Outcome(
        position=row["position"],
        state=OutcomeState(row["state"]),
        targets=row["targets"],
        retrieved=row["retrieved"],
        window=row["window"],
        judged_hits=_hits_decoder.decode(row["judged_hits"]),
        latency_ms=row["latency_ms"],
        error_class=row["error_class"],
        judged_grades=None if grades is None else _grades_decoder.decode(grades),
    )


def rankings_to_rows(
    evaluation_id: str, rankings: Iterable[StoredRanking]
) -> Iterator[tuple[str, int, QueryId, bool]]:
    """Rows of table ``evaluation_ranking``, in the order of its columns."""
    for ranking in rankings:
        yield evaluation_id, ranking.position, ranking.query_id, ranking.scores is not None


def documents_to_rows(
    evaluation_id: str, rankings: Iterable[StoredRanking]
) -> Iterator[tuple[str, int, int, DocId, float | None]]:
    """Rows of table ``evaluation_ranked_document``, in the order of its columns."""
    for ranking in rankings:
        scores = ranking.scores or (None,) * len(ranking.documents)
        for rank, (document, score) in enumerate(zip(ranking.documents, scores, strict=True), 1):
            yield evaluation_id, ranking.position, rank, document, score


def rows_to_ranking(
    position: int,
    query_id: bytes,
    documents: Sequence[tuple[bytes, float | None]],
    *,
    is_scored: bool,
) -> StoredRanking:
    """The ranking of its row and of its documents' rows (id and score), in order of rank."""
    return StoredRanking(
        position=position,
        query_id=QueryId(query_id),
        documents=tuple(DocId(document) for document, _ in documents),
        scores=tuple(score for _, score in documents if score is not None) if is_scored else None,
    )
