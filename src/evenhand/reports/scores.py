"""How do the scores of runs read? Lines and tables on a terminal, Markdown, LaTeX, one JSON shape.

Imports nothing that takes long: a small run is scored in less time than that would take.
"""

from __future__ import annotations

from enum import StrEnum
from operator import add

from evenhand.core.errors import InvalidText
from evenhand.core.identity.canonical import readable_json, to_text
from evenhand.reports.safe_text import encodable, shown_id

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Final

    from evenhand.usecases.scoring import ScoredRun

#: Names of the shapes; ``score.schema.json`` beside this module describes both.
FORMAT: Final = "evenhand.score/1"
FORMAT_OF_SEVERAL: Final = "evenhand.scores/1"
#: What a mean is called among the lines of queries, as trec_eval calls it.
ALL: Final = "all"
_SOME: Final = 4  # times that a value occurs on average before it is worth to look it up

_DOUBLE: Final = 64
#: What could begin or end anything but text in a cell of a table.
_MARKDOWN: Final = frozenset("\\|`*_<>[]&~$")
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


def score_json(runs: Sequence[ScoredRun], *, per_query: bool) -> str:
    """The JSON text: of one run its scores, of several a list with the name of each.

    Written member by member, as an id then becomes text once and not once a measure, and as
    ``json`` takes longer to import than a small run's values to print. Numbers are spelt as there.

    Args:
        runs: at least one.
        per_query: whether the value of each query is in it.

    Raises:
        InvalidText: two query ids that are not UTF-8 would have one name.
    """
    if len(runs) == 1:
        return _object({"format": _quoted(FORMAT), **_scores(runs[0], per_query=per_query)})
    listed = [
        _object({"run": _quoted(_text(one.name)), **_scores(one, per_query=per_query)})
        for one in runs
    ]
    return _object({"format": _quoted(FORMAT_OF_SEVERAL), "runs": f"[{','.join(listed)}]"})


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
        head = ("Measure", f"Mean{_precision(runs[0])}", "n")
        rows = [
            (one.name, _number(one.summary, digits), str(len(runs[0].queries)))
            for one in runs[0].measures
        ]
    else:
        head = (f"Run{_precision(runs[0])}", *(one.name for one in runs[0].measures), "n")
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


def _precision(run: ScoredRun) -> str:
    """That a score was rounded before it was compared; nothing where it was not."""
    return "" if run.precision == _DOUBLE else f" ({run.precision}-bit scores)"


def _scores(run: ScoredRun, *, per_query: bool) -> dict[str, str]:
    """The members of a run's scores, each as JSON text."""
    count = len(run.queries)
    scores = {
        "queries": str(count),
        # Said where it is not what everybody expects; of 64 bits the shape is as it always was.
        **({"precision": str(run.precision)} if run.precision != _DOUBLE else {}),
        "measures": _object(
            {one.name: f'{{"mean":{one.summary!r},"n":{count}}}' for one in run.measures}
        ),
    }
    if per_query:
        queries = [_text(to_text(query)) for query in run.queries]
        if len(set(queries)) != len(queries):
            raise InvalidText("query id", "two that are not UTF-8 have one spelling in JSON")
        fronts = [f"{_quoted(query)}:" for query in queries]
        scores["per_query"] = _object(
            {
                one.name: f"{{{','.join(map(add, fronts, _spelt(one.values)))}}}"
                for one in run.measures
            }
        )
    return scores


def _spelt(values: Sequence[float]) -> Iterator[str]:
    """Each value as `repr` has it; of some measures many values are equal."""
    distinct = set(values)
    if len(distinct) * _SOME > len(values):
        return map(repr, values)
    # No value is -0.0, which would be found as 0.0.
    return map({one: repr(one) for one in distinct}.__getitem__, values)


def _object(members: Mapping[str, str]) -> str:
    return f"{{{','.join([f'{_quoted(name)}:{value}' for name, value in members.items()])}}}"


def _quoted(text: str) -> str:
    """Text as JSON has it; what has to be escaped, `json` escapes."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return readable_json(text)


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
        yield f"| {' | '.join(map(_escaped, row))} |"
        if not number:
            yield "|---|" + "---:|" * (len(row) - 1)


def _escaped(cell: str) -> str:
    """A cell that Markdown reads as nothing but text."""
    shown = "".join(f"\\{one}" if one in _MARKDOWN else one for one in cell)
    # A name that begins so would call somebody.
    return f"\\{shown}" if shown.startswith("@") else shown


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
