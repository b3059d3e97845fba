"""How is a text kept from being a formula when a spreadsheet opens the file?

A cell that begins with a character with which spreadsheets begin a formula gets an apostrophe
before it, and so does one that begins with an apostrophe, so that the way back is exact. Numbers
are written by type and never guarded.
"""

from __future__ import annotations

from typing import Final

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula.

    Source: OWASP, CSV injection: the characters, and the apostrophe.
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def unguarded(cell: str) -> str:
    """The text that `guarded` was given."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA_STARTS) else cell
