"""What does the page of a comparison show? The verdict first, then what it allows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evenhand.console.addresses import (
    compare_address,
    evaluation_address,
    flips_csv_address,
)
from evenhand.console.charts.differences import DifferenceChart, build_difference_chart
from evenhand.console.charts.moves import MoveChart, Rank, build_move_chart
from evenhand.core.comparison.cases import pair_outcomes
from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.set_use import SetUseCounts
from evenhand.core.comparison.side import Side, stored_side
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.evaluation import EvaluationRecord
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.reports.comparison_parts import ComparisonView, Scales, page_scales
from evenhand.reports.comparison_view import ComparisonHints, build_comparison_view
from evenhand.usecases.comparisons import BASELINE
from evenhand.usecases.ports.browsing import BaselineEntry

_HELD_OUT: Final = (
    "These are results of a part that is held out. Each look at their difference is counted in "
    "the ledger of the set, and this page writes nothing. The command counts it:"
)
_NOT_COUNTED: Final = (
    "Looking here is not counted as a decision. Where one rests on it, this command counts it in "
    "the ledger of the set:"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonParts:
    """What is made of every outcome of two comparable results.

    Attributes:
        view: what every report shows of the comparison.
        scales: one axis for all differences of a kind.
        primary: where the primary difference is drawn; None where there is none.
        moves: ranks against ranks; None where nothing has both.
    """

    view: ComparisonView
    scales: Scales
    primary: DifferenceChart | None
    moves: MoveChart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """A comparison of two stored results.

    Attributes:
        view: without a number; verdict, reasons, advice and identities.
        addresses: of the pages of both sides; empty for a baseline.
        swapped: address of the same with the sides exchanged; empty for a baseline.
        choose: address at which another current side is proposed.
        command: what counts the decision, or shows what this page may not.
        command_says: why it is told.
        flips: address of the questions won and lost as CSV; empty where none may be shown.
        parts: makes what rests on every outcome; None where no difference may be shown.
    """

    view: ComparisonView
    addresses: tuple[str, str]
    swapped: str
    choose: str
    command: str
    command_says: str
    flips: str
    parts: Callable[[], ComparisonParts] | None


def baseline_side(entry: BaselineEntry, candidate: EvaluationRecord) -> Side:
    """The active baseline of a candidate's set and retriever as a side, without outcomes."""
    return Side(
        retriever=candidate.retriever,
        set_identifier=candidate.set_identifier,
        identity=entry.identity,
        protocol=candidate.protocol
        if entry.identity is None
        else entry.identity.fingerprints.scoring_version,
        depth=entry.depth,
        basis=entry.basis,
        conditions=entry.conditions,
        counts=entry.counts,
        outcomes=None,
        evaluation_id=entry.evaluation_id,
        created_at=entry.set_at,
        is_baseline=True,
        qrels_digest=entry.qrels_digest,
    )


def build_comparison(
    current: Side,
    candidate: EvaluationRecord,
    *,
    golden_set: str | None,
    parts: Callable[[], ComparisonParts],
) -> ComparisonPage:
    """The page of a comparison; without ``comparable`` it holds no number.

    Args:
        current: the current side, without outcomes.
        candidate: the candidate.
        golden_set: what somebody types for the set; None where that is not known.
        parts: makes what rests on every outcome.
    """
    comparison = compare_sides(current, stored_side(candidate, None))
    view = build_comparison_view(
        comparison, hints=ComparisonHints(golden_set=golden_set or candidate.set_identifier)
    )
    one = BASELINE if current.is_baseline else str(current.evaluation_id)
    is_shown = comparison.is_comparable and not comparison.is_holdout
    command = f"evenhand compare {one} {candidate.id}" if comparison.is_comparable else ""
    return ComparisonPage(
        view=view,
        addresses=(
            "" if current.is_baseline else evaluation_address(one),
            evaluation_address(candidate.id),
        ),
        swapped="" if current.is_baseline else compare_address(candidate.id, one),
        choose=compare_address(None, candidate.id),
        command=command,
        command_says=_NOT_COUNTED if is_shown else _HELD_OUT,
        flips=flips_csv_address(one, candidate.id) if is_shown else "",
        parts=parts if is_shown else None,
    )


def build_parts(
    comparison: Comparison, golden_set: GoldenSet | None, uses: SetUseCounts | None
) -> ComparisonParts:
    """What rests on every outcome.

    Args:
        comparison: with the outcomes of both sides where they were kept.
        golden_set: the set at hand; None where there is none.
        uses: how often the set was decided on.
    """
    view = build_comparison_view(comparison, golden_set=golden_set, uses=uses)
    scales = page_scales([view])
    drawn = view.primary
    return ComparisonParts(
        view=view,
        scales=scales,
        primary=None
        if drawn is None
        else build_difference_chart([drawn], scale=scales.of([drawn])),
        moves=_moves(comparison),
    )


def _moves(comparison: Comparison) -> MoveChart | None:
    current, candidate = comparison.current.outcomes, comparison.candidate.outcomes
    if not comparison.differences or current is None or candidate is None:
        return None
    counts = Counter(
        (_rank(before), _rank(after))
        for before, after in pair_outcomes(current, candidate)
        if before.is_answerable and OutcomeState.FAILED not in (before.state, after.state)
    )
    return build_move_chart(counts)


def _rank(outcome: Outcome) -> Rank:
    return min((hit.rank for hit in outcome.judged_hits if hit.grade >= 1), default=None)
