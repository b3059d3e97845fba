"""Which text files are plainly something else than the questions or judgements asked for?"""

from __future__ import annotations

import re
from typing import Final

from evenhand.core.scoring.lines import is_number

IS_RUN: Final = (
    "is a TREC run (query Q0 document rank score tag): rankings, neither questions nor judgements; "
    "evenhand score takes it beside judgements, and evenhand run as RETRIEVER"
)
IS_HTML: Final = "is an HTML page and no data; a page of an error or of a login is often saved so"

_RUN_COLUMNS: Final = 6
_FILLED: Final = ("Q0", "q0", "0")
_PAGE: Final = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S)


def misfit(text: str) -> str | None:
    """Why the beginning of a text file holds no judgements, where that is plain; else None."""
    if is_page(text):
        return IS_HTML
    return IS_RUN if is_run(text) else None


def is_page(text: str) -> bool:
    """Whether it begins like an HTML page."""
    return _PAGE.match(text) is not None


def is_run(text: str) -> bool:
    """Whether every line is one of a TREC run."""
    rows = [line.split() for line in text.split("\n") if line.strip() and line[:1] != "#"]
    return bool(rows) and all(
        len(row) == _RUN_COLUMNS and row[1] in _FILLED and is_number(row[4].encode())
        for row in rows
    )
