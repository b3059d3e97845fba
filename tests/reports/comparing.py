"""A comparison on every surface."""

import io
from collections.abc import Callable
from typing import Any

import msgspec

from evenhand.core.comparison.comparison import Comparison
from evenhand.reports.comparison_json import comparison_document
from evenhand.reports.comparison_view import build_comparison_view
from evenhand.reports.html import render_comparisons_html
from evenhand.reports.markdown import comparison_markdown
from evenhand.reports.terminal import make_console
from evenhand.reports.terminal_comparison import print_comparison
from tests.reports.rendering import one_line, read_page


def terminal(comparison: Comparison, *, verbose: bool = False, **at_hand: Any) -> str:
    """What a terminal shows."""
    file = io.StringIO()
    view = build_comparison_view(comparison, **at_hand)
    print_comparison(view, make_console(file, width=100), verbose=verbose)
    return file.getvalue()


def page(comparison: Comparison, **at_hand: Any) -> str:
    """What a page shows, on one line."""
    return read_page(render_comparisons_html([build_comparison_view(comparison, **at_hand)])).text


def markdown(comparison: Comparison, **at_hand: Any) -> str:
    """The Markdown."""
    return comparison_markdown(build_comparison_view(comparison, **at_hand))


def as_json(comparison: Comparison, **at_hand: Any) -> Any:
    """The JSON document, decoded."""
    return msgspec.json.decode(msgspec.json.encode(comparison_document(comparison, **at_hand)))


#: Every surface as text on one line.
SURFACES: dict[str, Callable[..., str]] = {
    "terminal": lambda *args, **at_hand: one_line(terminal(*args, **at_hand)),
    "page": page,
    "markdown": lambda *args, **at_hand: one_line(markdown(*args, **at_hand)),
    "json": lambda *args, **at_hand: str(as_json(*args, **at_hand)),
}
