"""How is a table written as CSV, so that a spreadsheet opens it and runs nothing of it?

Cells are written by type and not by look: a number stays the number it is, a negative one too,
and a text that a spreadsheet would take for a formula is guarded. Lines end in CRLF, text is
UTF-8 behind the mark by which spreadsheets know it, and what cannot be seen in a text is spelt
out, so that one row is one line.

Source: RFC 4180; the guard is `core.identity.csv_guard`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, TypeAlias

from evenhand.core.identity.csv_guard import guarded
from evenhand.reports.safe_text import shown_text
from evenhand.reports.wording import UNKNOWN

MEDIA_TYPE: Final = "text/csv; charset=utf-8"
_MARK: Final = "\ufeff"
#: Rows that are written between two pieces.
_ROWS_A_PIECE: Final = 1000

#: What a cell may hold; None is unknown, and an empty text is an empty cell.
Cell: TypeAlias = str | bytes | int | float | Fraction | None


def csv_pieces(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[bytes]:
    """The file in pieces, as the rows are asked for.

    Args:
        header: names of the columns; ours, and so written as they are.
        rows: as many cells each as there are columns.

    Raises:
        ValueError: a row of another length.
    """
    buffer = io.StringIO(newline="")
    buffer.write(_MARK)
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    for number, row in enumerate(rows, 1):
        writer.writerow([_written(cell) for cell, _ in zip(row, header, strict=True)])
        if number % _ROWS_A_PIECE == 0:
            yield _taken(buffer)
    yield _taken(buffer)


def _written(cell: Cell) -> str:
    if cell is None:
        return UNKNOWN
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float | Fraction):
        return repr(float(cell))
    return guarded(shown_text(cell, limit=None))


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece
