"""How does a gate read as Markdown? For a pull request or a workflow's summary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evenhand.core.comparison.gate_result import GateState
from evenhand.reports.gate_view import FindingView, GateView
from evenhand.reports.markdown import LISTED, code, comparison_markdown, escaped

_SIGNS: Final = {
    GateState.PASS: "✅",
    GateState.FAIL: "❌",
    GateState.INCONCLUSIVE: "⚠️",
    GateState.INCOMPARABLE: "⛔",
    GateState.INCOMPLETE: "⛔",
}


def gate_markdown(view: GateView) -> str:
    """The text of one gate, with a line feed at its end; equal input gives equal text."""
    text = "\n".join(_blocks(view)) + "\n"
    return text if view.comparison is None else f"{text}\n{comparison_markdown(view.comparison)}"


def _blocks(view: GateView) -> Iterator[str]:
    yield f"# {_SIGNS[view.state]} Gate: {view.word}\n"
    yield f"{view.sentence}\n"
    yield f"{escaped(view.title)}, policy {code(view.policy)}\n"
    yield "| | Demand | Found |"
    yield "| --- | --- | --- |"
    for finding in view.findings:
        yield f"| {_mark(finding)} | {escaped(finding.name)} | {_found(finding)} |"
    if view.notices:
        yield ""
    yield from (f"- ⚠️ {notice.text}" for notice in view.notices)
    if view.uses:
        yield f"\n{escaped(view.uses)}"


def _mark(finding: FindingView) -> str:
    if finding.state is GateState.PASS:
        return "⚠️ flag" if finding.is_flag else "✅ pass"
    return f"{_SIGNS[finding.state]} {finding.state.value}"


def _found(finding: FindingView) -> str:
    text = escaped(finding.sentence)
    if not finding.questions:
        return text
    named = ", ".join(code(question) for question in finding.questions[:LISTED])
    more = len(finding.questions) - LISTED
    return f"{text}: {named}" + (f" and {more} more" if more > 0 else "")
