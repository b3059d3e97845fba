"""Which text can both databases hold?

PostgreSQL refuses NUL, and neither holds a lone surrogate. The same text must be refused on both,
by a rule of ours, not by whichever database is in use.
"""

from __future__ import annotations

from evenhand.core.errors import InvalidText


def is_storable(text: str) -> bool:
    """Whether a text can be a value of a row; one that cannot is equal to none that is stored."""
    if "\0" in text:
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def require_storable(text: str, field: str) -> str:
    """The text itself.

    Raises:
        InvalidText: NUL or a lone surrogate; the message names the field, not the text.
    """
    if not is_storable(text):
        raise InvalidText(field, "must hold neither NUL nor lone surrogates")
    return text
