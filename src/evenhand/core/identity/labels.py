"""Which text may stand as a label, that is, as a name that a consumer states?

A label is opaque: Evenhand compares it and never interprets it. The rule keeps whitespace, control
characters and addresses out. It is a rule of syntax only: a credential that happens to be spelt
with letters and digits passes it.
"""

from __future__ import annotations

import re
from typing import Final

from evenhand.core.errors.identity import InvalidLabel

MAX_IDENTITY_BYTES: Final = 190
"""Upper limit of a label in bytes (which are characters, labels being ASCII)."""

NOT_APPLICABLE: Final = "not-applicable"
"""Says that a model or a chunker does not exist, as in lexical retrieval. Not the same as unknown."""

# The classes are spelt out: \w, \d and str.isalnum admit letters and digits beyond ASCII.
_FIRST: Final = re.compile(r"[A-Za-z0-9]")
_FURTHER: Final = re.compile(r"[A-Za-z0-9._:+/-]*")
#: What an event takes as an identifier, as in JSON Schema. No slash, at sign or blank: addresses,
#: e-mail addresses, names of people and texts of prompts cannot pass.
IDENTIFIER: Final = r"^[A-Za-z0-9][A-Za-z0-9._:+-]{0,127}$"
_TOO_LONG: Final = f"must be at most {MAX_IDENTITY_BYTES} bytes long"


def require_label(value: object, field: str) -> str:
    """The value itself, if it is a legal label.

    Args:
        value: what the consumer stated; only an exact ``str`` can be legal.
        field: name of the field, for the message.

    Returns:
        The unchanged label, 1 to 190 ASCII bytes.

    Raises:
        InvalidLabel: code ``invalid_label``; the message never repeats the value, which may be
            a secret.

    Source: statements P-12 to P-18, BP-15.
    """
    # isinstance would let subclasses through, and with them state that no digest covers.
    if type(value) is not str:
        raise InvalidLabel(field, "must be text")
    if not value:
        raise InvalidLabel(field, "must not be empty")
    if not value.isascii():
        raise InvalidLabel(field, "must be ASCII")
    if len(value) > MAX_IDENTITY_BYTES:
        raise InvalidLabel(field, _TOO_LONG)
    # match() and fullmatch(), because `$` would admit a newline at the end.
    if not _FIRST.match(value):
        raise InvalidLabel(field, "must start with an ASCII letter or digit")
    if not _FURTHER.fullmatch(value):
        raise InvalidLabel(field, "may hold only ASCII letters, digits and . _ : + / -")
    if "://" in value:
        raise InvalidLabel(field, "must not hold a URL scheme")
    return value


def require_revision(value: object, field: str) -> str:
    """The value itself, if it is a legal label of something that always exists.

    A corpus and a pipeline exist in every experiment, so the sentinel cannot stand for them.
    The comparison is exact: another spelling of the sentinel is an ordinary label.

    Raises:
        InvalidLabel: as :func:`require_label`, or with the code ``sentinel_not_allowed``.
    """
    label = require_label(value, field)
    if label == NOT_APPLICABLE:
        raise InvalidLabel(field, "cannot be not applicable", code="sentinel_not_allowed")
    return label
