"""How is one comparison carried out? Check the pins, ask both sides the same cases, publish.

Each case is asked of both sides one after the other, and the side that comes first changes from
case to case, so that neither is always the one that finds a warm machine. A case that fails is
reported as failed; it ends nothing. When the operator asks for the end, no further case starts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import ValidationError

from evenhand.core.errors import EvenhandError, Fenced
from evenhand.core.errors.comparison import PinsNotMatched
from evenhand.core.errors.database import DatabaseUnavailable
from evenhand.core.errors.gateway import UpstreamFailed
from evenhand.core.errors.publication import HubUnavailable
from evenhand.sdk.claim import ClaimSession, LegName
from evenhand.sdk.client import Embedded, HubClient
from evenhand.sdk.consumer import Hit, Index, RetrievalAdapter, pinned_leg, require_pins
from evenhand.wire import claims as wire
from evenhand.wire.intents import Comparison

#: How each case ended that gave no ranking.
EMBEDDING_FAILED: Final = "EMBEDDING_FAILED"
SEARCH_FAILED: Final = "SEARCH_FAILED"
WRONG_DIMENSION: Final = "EMBEDDING_DIMENSION_NOT_AS_PINNED"
RANKING_REFUSED: Final = "RANKING_NOT_VALID"

_LEGS: Final[tuple[LegName, LegName]] = ("current", "candidate")
_MS: Final = 1000

#: Seconds before a busy deployment is asked again, and again.
_WAITS: Final = (0.5, 2.0)
#: However long it asks to be left alone.
LONGEST_WAIT: Final = 20.0
_BUSY: Final = frozenset({429, 503})
_PASSING: Final = (UpstreamFailed, HubUnavailable, DatabaseUnavailable)


class _ChunkRepeated(Exception):
    """A ranking holds a chunk twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumed:
    """What came of a claim.

    Attributes:
        comparison: as it ended.
        failed_cases: of both sides together.
    """

    comparison: Comparison
    failed_cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    hub: HubClient
    session: ClaimSession
    clock: Callable[[], float]
    pause: Callable[[float], object]

    def ms_since(self, began: float) -> float:
        return (self.clock() - began) * _MS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Try:
    vector: Embedded
    began: float


@dataclass(slots=True, kw_only=True)
class _Leg:
    name: LegName
    index: Index
    route: str
    dimension: int
    score_cutoff: float | None
    results: list[wire.CaseResult] = field(default_factory=list)
    requests: dict[str, str] = field(default_factory=dict)


def consume_claim(
    hub: HubClient,
    session: ClaimSession,
    adapter: RetrievalAdapter,
    *,
    advance: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
    pause: Callable[[float], object] | None = None,
) -> Consumed:
    """Carry out a claim, whatever comes of it.

    Args:
        hub: through whose gateway the queries are embedded.
        session: the claim; it is entered and left here.
        adapter: the project's retrieval engine.
        advance: called after each case of each side.
        clock: seconds, for latencies.
        pause: waits so many seconds before a busy deployment is asked again.

    Returns:
        What came of it: published, failed with a code because the pins do not match, or
        cancelled because the operator asked for it.

    Raises:
        EvenhandError: the hub refused the report or took the claim back.
        HubUnavailable: it cannot be reached, and the lease may have ended.
    """
    run = _Run(hub=hub, session=session, clock=clock, pause=pause or threading.Event().wait)
    with session:
        try:
            legs = [_opened(session, adapter, name) for name in _LEGS]
            for number, case in enumerate(session.cases):
                for leg in legs if number % 2 == 0 else reversed(legs):
                    session.require_open()
                    _ask(run, leg, case)
                    session.complete(leg.name)
                    advance()
            session.require_open()
        except PinsNotMatched as mismatch:
            return Consumed(comparison=session.fail(mismatch.error_code), failed_cases=0)
        except Fenced:
            if not session.cancel_requested:
                raise
            return Consumed(comparison=session.acknowledge_cancellation(), failed_cases=0)
        try:
            return _published(session, adapter, legs)
        except Fenced:
            # The operator may have asked for the end since the last renewal.
            session.report_progress()
            if not session.cancel_requested:
                raise
            return Consumed(comparison=session.acknowledge_cancellation(), failed_cases=0)


def _published(session: ClaimSession, adapter: RetrievalAdapter, legs: Sequence[_Leg]) -> Consumed:
    current, candidate = legs
    comparison = session.publish(
        consumer_revision_sha256=adapter.consumer_revision_sha256,
        current=current.results,
        candidate=candidate.results,
        current_gateway_requests=current.requests,
        candidate_gateway_requests=candidate.requests,
    )
    failed = sum(one.error_code is not None for leg in legs for one in leg.results)
    return Consumed(comparison=comparison, failed_cases=failed)


def _opened(session: ClaimSession, adapter: RetrievalAdapter, name: LegName) -> _Leg:
    pinned = pinned_leg(session.pins, name)
    try:
        index = adapter.open_index(pinned.index_ref)
    except LookupError:
        raise PinsNotMatched(name, "index") from None
    require_pins(name, index, session.pins)
    return _Leg(
        name=name,
        index=index,
        route=pinned.route_name,
        dimension=pinned.embedding_dimension,
        score_cutoff=pinned.score_cutoff,
    )


def _ask(run: _Run, leg: _Leg, case: wire.Case) -> None:
    # Text that is no UTF-8 has no spelling in the JSON that the gateway takes.
    embedded = _embedded(run, leg, case.query) if isinstance(case.query, str) else None
    if embedded is None:
        leg.results.append(_result(case, (), 0.0, EMBEDDING_FAILED))
        return
    result = _searched(run, leg, case, embedded)
    if result.error_code is None:
        leg.requests[case.case_id] = embedded.vector.request_id
    leg.results.append(result)


def _embedded(run: _Run, leg: _Leg, query: str) -> _Try | None:
    for wait in (*_WAITS, None):
        began = run.clock()
        try:
            return _Try(vector=run.hub.embed(leg.route, query), began=began)
        except EvenhandError as error:
            if not _may_pass(error):
                raise
            if wait is None:
                # Why is in the gateway's own record of the request.
                return None
            asked_for = getattr(error, "retry_after", None) or 0
            run.pause(max(wait, min(asked_for, LONGEST_WAIT)))
        run.session.require_open()
    return None


def _may_pass(error: EvenhandError) -> bool:
    return isinstance(error, _PASSING) or getattr(error, "status", None) in _BUSY


def _searched(run: _Run, leg: _Leg, case: wire.Case, found: _Try) -> wire.CaseResult:
    vector = found.vector.vector
    if len(vector) != leg.dimension:
        return _result(case, (), run.ms_since(found.began), WRONG_DIMENSION)
    try:
        hits = leg.index.search(vector)
        latency_ms = run.ms_since(found.began)
        return _result(case, _answering(leg, _ranked(hits)), latency_ms, None)
    except (ValidationError, _ChunkRepeated):
        return _result(case, (), run.ms_since(found.began), RANKING_REFUSED)
    except Exception:  # noqa: BLE001 - whatever the project's engine raises is a failed case
        return _result(case, (), run.ms_since(found.began), SEARCH_FAILED)


def _ranked(hits: Sequence[Hit]) -> Sequence[wire.RankedResult]:
    """All of it, or a refusal: what the cutoff would leave out has to be a ranking, too."""
    ranked = [
        wire.RankedResult(
            chunk_id=one.chunk_id, document_id=one.document_id, score=float(one.score)
        )
        for one in hits
    ]
    if len({one.chunk_id for one in ranked}) != len(ranked):
        raise _ChunkRepeated
    return ranked


def _answering(leg: _Leg, ranked: Sequence[wire.RankedResult]) -> Sequence[wire.RankedResult]:
    cutoff = leg.score_cutoff
    kept = [one for one in ranked if cutoff is None or one.score >= cutoff]
    return kept[: wire.MOST_RANKED]


def _result(
    case: wire.Case,
    ranked: Sequence[wire.RankedResult],
    latency_ms: float,
    error_code: str | None,
) -> wire.CaseResult:
    return wire.CaseResult(
        case_id=case.case_id,
        ranked_results=list(ranked),
        latency_ms=min(latency_ms, wire.LONGEST_MS),
        error_code=error_code,
    )
