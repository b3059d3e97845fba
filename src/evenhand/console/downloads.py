"""How does a table leave as a file? As CSV that a spreadsheet can open, in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from starlette.responses import StreamingResponse

from evenhand.reports.csv_table import MEDIA_TYPE, Cell, csv_pieces

_PLAIN: Final = re.compile(r"[^A-Za-z0-9._-]+")


def download(
    name: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> StreamingResponse:
    """A file of a table.

    Args:
        name: of the file; what a header or a folder could take for something else becomes ``-``.
        header: names of the columns.
        rows: as many cells each as there are columns; read as they are sent.
    """
    safe = _PLAIN.sub("-", name).strip(".-") or "table.csv"
    return StreamingResponse(
        csv_pieces(header, rows),
        media_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{safe}"'},
    )
