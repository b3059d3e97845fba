"""How is a comparison shown, and which exit code has it? Shared by ``compare`` and ``ab``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evenhand.cli.exits import Exit
from evenhand.cli.options import print_json, remark

if TYPE_CHECKING:
    from evenhand.bootstrap import App
    from evenhand.core.comparison.comparison import Comparison
    from evenhand.core.comparison.set_use import SetUseCounts
    from evenhand.core.comparison.side import Side
    from evenhand.core.retrieval.golden import GoldenSet
    from evenhand.reports.comparison_parts import ComparisonView
    from evenhand.reports.comparison_view import ComparisonHints


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A comparison with what is at hand to show it.

    Attributes:
        comparison: the value.
        hints: what only the caller knows.
        golden_set: the set at hand, None where there is none.
        uses: how often the set was decided on, None where unknown.
    """

    comparison: Comparison
    hints: ComparisonHints
    golden_set: GoldenSet | None
    uses: SetUseCounts | None

    @property
    def view(self) -> ComparisonView:
        """What the renderers show."""
        from evenhand.reports.comparison_view import build_comparison_view

        return build_comparison_view(
            self.comparison, golden_set=self.golden_set, hints=self.hints, uses=self.uses
        )


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where else a comparison is written to."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--report",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Also write a self-contained HTML page.",
    ),
    click.option(
        "--markdown",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Also write Markdown; in a GitHub workflow it goes to the summary too.",
    ),
    click.option("-v", "--verbose", is_flag=True, help="Name every question that was listed."),
)


def with_history(app: App, hints: ComparisonHints, side: Side) -> ComparisonHints:
    """Hints with the earlier results of a side's set and retriever, where there is a store."""
    from evenhand.usecases.comparisons import find_history

    return replace(hints, history=app.stored.read(lambda uow: find_history(uow, side)))


def show(app: App, shown: Sequence[Shown], given: dict[str, Any]) -> None:
    """Print comparisons and write the reports that were asked for."""
    if given["report"] is not None:
        shown = [
            replace(one, hints=with_history(app, one.hints, one.comparison.candidate))
            for one in shown
        ]
    if given["as_json"]:
        from evenhand.reports.comparison_json import comparison_document, comparisons_document

        documents = [
            comparison_document(
                one.comparison, golden_set=one.golden_set, hints=one.hints, uses=one.uses
            )
            for one in shown
        ]
        print_json(documents[0] if len(documents) == 1 else comparisons_document(documents))
    else:
        from evenhand.reports.terminal import make_console
        from evenhand.reports.terminal_comparison import print_comparison

        console = make_console(sys.stdout)
        for number, one in enumerate(shown):
            if number:
                click.echo()
            print_comparison(one.view, console, verbose=given["verbose"])
    _write(shown, given)


def exit_of(app: App, comparisons: Sequence[Comparison]) -> Exit:
    """The exit code, and on standard error why it is not 0."""
    from evenhand.reports.numbers import of_text

    for one in comparisons:
        for role, side in (("current", one.current), ("candidate", one.candidate)):
            if _failed_share_is_high(app, side):
                remark(
                    f"error: {of_text(side.counts.failed, side.counts.questions, 'question')} of "
                    f"the {role} side failed, a larger share than max_failed_share allows"
                )
                return Exit.WENT_WRONG
    if not all(one.is_comparable for one in comparisons):
        return Exit.NOT_COMPARABLE
    if any(_is_incomplete(one) for one in comparisons):
        return Exit.INCONCLUSIVE
    return Exit.PASS


def _failed_share_is_high(app: App, side: Side) -> bool:
    from evenhand.core.scoring.protocols import rate

    return rate(side.counts.failed, side.counts.questions) > app.settings.max_failed_share


def _is_incomplete(comparison: Comparison) -> bool:
    from evenhand.core.comparison.paired import Conclusion

    return comparison.conclusion in (None, Conclusion.INCOMPLETE)


def _write(shown: Sequence[Shown], given: dict[str, Any]) -> None:
    from evenhand.adapters.formats.whole_file import add_to, writing
    from evenhand.settings import SUMMARY, step_summary

    if given["report"] is not None:
        from evenhand.reports.html import render_comparisons_html

        page = render_comparisons_html([one.view for one in shown])
        with writing(given["report"]) as stream:
            stream.write(page.encode())
        remark(f"report: {given['report']}", quiet=given["quiet"])
    summary = step_summary()
    if given["markdown"] is None and summary is None:
        return
    from evenhand.reports.markdown import comparison_markdown

    text = "\n".join(comparison_markdown(one.view) for one in shown)
    if given["markdown"] is not None:
        with writing(given["markdown"]) as stream:
            stream.write(text.encode())
    if summary is not None:
        # Last, so that whatever is wrong with it, the files that were asked for are there.
        add_to(summary, text.encode(), named_by=SUMMARY)
