"""How does a gate look on a terminal? Load this module on use: it brings rich."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from evenhand.core.comparison.gate_result import GateState
from evenhand.reports.gate_view import FindingView, GateView
from evenhand.reports.terminal_comparison import print_comparison
from evenhand.reports.terminal_page import Page

_STYLES: Final = {
    GateState.PASS: "bold green",
    GateState.FAIL: "bold red",
    GateState.INCONCLUSIVE: "bold yellow",
    GateState.INCOMPARABLE: "bold yellow",
    GateState.INCOMPLETE: "bold yellow",
}
#: Critical questions that are named, more with ``verbose``.
NAMED: Final = 10


def print_gate(view: GateView, console: Console, *, verbose: bool = False) -> None:
    """Print a gate: the answer, each demand, then the comparison behind it.

    Args:
        view: what was decided.
        console: where to; see `make_console`.
        verbose: name every listed question, and show digests in full.
    """
    page = Page(console)
    page.line(f"Gate: {view.word}", style=_STYLES[view.state])
    page.line(view.sentence, indent=2, hang=2)
    page.line(f"{view.title}, policy {view.policy}", style="dim", indent=2, hang=2)
    page.blank()
    for finding in view.findings:
        _finding(finding, page, verbose=verbose)
    if view.notices:
        page.blank()
        for notice in view.notices:
            page.notice(notice)
    if view.uses:
        page.blank()
        page.line(view.uses, style="dim")
    if view.comparison is not None:
        page.blank()
        print_comparison(view.comparison, console, verbose=verbose)


def _finding(finding: FindingView, page: Page, *, verbose: bool) -> None:
    mark = "flag" if finding.is_flag and finding.state is GateState.PASS else finding.state.value
    style = "" if mark == GateState.PASS.value else "bold"
    page.line(f"{mark:<12}  {finding.name}: {finding.sentence}", indent=2, hang=14, style=style)
    shown = finding.questions if verbose else finding.questions[:NAMED]
    for question in shown:
        page.line(question, indent=18)
    if len(finding.questions) > len(shown):
        page.line(f"and {len(finding.questions) - len(shown)} more", indent=18, style="dim")
