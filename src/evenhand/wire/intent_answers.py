"""How does a comparison of the core become what the API tells of it?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.core.comparison import intent as core
from evenhand.core.comparison import pins as pinned
from evenhand.core.comparison import summary as measured
from evenhand.core.comparison.admission import IntentRequest
from evenhand.core.comparison.concluded import Concluded
from evenhand.core.comparison.difference import DEFAULT_MAX_DROP
from evenhand.core.comparison.pins import CAPABILITY, LegName
from evenhand.core.comparison.summary import MEASURES, NOT_COMPLETED
from evenhand.wire import intents as wire

_NOTHING_YET: Final = wire.EvaluationSummary(
    comparable=False,
    comparability_reasons=[NOT_COMPLETED],
    complete=False,
    eligible=False,
    eligibility_reasons=[NOT_COMPLETED],
    tolerance=float(DEFAULT_MAX_DROP),
    metrics=None,
    critical_regression_count=None,
    failed_cases=None,
    no_answer=None,
    basis=None,
    evaluations=None,
)


def request_to_core(body: wire.NewIntent) -> IntentRequest:
    """What is wanted, without the key."""
    return IntentRequest(
        binding_id=body.project_binding_id,
        client_id=body.consumer_client_id,
        suite_revision_id=body.suite_revision_id,
        current_deployment_id=body.current_deployment_id,
        candidate_deployment_id=body.candidate_deployment_id,
        candidate_route_id=body.candidate_route_id,
        corpus_sha256=body.corpus_sha256,
        retrieval_config_sha256=body.retrieval_config_sha256,
        current_index_ref=body.current_index_ref,
        candidate_index_ref=body.candidate_index_ref,
    )


def comparison_to_wire(one: core.Intent, concluded: Concluded | None) -> wire.Comparison:
    """A comparison; neither its token nor anything that proves one.

    Args:
        one: the intent.
        concluded: what came of it; None where it was not completed.
    """
    pins = one.pins
    return wire.Comparison(
        id=one.id,
        project_id=pins.project_id,
        project_binding_id=pins.binding_id,
        consumer_client_id=pins.client_id,
        suite_revision_id=pins.suite_revision_id,
        current_deployment_id=pins.current.deployment_id,
        candidate_deployment_id=pins.candidate.deployment_id,
        candidate_route_id=pins.candidate.route_id,
        corpus_sha256=pins.corpus_sha256,
        retrieval_config_sha256=pins.retrieval_config_sha256,
        current_index_ref=pins.current.index_ref,
        candidate_index_ref=pins.candidate.index_ref,
        state=one.state.value,
        version=one.version,
        pins=_pins(pins),
        pins_digest=pins.digest,
        case_count=pins.case_count,
        current_completed_cases=one.current_completed,
        candidate_completed_cases=one.candidate_completed,
        created_at=one.created_at,
        claimed_at=one.claimed_at,
        claim_expires_at=one.claim_expires_at,
        deadline_at=one.deadline_at,
        finished_at=one.finished_at,
        error_code=one.error_code,
        evaluation_summary=_NOTHING_YET if concluded is None else _summary(concluded),
    )


def history_to_wire(found: Sequence[wire.Comparison], query: wire.HistoryQuery) -> wire.History:
    """A page of the history.

    Args:
        found: one more than the page holds where the history goes on.
        query: which page was asked for.
    """
    following = query.offset + query.limit
    goes_on = len(found) > query.limit and following <= wire.LAST_OFFSET
    return wire.History(
        items=list(found[: query.limit]), next_offset=following if goes_on else None
    )


def _pins(pins: pinned.Pins) -> wire.Pins:
    return wire.Pins(
        project_id=pins.project_id,
        project_binding_id=pins.binding_id,
        consumer_client_id=pins.client_id,
        capability=CAPABILITY.value,
        suite_revision_id=pins.suite_revision_id,
        suite_content_digest=pins.suite_content_digest,
        case_count=pins.case_count,
        corpus_sha256=pins.corpus_sha256,
        retrieval_config_sha256=pins.retrieval_config_sha256,
        current=_leg(pins.current),
        candidate=_leg(pins.candidate),
    )


def _leg(leg: pinned.PinnedLeg) -> wire.PinnedLeg:
    return wire.PinnedLeg(**leg.document, route_name=leg.route_name)  # type: ignore[arg-type]


def _summary(concluded: Concluded) -> wire.EvaluationSummary:
    summary, ids = concluded.summary, concluded.evaluation_ids
    current, candidate = summary.current, summary.candidate
    return wire.EvaluationSummary(
        comparable=summary.comparable,
        comparability_reasons=list(summary.comparability_reasons),
        complete=summary.complete,
        eligible=summary.eligible,
        eligibility_reasons=list(summary.eligibility_reasons),
        tolerance=float(summary.tolerance),
        metrics=_metrics(summary),
        critical_regression_count=summary.critical_regressions,
        failed_cases=wire.OfBoth(current=current.failed, candidate=candidate.failed),
        no_answer=wire.NoAnswer(
            cases=summary.no_answer_cases,
            current=_abstained(current),
            candidate=_abstained(candidate),
        ),
        basis=wire.Bases(current=current.basis.value, candidate=candidate.basis.value),  # type: ignore[arg-type]
        evaluations=wire.EvaluationIds(
            current=ids.get(LegName.CURRENT), candidate=ids.get(LegName.CANDIDATE)
        ),
    )


def _metrics(summary: measured.EvaluationSummary) -> wire.SummaryMetrics:
    lines = summary.lines
    shown = summary.comparable
    return wire.SummaryMetrics(
        current=_values({line.measure: float(line.current) for line in lines}),
        candidate=_values({line.measure: float(line.candidate) for line in lines}),
        delta=_values({line.measure: float(line.delta) for line in lines}) if shown else None,
        lower_bound=_values({line.measure: line.lower_bound for line in lines}) if shown else None,
    )


def _values(found: dict[str, float | None] | dict[str, float]) -> wire.Metrics:
    return wire.Metrics(**{name: found.get(name) for name in MEASURES})


def _abstained(leg: measured.LegSummary) -> wire.Abstained:
    return wire.Abstained(abstained=leg.abstained, false_abstained=leg.false_abstained)
