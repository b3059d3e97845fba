"""How do the scores of runs read? Lines and tables on a terminal, Markdown, LaTeX, one JSON shape.

Imports nothing that takes long: a small run is scored in less time than that would take.
"""

from __future__ import annotations

from enum import StrEnum

from evenhand.core.errors import InvalidText
from evenhand.core.identity.canonical import to_text
from evenhand.reports.safe_text import encodable, shown_id

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, Final

    from evenhand.usecases.scoring import ScoredRun

#: Names of the shapes; ``score.schema.json`` beside this module describes both.
FORMAT: Final = "evenhand.score/1"
FORMAT_OF_SEVERAL: Final = "evenhand.scores/1"
#: What a mean is called among the lines of queries, as trec_eval calls it.
ALL: Final = "all"

_LATEX: Final = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}


class Table(StrEnum):
    """How a table of runs is laid out."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    LATEX = "latex"


def score_document(runs: Sequence[ScoredRun], *, per_query: bool) -> dict[str, Any]:
    """The JSON value: of one run its scores, of several a list with the name of each.

    Args:
        runs: at least one.
        per_query: whether the value of each query is in it.

    Raises:
        InvalidText: two query ids that are not UTF-8 would have one name.
    """
    if len(runs) == 1:
        return {"format": FORMAT, **_scores(runs[0], per_query=per_query)}
    return {
        "format": FORMAT_OF_SEVERAL,
        "runs": [{"run": _text(one.name), **_scores(one, per_query=per_query)} for one in runs],
    }


def query_lines(runs: Sequence[ScoredRun], *, digits: int) -> Iterator[str]:
    """Measure, query and value, parted by tabs as trec_eval does; means come last, as ``all``.

    Args:
        runs: of several the name stands in front, parted by a tab too.
        digits: behind the decimal point.
    """
    for run in runs:
        front = "" if len(runs) == 1 else f"{shown_id(run.name)}\t"
        for place, query in enumerate(run.queries):
            shown = shown_id(query, limit=None)
            for one in run.measures:
                yield f"{front}{one.name}\t{shown}\t{_number(one.values[place], digits)}"
        for one in run.measures:
            yield f"{front}{one.name}\t{ALL}\t{_number(one.summary, digits)}"


def score_table(runs: Sequence[ScoredRun], kind: Table, *, digits: int) -> Iterator[str]:
    """A table: of one run a row for each measure, of several a row for each run.

    Args:
        runs: at least one.
        kind: how it is laid out.
        digits: behind the decimal point.
    """
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    if len(runs) == 1:
        head = ("Measure", "Mean", "n")
        rows = [
            (one.name, _number(one.summary, digits), str(len(runs[0].queries)))
            for one in runs[0].measures
        ]
    else:
        head = ("Run", *(one.name for one in runs[0].measures), "n")
        rows = [
            (
                shown_id(run.name),
                *(_number(one.summary, digits) for one in run.measures),
                str(len(run.queries)),
            )
            for run in runs
        ]
    layout: dict[Table, Callable[[Sequence[Sequence[str]]], Iterator[str]]] = {
        Table.PLAIN: _plain,
        Table.MARKDOWN: _markdown,
        Table.LATEX: _latex,
    }
    return layout[kind]([head, *rows])


def _scores(run: ScoredRun, *, per_query: bool) -> dict[str, Any]:
    scores: dict[str, Any] = {
        "queries": len(run.queries),
        "measures": {
            one.name: {"mean": one.summary, "n": len(run.queries)} for one in run.measures
        },
    }
    if per_query:
        queries = [_text(to_text(query)) for query in run.queries]
        if len(set(queries)) != len(queries):
            raise InvalidText("query id", "two that are not UTF-8 have one spelling in JSON")
        scores["per_query"] = {
            one.name: dict(zip(queries, one.values, strict=True)) for one in run.measures
        }
    return scores


def _text(text: str) -> str:
    """Text that JSON can carry: a byte that is not UTF-8 is spelt out."""
    return encodable(text, "utf-8")


def _number(value: float, digits: int) -> str:
    # Counts are whole numbers, and so is many a value of them.
    return f"{value:.{digits}f}"


def _plain(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Aligned columns: the first to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([f"{first:<{widths[0]}}", *cells])


def _markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, row in enumerate(rows):
        cells = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
        if not number:
            yield "|---|" + "---:|" * (len(row) - 1)


def _latex(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A ``tabular`` with the rules of LaTeX itself, no package."""
    yield r"\begin{tabular}{l" + "r" * (len(rows[0]) - 1) + "}"
    yield r"\hline"
    for number, row in enumerate(rows):
        cells = ("".join(_LATEX.get(character, character) for character in cell) for cell in row)
        yield f"{' & '.join(cells)} " + r"\\"
        if not number:
            yield r"\hline"
    yield r"\hline"
    yield r"\end{tabular}"
