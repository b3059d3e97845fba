"""What became of a pipeline since the demo last ran in this folder? One sentence each."""

from __future__ import annotations

from evenhand.core.comparison.previous import PreviousComparison
from evenhand.reports.verdict_view import difference_views
from evenhand.reports.wording import reason_sentence


def against_previous(comparison: PreviousComparison) -> str:
    """The verdict against the previous run, and the differences where it allows them."""
    if comparison.previous is None:
        return "First run in this folder; the next one is compared with it."
    if not comparison.verdict.is_comparable:
        reasons = " ".join(reason_sentence(one.code) for one in comparison.verdict.reasons)
        return f"Not compared with its previous run: {reasons}"
    moves = ", ".join(
        f"{view.measure} {view.delta}" for view in difference_views(comparison.differences)
    )
    changed = " It was set up otherwise." if comparison.treatment_changed else ""
    return f"Comparable with its previous run; difference: {moves}.{changed}"
