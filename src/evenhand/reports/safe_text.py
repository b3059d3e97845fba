"""How is a text shown that somebody else wrote? Harmless to a terminal, and nothing hidden.

Ids and questions are bytes that anyone may have made: they can hold escape sequences that drive
a terminal, marks that turn the reading direction round, and bytes that are no text at all. Each
of these is spelt out. Escaping for HTML is left to the templates, markup to nobody: no text is
ever read as rich markup.
"""

from __future__ import annotations

from evenhand.core.identity.canonical import to_text

# Not from typing, which takes longer to import than a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

#: Characters of a question that are shown in a list; ids get the same bound.
SHOWN_CHARACTERS: Final = 240

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
#: Control, format, surrogate, private, unassigned; line and paragraph separator.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Persian, Indic scripts and emoji are written with these; in a question they are letters' glue.
_JOINERS: Final = frozenset("\u200c\u200d")
_FIRST_RAW, _LAST_RAW = 0xDC80, 0xDCFF


def shown_id(identifier: str | bytes, *, limit: int | None = SHOWN_CHARACTERS) -> str:
    r"""An id, label or name with everything invisible spelt out.

    ``\n``, ``\r`` and ``\t`` for these three, ``<U+202E>`` for other characters without a
    shape, ``<0xFF>`` for a byte that is not UTF-8.

    Args:
        identifier: the original bytes, or text whose low surrogates stand for raw bytes.
        limit: characters shown before the text is cut, with its length behind it; None shows all.
    """
    return _cut("".join(_spelt(character) for character in _text(identifier)), limit)


def shown_text(content: str | bytes, *, limit: int | None = SHOWN_CHARACTERS) -> str:
    """A text for people, as `shown_id` but with joiners left in place, as scripts need them."""
    spelt = (c if c in _JOINERS else _spelt(c) for c in _text(content))
    return _cut("".join(spelt), limit)


def shown_lines(text: str) -> str:
    """Lines to copy, each as `shown_text` and never cut."""
    return "\n".join(shown_text(line, limit=None) for line in text.split("\n"))


def encodable(text: str, encoding: str) -> str:
    """The text with what an encoding lacks spelt out, so that printing it cannot fail."""
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _text(content: str | bytes) -> str:
    return to_text(content) if isinstance(content, bytes) else content


def _spelt(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    if character in _ESCAPES:
        return _ESCAPES[character]
    import unicodedata

    if unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if _FIRST_RAW <= code <= _LAST_RAW:
        return f"<0x{code - 0xDC00:02X}>"
    return f"<U+{code:04X}>"


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text)} characters)"
