"""Vectors of decisions: provenance, fingerprints, baselines, regressions, leases, events."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from evenhand.contracts.events import validate_event
from evenhand.core.comparison import lease
from evenhand.core.comparison.baseline import baseline_state
from evenhand.core.comparison.difference import parse_share, pooled_regression
from evenhand.core.comparison.flag import FlagResult, regression_flag
from evenhand.core.errors import InvalidEvent
from evenhand.core.errors.identity import InvalidLabel
from evenhand.core.identity.canonical import compact_json
from evenhand.core.identity.provenance import (
    RetrievalProvenance,
    benchmark_members,
    build_fingerprints,
    variant_members,
)
from evenhand.core.scoring.protocols import HitCounts
from evenhand.core.verdict import VerdictState
from evenhand.usecases.vectors.expectation import Case, accepts, compare

_CLAIMED_AT: Final = datetime(2026, 9, 9, tzinfo=UTC)

# "by regression": the flag follows the regression. A 1 in the vectors means "not zero" (G-12).
_EXITS: Final[Mapping[frozenset[FlagResult], int | str]] = {
    frozenset({FlagResult.PASS}): 0,
    frozenset({FlagResult.NOT_COMPARABLE}): 1,
    frozenset({FlagResult.PASS, FlagResult.REGRESSION}): "by regression",
}


def check_provenance_labels(case: Case, defaults: Case) -> Iterator[str]:
    """Whether a value may stand in one field, the others being legal."""
    document = {**defaults, case["field"]: case["value"]}
    accepted = accepts(lambda: RetrievalProvenance.from_dict(document), InvalidLabel)
    yield from compare("accept", case["accept"], accepted)


def check_run_fingerprints(case: Case, _defaults: Case) -> Iterator[str]:
    """Benchmark and variant fingerprints with their canonical texts; none without provenance."""
    stated = case["provenance"]
    provenance = None if stated is None else RetrievalProvenance.from_dict(stated)
    labels, version = case["labels_fingerprint"], case["scoring_version"]
    built = build_fingerprints(provenance, labels, version)
    yield from compare("benchmark_fingerprint", case["benchmark_fingerprint"], built.benchmark)
    yield from compare("variant_fingerprint", case["variant_fingerprint"], built.variant)
    if provenance is not None:
        members = benchmark_members(provenance.corpus_revision, labels, version)
        yield from compare(
            "benchmark_canonical", case["benchmark_canonical"], compact_json(members)
        )
        members = variant_members(provenance)
        yield from compare("variant_canonical", case["variant_canonical"], compact_json(members))


def check_baseline_state(case: Case, _defaults: Case) -> Iterator[str]:
    """State against the previous run, whether there is a number, and what the flag makes of it."""
    previous = case["previous"]
    state = baseline_state(
        _known_benchmark(case["current"]),
        None if previous is None else _known_benchmark(previous),
        has_previous=previous is not None,
    )
    results = frozenset(regression_flag(state, is_regression=fell) for fell in (False, True))
    is_numeric = state is VerdictState.COMPARABLE
    yield from compare("state", case["state"], state.value)
    yield from compare("numeric_verdict", case["numeric_verdict"], is_numeric)
    yield from compare("exit_without_flag", case["exit_without_flag"], 0)
    yield from compare("exit_with_flag", case["exit_with_flag"], _EXITS[results])


def check_regression_arithmetic(case: Case, _defaults: Case) -> Iterator[str]:
    """Exact decision over counts with thresholds given as decimal text."""
    regression = pooled_regression(
        _counts(case["previous"]),
        _counts(case["current"]),
        max_top1_drop=parse_share("max_top1_drop", case["max_top1_drop"]),
        max_top3_drop=parse_share("max_top3_drop", case["max_top3_drop"]),
    )
    yield from compare("top1_regressed", case["top1_regressed"], regression.top1_regressed)
    yield from compare("top3_regressed", case["top3_regressed"], regression.top3_regressed)
    yield from compare("regression", case["regression"], regression.is_regression)


def check_lease(case: Case, _defaults: Case) -> Iterator[str]:
    """Each step of a claim's life at its instant, and the state in the end."""
    first, *later = case["steps"]
    held = lease.claim(_instant(first["at"]))
    yield from compare("step 1, op", first["op"], "claim")
    yield from _compare_step("step 1", first, lease.Step(claim=held, refusal=None))
    for number, step in enumerate(later, start=2):
        taken = _STEPS[step["op"]](held, _instant(step["at"]))
        yield from _compare_step(f"step {number}", step, taken)
        held = taken.claim
    yield from compare("final_state", case["final_state"], held.state.value)


def check_event_contract(case: Case, _defaults: Case) -> Iterator[str]:
    """Whether a payload is an event."""
    accepted = accepts(lambda: validate_event(case["event"]), InvalidEvent)
    yield from compare("accept", case["accept"], accepted)


def _known_benchmark(run: Case) -> str | None:
    # Fingerprint text alone is not enough: its declaration has to read back as well.
    benchmark: str = run["benchmark"]
    return benchmark if run["provenance_valid"] and benchmark else None


def _counts(run: Case) -> HitCounts:
    return HitCounts(
        questions=run["questions"],
        answerable=run["questions"],
        no_answer=0,
        failed=0,
        unjudged=0,
        top1_hits=run["top1"],
        top3_hits=run["top3"],
        answerable_top1_hits=run["top1"],
        answerable_top3_hits=run["top3"],
        abstained=0,
        false_abstained=0,
    )


def _compare_step(where: str, step: Case, taken: lease.Step) -> Iterator[str]:
    result = "ok" if taken.refusal is None else "refused"
    yield from compare(f"{where}, result", step["result"], result)
    if "state" in step:
        yield from compare(f"{where}, state", step["state"], taken.claim.state.value)
    if "expires_at" in step:
        expected = _instant(step["expires_at"])
        yield from compare(f"{where}, expires_at", expected, taken.claim.expires_at)
    if "deadline_at" in step:
        expected = _instant(step["deadline_at"])
        yield from compare(f"{where}, deadline_at", expected, taken.claim.deadline_at)


def _instant(seconds: float) -> datetime:
    return _CLAIMED_AT + timedelta(seconds=seconds)


def _read(held: lease.Claim, now: datetime) -> lease.Step:
    return lease.Step(claim=lease.observe(held, now), refusal=None)


_STEPS: Final[Mapping[str, Callable[[lease.Claim, datetime], lease.Step]]] = {
    "progress": lease.progress,
    "result": lease.result,
    "read": _read,
    "finish": lambda held, now: lease.finish(held, now, lease.ClaimState.FAILED),
}
