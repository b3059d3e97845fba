"""How much of an evaluation may be kept, and who decides what a text becomes before it is?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class PrivacyLevel(StrEnum):
    """How much content is kept, strict to loose.

    ``none`` and ``metadata`` drop content; ``redacted`` keeps a scrubbed, bounded copy; ``full``
    keeps it as it is. Aggregates and identities are kept at every level.
    """

    NONE = "none"
    METADATA = "metadata"
    REDACTED = "redacted"
    FULL = "full"

    @property
    def keeps_outcomes(self) -> bool:
        """Whether outcomes (no ids, no text) are kept: from ``metadata`` up."""
        return self is not PrivacyLevel.NONE

    @property
    def keeps_run(self) -> bool:
        """Whether ranked ids and scores are kept: only at ``full``."""
        return self is PrivacyLevel.FULL


def stricter(one: PrivacyLevel, other: PrivacyLevel) -> PrivacyLevel:
    """The stricter of two levels (BP-28)."""
    order = tuple(PrivacyLevel)
    return min(one, other, key=order.index)


class PrivacyPolicy(Protocol):
    """What decides about content before it is stored."""

    @property
    def level(self) -> PrivacyLevel:
        """The level this policy stands for."""

    def filter_content(self, value: str | bytes | None) -> str | bytes | None:
        """What may be kept of a value; None keeps nothing. Sees the original, never an encoding."""


#: A scrubbed text is cut at this many characters, with a mark (BP-29).
REDACTED_CHARACTERS = 2000
TRUNCATION_MARK = "… [truncated]"
MASK = "***"

# Known secret shapes first, then addresses. A heuristic: it finds these shapes and no others.
_CREDENTIAL_KEY = (
    r"(?:api[_-]?key|access[_-]?key|access[_-]?token|auth[_-]?token|token|secret|password|passwd"
    r"|pwd|sig|signature|client[_-]?secret|authorization|credential)"
)
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"([?&;]{_CREDENTIAL_KEY}=)[^&\s\"'#]+", re.IGNORECASE), rf"\1{MASK}"),
    (re.compile(r"([a-z][a-z0-9+.-]*://)[^/\s@\"']+@", re.IGNORECASE), rf"\1{MASK}@"),
    (re.compile(r"(\bbearer\s+)[A-Za-z0-9._~+/=-]+", re.IGNORECASE), rf"\1{MASK}"),
    (
        re.compile(rf"(\"?\b{_CREDENTIAL_KEY}\"?\s*[:=]\s*\"?)[^\s\"',;&{{}}]+", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{16,}"
            r"|\bgithub_pat_[A-Za-z0-9_]{16,}|\bglpat-[A-Za-z0-9_-]{16,}|\bxox[abeoprs]-[A-Za-z0-9-]{8,}"
            r"|\bAKIA[0-9A-Z]{12,}|\bASIA[0-9A-Z]{12,}|\bAIza[0-9A-Za-z_-]{20,}|\bhf_[A-Za-z0-9]{16,}"
            r"|\bevh_(?:op|vw|sc)_[A-Za-z0-9_-]{8,}|\bnpm_[A-Za-z0-9]{16,}"
        ),
        MASK,
    ),
    (re.compile(r"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), MASK),
    (
        re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\.[A-Za-z]{2,}"),
        MASK,
    ),
)


def scrub(text: str) -> str:
    """The text with known secret shapes and email addresses masked.

    A heuristic, not a guarantee: a secret of another shape stays.
    """
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    return text


def scrub_values(value: object) -> object:
    """A JSON value with every text in it scrubbed, keys included; its structure stays.

    One walk over everything at the last point before storage, so that no field is forgotten.
    """
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, Mapping):
        return {
            scrub(key) if isinstance(key, str) else key: scrub_values(member)
            for key, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [scrub_values(member) for member in value]
    return value


def redact(text: str) -> str:
    """The scrubbed text, at most `REDACTED_CHARACTERS` characters and then a mark."""
    scrubbed = scrub(text)
    if len(scrubbed) <= REDACTED_CHARACTERS:
        return scrubbed
    return scrubbed[:REDACTED_CHARACTERS] + TRUNCATION_MARK


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPolicy:
    """The policy that a level stands for where nobody brings another.

    Attributes:
        level: the level.
    """

    level: PrivacyLevel

    def filter_content(self, value: str | bytes | None) -> str | bytes | None:
        """Nothing below ``redacted``, a scrubbed copy at it, the value itself at ``full``."""
        if value is None or not self.keeps_content:
            return None
        if self.level is PrivacyLevel.FULL:
            return value
        text = value if isinstance(value, str) else value.decode("utf-8", "replace")
        return redact(text)

    @property
    def keeps_content(self) -> bool:
        """Whether any content is kept at all."""
        return self.level in (PrivacyLevel.REDACTED, PrivacyLevel.FULL)
