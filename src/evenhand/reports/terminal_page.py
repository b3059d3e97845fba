"""How is a page put on a terminal? Lines, tables that fold into lists, nothing that can fail.

No text is read as markup, no colour carries meaning alone, and what the terminal's encoding
lacks is spelt out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from evenhand.core.verdict import VerdictState
from evenhand.reports.safe_text import encodable
from evenhand.reports.view import Notice, NoticeKind

_STATE_STYLES: Final = {
    VerdictState.COMPARABLE: "bold blue",
    VerdictState.BASELINE: "bold magenta",
    VerdictState.UNKNOWN: "bold yellow",
    VerdictState.MISMATCH: "bold red",
}
_STATE_SHAPES: Final = {
    VerdictState.COMPARABLE: ("●", "(=)"),
    VerdictState.BASELINE: ("◆", "(*)"),
    VerdictState.UNKNOWN: ("?", "(?)"),
    VerdictState.MISMATCH: ("≠", "(!=)"),
}
_BAR_CELLS: Final = 10
_INDENT: Final = 2
_GAP: Final = 2
_MINIMUM_WIDTH: Final = 12
#: The headline with its bars fits.
_WIDE: Final = 76
#: Our own signs where the encoding lacks them.
_PLAIN: Final = str.maketrans({"…": "...", "·": "-", "●": "*", "◆": "*", "≠": "!="})


def make_console(file: IO[str], *, width: int | None = None, color: bool | None = None) -> Console:
    """A console for reports: no markup, no highlighting, no emoji codes.

    Args:
        file: where the text goes. Colour is used on a terminal only, and not under ``NO_COLOR``.
        width: in columns; None asks the terminal, and is 80 where there is none.
        color: False for no colour, None to leave it to terminal and environment.
    """
    return Console(
        file=file,
        width=width,
        no_color=True if color is False else None,
        markup=False,
        highlight=False,
        emoji=False,
    )


class Page:
    """Writes one report to a console."""

    def __init__(self, console: Console) -> None:
        """Write to this console."""
        self._console = console
        self._is_unicode = console.encoding.startswith("utf")

    @property
    def is_wide(self) -> bool:
        """Whether there is room for drawings beside numbers."""
        return self._console.width >= _WIDE

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def heading(self, text: str) -> None:
        """An empty line and a heading."""
        self.blank()
        self.line(text, style="bold")

    def line(self, text: str, *, style: str = "", indent: int = 0, hang: int = 0) -> None:
        """A line; where it is too long for the width it goes on below, ``hang`` further in."""
        plain = self._plain(text)
        first = self._wrapped(plain, indent)[0]
        self._put(" " * indent + first, style)
        rest = plain[len(first) :].strip()
        for part in self._wrapped(rest, indent + hang) if rest else ():
            self._put(" " * (indent + hang) + part, style)

    def verbatim(self, text: str) -> None:
        """Lines to copy: never wrapped, indented by four."""
        for line in text.splitlines():
            self._put(f"    {line}", "cyan")

    def notice(self, notice: Notice, *, indent: int = 0) -> None:
        """A flag behind an exclamation mark, a note behind a dash."""
        if notice.kind is NoticeKind.FLAG:
            self.line(f"! {notice.text}", style="bold yellow", indent=indent, hang=_GAP)
        else:
            self.line(f"- {notice.text}", indent=indent, hang=_GAP)

    def state(self, state: VerdictState, word: str, rest: str) -> None:
        """A verdict's line: shape, word, and what follows."""
        shape = _STATE_SHAPES[state][0 if self._is_unicode else 1]
        line = self._text(f"{shape} {word}", _STATE_STYLES[state])
        if rest:
            line.append_text(self._text(f"  {rest}", ""))
        self._console.print(line)

    def bar(self, share: float | None) -> str:
        """A share as a bar of ten cells, empty when there is none."""
        if share is None:
            return ""
        full, empty = ("█", "░") if self._is_unicode else ("#", ".")
        cells = round(share * _BAR_CELLS)
        return full * cells + empty * (_BAR_CELLS - cells)

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()
    ) -> None:
        """A table; where it is wider than the console, one block of lines a row.

        Args:
            columns: headings; the first names the row. All empty for a table without a head.
            rows: texts, as many as columns.
            right: numbers of the columns that are flush right.
        """
        listed = [tuple(map(self._plain, row)) for row in rows]
        heads = tuple(map(self._plain, columns))
        widths = [max(map(cell_len, column)) for column in zip(heads, *listed, strict=True)]
        if _INDENT + sum(widths) + _GAP * (len(widths) - 1) > self._console.width:
            self._blocks(columns, listed)
            return
        if any(columns):
            self._put(_aligned(heads, widths, right), "dim")
        for row in listed:
            self._put(_aligned(row, widths, right), "")

    def facts(self, rows: Iterable[tuple[str, str]]) -> None:
        """Names and values; a long value goes on below itself, or below its name."""
        listed = list(rows)
        column = max(len(name) for name, _ in listed) + _GAP
        if self._console.width < 2 * column + _INDENT:
            self._blocks(("", ""), listed)
            return
        for name, value in listed:
            first, *rest = self._wrapped(self._plain(value), _INDENT + column)
            self._put(f"{' ' * _INDENT}{name:<{column}}{first}", "")
            for part in rest:
                self._put(" " * (_INDENT + column) + part, "")

    def _blocks(self, columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
        for first, *cells in rows:
            self.line(first, indent=_INDENT)
            named = zip(columns[1:], cells, strict=True)
            self._packed([f"{column} {cell}".strip() for column, cell in named if cell])

    def _packed(self, cells: list[str]) -> None:
        """Cells one behind the other, as many to a line as there is room for."""
        line = ""
        room = self._console.width - 2 * _INDENT
        for cell in cells:
            longer = f"{line} · {cell}" if line else cell
            if line and cell_len(longer) > room:
                self.line(line, indent=2 * _INDENT, hang=_GAP)
                longer = cell
            line = longer
        if line:
            self.line(line, indent=2 * _INDENT, hang=_GAP)

    def _wrapped(self, plain: str, indent: int) -> list[str]:
        width = max(self._console.width - indent, _MINIMUM_WIDTH)
        lines = Text(plain).wrap(self._console, width)
        return [line.plain.rstrip() for line in lines] or [""]

    def _put(self, text: str, style: str) -> None:
        self._console.print(self._text(text, style), soft_wrap=True)

    def _text(self, text: str, style: str) -> Text:
        return Text(self._plain(text), style=style)

    def _plain(self, text: str) -> str:
        if self._is_unicode:
            return text
        return encodable(text.translate(_PLAIN), self._console.encoding)


def _aligned(cells: tuple[str, ...], widths: list[int], right: Sequence[int]) -> str:
    padded = []
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - cell_len(cell))
        padded.append(space + cell if number in right else cell + space)
    return (" " * _INDENT + (" " * _GAP).join(padded)).rstrip()
