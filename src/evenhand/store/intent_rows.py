"""Selected model comparisons in rows."""

from __future__ import annotations

from datetime import datetime
from fractions import Fraction
from typing import Any

import msgspec
from sqlalchemy import RowMapping

from evenhand.core.comparison.intent import Intent, IntentState
from evenhand.core.comparison.pins import LegName, PinnedLeg, Pins
from evenhand.core.comparison.summary import EvaluationSummary, LegSummary, MeasureLine
from evenhand.core.errors import Invalid
from evenhand.core.identity.canonical import json_ascii_v1
from evenhand.core.scoring.evaluation import Basis
from evenhand.store.times import text_to_time, time_to_text

Row = dict[str, Any]

_LEG_COLUMNS = (
    "deployment_id",
    "runtime_identity",
    "artifact_digest",
    "embedding_identity",
    "embedding_dimension",
    "route_id",
    "route_name",
    "index_ref",
    "score_cutoff",
)
_PIN_COLUMNS = (
    "project_id",
    "binding_id",
    "client_id",
    "suite_revision_id",
    "suite_content_digest",
    "case_count",
    "corpus_sha256",
    "retrieval_config_sha256",
)
_TIMES = ("claimed_at", "claim_expires_at", "deadline_at", "finished_at")


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    measure: str
    current: str
    candidate: str
    delta: str
    lower_bound: float | None


class _Leg(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    abstained: int
    false_abstained: int
    basis: str


class _Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    comparability_reasons: tuple[str, ...]
    eligibility_reasons: tuple[str, ...]
    tolerance: str
    lines: tuple[_Line, ...]
    no_answer_cases: int
    current: _Leg
    candidate: _Leg


def intent_to_row(intent: Intent) -> Row:
    """All columns of a new intent."""
    pins = intent.pins
    return {
        "id": intent.id,
        "created_at": time_to_text(intent.created_at),
        **{name: getattr(pins, name) for name in _PIN_COLUMNS},
        **{
            f"{leg.value}_{name}": getattr(pins.leg(leg), name)
            for leg in LegName
            for name in _LEG_COLUMNS
        },
        "pins_digest": pins.digest,
        "idempotency_key": intent.idempotency_key,
        "body_digest": intent.body_digest,
        "production_promotion_performed": False,
        **state_to_row(intent),
    }


def state_to_row(intent: Intent) -> Row:
    """The columns that change with its state."""
    return {
        "state": intent.state.value,
        "version": intent.version,
        "current_completed": intent.current_completed,
        "candidate_completed": intent.candidate_completed,
        **{name: _text(getattr(intent, name)) for name in _TIMES},
        "error_code": intent.error_code,
        "token_digest": intent.token_digest,
        "result_digest": intent.result_digest,
    }


def row_to_intent(row: RowMapping) -> Intent:
    """The intent of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    pins = Pins(
        **{name: row[name] for name in _PIN_COLUMNS},
        current=_row_to_leg(row, LegName.CURRENT),
        candidate=_row_to_leg(row, LegName.CANDIDATE),
    )
    if pins.digest != row["pins_digest"]:
        raise Invalid("pins_digest: is not that of what is pinned")
    return Intent(
        id=row["id"],
        idempotency_key=row["idempotency_key"],
        body_digest=row["body_digest"],
        pins=pins,
        state=IntentState(row["state"]),
        version=row["version"],
        current_completed=row["current_completed"],
        candidate_completed=row["candidate_completed"],
        created_at=text_to_time(row["created_at"]),
        **{name: None if row[name] is None else text_to_time(row[name]) for name in _TIMES},
        error_code=row["error_code"],
        token_digest=row["token_digest"],
        result_digest=row["result_digest"],
    )


def summary_to_row(intent_id: str, summary: EvaluationSummary) -> Row:
    """All columns of a summary; shares are written exactly, such as 3/4."""
    document = {
        "comparability_reasons": summary.comparability_reasons,
        "eligibility_reasons": summary.eligibility_reasons,
        "tolerance": str(summary.tolerance),
        "lines": [
            {
                "measure": line.measure,
                "current": str(line.current),
                "candidate": str(line.candidate),
                "delta": str(line.delta),
                "lower_bound": line.lower_bound,
            }
            for line in summary.lines
        ],
        "no_answer_cases": summary.no_answer_cases,
        "current": _leg_document(summary.current),
        "candidate": _leg_document(summary.candidate),
    }
    return {
        "intent_id": intent_id,
        "comparable": summary.comparable,
        "complete": summary.complete,
        "eligible": summary.eligible,
        "critical_regressions": summary.critical_regressions,
        "current_failed": summary.current.failed,
        "candidate_failed": summary.candidate.failed,
        "document": json_ascii_v1(document),
    }


def row_to_summary(row: RowMapping) -> EvaluationSummary:
    """The summary of a row.

    Raises:
        ValueError, Invalid: it is not what was written.
    """
    stored = msgspec.json.decode(row["document"].encode(), type=_Summary)
    summary = EvaluationSummary(
        comparability_reasons=stored.comparability_reasons,
        eligibility_reasons=stored.eligibility_reasons,
        tolerance=Fraction(stored.tolerance),
        lines=tuple(
            MeasureLine(
                measure=line.measure,
                current=Fraction(line.current),
                candidate=Fraction(line.candidate),
                delta=Fraction(line.delta),
                lower_bound=line.lower_bound,
            )
            for line in stored.lines
        ),
        critical_regressions=row["critical_regressions"],
        no_answer_cases=stored.no_answer_cases,
        current=_leg(stored.current, row["current_failed"]),
        candidate=_leg(stored.candidate, row["candidate_failed"]),
    )
    derived = (summary.comparable, summary.complete, summary.eligible)
    if derived != (row["comparable"], row["complete"], row["eligible"]):
        raise Invalid("summary: its reasons contradict what it says")
    return summary


def _row_to_leg(row: RowMapping, leg: LegName) -> PinnedLeg:
    return PinnedLeg(**{name: row[f"{leg.value}_{name}"] for name in _LEG_COLUMNS})


def _leg_document(leg: LegSummary) -> Row:
    return {
        "abstained": leg.abstained,
        "false_abstained": leg.false_abstained,
        "basis": leg.basis.value,
    }


def _leg(stored: _Leg, failed: int) -> LegSummary:
    return LegSummary(
        failed=failed,
        abstained=stored.abstained,
        false_abstained=stored.false_abstained,
        basis=Basis(stored.basis),
    )


def _text(instant: datetime | None) -> str | None:
    return None if instant is None else time_to_text(instant)
