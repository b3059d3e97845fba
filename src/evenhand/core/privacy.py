"""How much of an evaluation may be kept, and who decides what a text becomes before it is?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from evenhand.core.errors import InvalidSetting


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


def kept_since(now: datetime, *, days: int) -> datetime:
    """The instant before which whatever was stored has been kept for longer than so many days.

    Args:
        now: the database's time, aware UTC.
        days: at least 1.

    Raises:
        InvalidSetting: days below 1; that never means "delete now" (BP-30).
    """
    if days < 1:
        raise InvalidSetting("retention days", "must be at least 1")
    # A window that reaches back beyond the first day of the calendar holds everything.
    whole = (now - datetime.min.replace(tzinfo=UTC)).days
    return now - timedelta(days=min(days, whole))


class PrivacyPolicy(Protocol):
    """What decides about content before it is stored."""

    @property
    def level(self) -> PrivacyLevel:
        """The level this policy stands for."""

    def filter_content(self, value: str | bytes | None) -> str | bytes | None:
        """What may be kept of a value; None keeps nothing. Sees the original, never an encoding."""


def kept_text(policy: PrivacyPolicy, text: str | None) -> str | None:
    """What privacy keeps of a text, as text."""
    kept = policy.filter_content(text)
    return kept.decode("utf-8", "replace") if isinstance(kept, bytes) else kept


#: A scrubbed text is cut at this many characters, with a mark (BP-29).
REDACTED_CHARACTERS = 2000
TRUNCATION_MARK = "… [truncated]"
MASK = "***"

# Every pattern below takes linear time: a run of characters is scanned from its first character
# only (the lookbehinds), or no further than a fixed number of characters.

# The end of the name of a parameter, header or key that holds a credential.
_WORD = (
    r"(?:(?:api|access|account|auth|client|private|secret|shared|subscription)[_-]?key"
    r"|token|secret|passw(?:or)?d|passphrase|pwd|sig|signature|credentials?|authorization|auth)"
)
_NAME = rf"(?:[\w.%-]{{0,64}}{_WORD})"
# Quotes may be escaped, in a text that is JSON itself; the escape of the closing one stays.
_QUOTE = r"""(?:\\{0,4}["'])?"""
_VALUE = r"""(?:[^\s"'\\&#;,<>]|\\(?!["']))+"""

# Secret shapes first, addresses last: a credential may hold an @.
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = (
    # URL userinfo; a password with an unescaped slash in it is found by its colon.
    (re.compile(r"""(://)[^/?#\s"'<>]*@"""), rf"\1{MASK}@"),
    (
        re.compile(r"""(://)[^/?#\s"'<>@:]{1,64}:(?!\d{1,5}[/?#])[^\s"'<>]{0,128}@"""),
        rf"\1{MASK}@",
    ),
    # Credential parameters of URLs, and assignments.
    (
        re.compile(rf"([?&;#](?:{_NAME}|key)=){_VALUE}", re.IGNORECASE),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            rf"((?<![\w.%-]){_NAME}{_QUOTE}\s{{0,9}}=\s{{0,9}}{_QUOTE}){_VALUE}", re.IGNORECASE
        ),
        rf"\1{MASK}",
    ),
    # A JSON member, also one inside a text that is JSON itself.
    (
        re.compile(
            rf"""((?<![\w.%-]){_NAME}\\{{0,4}}"\s{{0,9}}:\s{{0,9}}\\{{0,4}}")[^"\\]+""",
            re.IGNORECASE,
        ),
        rf"\1{MASK}",
    ),
    # Keys that begin with their vendor's prefix.
    (
        re.compile(
            r"(?<![A-Za-z0-9])(?:"
            r"(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
            r"|xox[a-z]-[\w-]{8,}|xapp-[\w-]{8,}|(?:AKIA|ASIA)[0-9A-Z]{12,}|AIza[\w-]{20,}"
            r"|ya29\.[\w-]{16,}|SG\.[\w-]{16,}|hf_\w{16,}|npm_\w{16,}|pypi-[\w-]{16,}"
            r"|evh_(?:op|vw|sc)_[\w-]{8,}|(?:gsk|whsec|jina|pcsk|r8|lsv2)_[\w-]{16,}"
            r"|(?:nvapi|pplx|xai)-[\w-]{16,}|dapi[0-9a-f]{32})",
            re.ASCII,
        ),
        MASK,
    ),
    # JSON web tokens: three parts, or five when encrypted.
    (
        re.compile(r"(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*){1,3}", re.ASCII),
        MASK,
    ),
    (
        re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*"),
        MASK,
    ),
)
# Shapes that ordinary prose has as well ("a bearer of news", "the token: a word"): masked where
# the second group does not read as a word.
_SHAPES_IN_PROSE: tuple[re.Pattern[str], ...] = (
    re.compile(r"(\bbearer(?:\s+|%20))([A-Za-z0-9._~+/=-]+)", re.IGNORECASE),
    re.compile(
        rf"((?<![\w.%-]){_NAME}\s{{0,9}}:\s{{0,9}}(?:(?:basic|digest|token)\s{{1,9}})?)"
        rf"({_VALUE})",
        re.IGNORECASE,
    ),
)
_ADDRESS = re.compile(
    r"(?<![\w.%+\u0300-\u036f-])[\w.%+\u0300-\u036f-]+(?:@|%40)(?:[\w-]+\.)+[^\W\d_]{2,}"
)
_NO_WORD = re.compile(r"[0-9_~+=*]|\w\w\.\w\w")
_LONGEST_WORD = 20
_LONGEST_COMPOUND = 12


def scrub(text: str) -> str:
    """The text with known secret shapes and email addresses masked.

    A heuristic, not a guarantee: a secret of another shape stays, and so does one that is
    hidden by an encoding such as Base64.

    Source: statement BP-29.
    """
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    for pattern in _SHAPES_IN_PROSE:
        text = pattern.sub(_mask_in_prose, text)
    return _ADDRESS.sub(MASK, text)


def _mask_in_prose(found: re.Match[str]) -> str:
    kept, value = found.groups()
    return found[0] if _reads_as_word(value) else kept + MASK


def _reads_as_word(value: str) -> bool:
    """Whether a value is spelt as words are: short, in one case, at most a short compound."""
    bare = value.strip(".!?:)(")
    if len(bare) > _LONGEST_WORD or bare[1:] != bare[1:].lower() or _NO_WORD.search(bare):
        return False
    return len(bare) <= _LONGEST_COMPOUND or bare.isalpha()


def scrub_values(value: object) -> object:
    """A JSON value with every text in it scrubbed, keys included; its structure stays.

    One walk over everything at the last point before storage, so that no field is forgotten.
    Keys that become equal by it are numbered, so that no member is lost.

    Raises:
        TypeError: a value that JSON does not know; it might hold anything.
    """
    if isinstance(value, str):
        return scrub(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        scrubbed: dict[str, object] = {}
        for key, member in value.items():
            scrubbed[_free_key(scrub(str(key)), scrubbed)] = scrub_values(member)
        return scrubbed
    if isinstance(value, list | tuple):
        return [scrub_values(member) for member in value]
    raise TypeError(type(value).__name__)


def _free_key(key: str, taken: Mapping[str, object]) -> str:
    if key not in taken:
        return key
    number = 2
    while f"{key} ({number})" in taken:
        number += 1
    return f"{key} ({number})"


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
