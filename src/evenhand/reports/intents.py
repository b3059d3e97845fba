"""How does a selected model comparison read, as a hub tells it?

What it says of the two sides is the hub's summary, word for word: nothing is reckoned here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.reports.safe_text import shown_text
from evenhand.wire.intents import Comparison, Metrics, SummaryMetrics

_NAMES: Final = {
    "success_at_1": "Success@1",
    "success_at_3": "Success@3",
    "reciprocal_rank_at_3": "RR@3",
    "abstention": "abstention",
    "false_abstention": "false abstention",
}
_WIDTH: Final = 18


def intent_lines(comparison: Comparison) -> Iterator[str]:
    """Lines of text: where it stands, and what came of it where it is completed."""
    why = "" if comparison.error_code is None else f" ({shown_text(comparison.error_code)})"
    yield f"comparison {comparison.id}: {comparison.state}{why}"
    summary = comparison.evaluation_summary
    if summary.metrics is None:
        return
    yield from _metrics(summary.metrics)
    if summary.failed_cases is not None:
        failed = summary.failed_cases
        yield (
            f"  of {comparison.case_count} cases failed: current {failed.current}, "
            f"candidate {failed.candidate}"
        )
    yield f"  critical regressions: {summary.critical_regression_count}"
    if summary.basis is not None:
        yield f"  basis: current {summary.basis.current}, candidate {summary.basis.candidate}"
    yield f"  comparable: {_answer(is_so=summary.comparable, reasons=summary.comparability_reasons)}"
    yield f"  complete: {_answer(is_so=summary.complete, reasons=())}"
    yield f"  eligible: {_answer(is_so=summary.eligible, reasons=summary.eligibility_reasons)}"
    yield "  nothing was put into production; that is decided elsewhere"


def _metrics(metrics: SummaryMetrics) -> Iterator[str]:
    yield f"  {'':<{_WIDTH}}  current  candidate  difference  lower bound"
    for field, name in _NAMES.items():
        current, candidate = _of(metrics.current, field), _of(metrics.candidate, field)
        if current is None and candidate is None:
            continue
        delta, bound = _of(metrics.delta, field), _of(metrics.lower_bound, field)
        yield (
            f"  {name:<{_WIDTH}}  {_rate(current):>7}  {_rate(candidate):>9}  "
            f"{_signed(delta):>10}  {_signed(bound):>11}"
        )


def _of(metrics: Metrics | None, field: str) -> float | None:
    if metrics is None:
        return None
    value: float | None = getattr(metrics, field)
    return value


def _rate(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _signed(value: float | None) -> str:
    return "none" if value is None else f"{value:+.3f}"


def _answer(*, is_so: bool, reasons: Sequence[str]) -> str:
    why = f" ({', '.join(map(shown_text, reasons))})" if reasons else ""
    return ("yes" if is_so else "no") + why
