"""How is a number written? Three decimals and the fraction behind it, rounded for show only.

Decisions use the exact fractions of `core`; nothing here is read back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from fractions import Fraction
from typing import Final

from evenhand.core.scoring.protocols import rate
from evenhand.reports.wording import NO_SUCH_RATE

#: Characters of a row's id that are shown where the whole is at hand.
SHORT_ID: Final = 13
_THOUSAND: Final = 1000
_MINUTE: Final = 60
_HEX_SHOWN: Final = 12
_LABEL_SHOWN: Final = 40
_DIGEST_LENGTH: Final = 64


def decimal(value: Fraction) -> str:
    """Three decimals, such as ``0.521`` or ``-0.021``; a half goes to the even digit."""
    thousandths = round(abs(value) * _THOUSAND)
    sign = "-" if value < 0 else ""
    return f"{sign}{thousandths // _THOUSAND}.{thousandths % _THOUSAND:03d}"


def signed(value: Fraction) -> str:
    """As `decimal`, with ``+`` before what is above zero: ``+0.000`` is a small gain, not none."""
    return f"+{decimal(value)}" if value > 0 else decimal(value)


def rate_text(hits: int, total: int) -> str:
    """A rate with what it covers: ``0.521 (3168 of 6078)``.

    Over an empty total there is no share to speak of (BP-10 stores 0), and the text says so.
    """
    if not total:
        return f"{NO_SUCH_RATE} (0 of 0)"
    return f"{decimal(rate(hits, total))} ({fraction_text(hits, total)})"


def fraction_text(hits: int, total: int) -> str:
    """``3168 of 6078``."""
    return f"{hits} of {total}"


def delta_text(delta: Fraction, hits: int) -> str:
    """A difference with the hits behind it: ``+0.021 (+64)``; the totals are equal."""
    return f"{signed(delta)} ({hits:+d})" if hits else "0.000 (0)"


def bounds_text(low: Fraction, high: Fraction) -> str:
    """``-0.010 to +0.031``."""
    return f"{signed(low)} to {signed(high)}"


def interval_text(low: float, high: float) -> str:
    """An interval of a difference: ``-0.010 to +0.031``."""
    return bounds_text(Fraction(low), Fraction(high))


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 question``, ``3 questions``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def verb(number: int, singular: str, plural: str) -> str:
    """The form that goes with a number: ``does`` with 1, ``do`` with every other."""
    return singular if number == 1 else plural


def of_text(number: int, total: int, noun: str) -> str:
    """``1 of 3 questions``, ``1 of 1 question``."""
    return f"{number} of {count(total, noun)}"


def instant_text(at: datetime) -> str:
    """An aware UTC time to the second: ``2026-09-09 12:00:00 UTC``."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def duration_text(span: timedelta) -> str:
    """``340 ms``, ``12.3 s`` or ``4 min 05 s``."""
    ms = span // timedelta(milliseconds=1)
    if ms < _THOUSAND:
        return f"{ms} ms"
    seconds, rest = divmod(ms, _THOUSAND)
    if seconds < _MINUTE:
        return f"{seconds}.{rest // 100} s"
    return f"{seconds // _MINUTE} min {seconds % _MINUTE:02d} s"


def short(label: str) -> str:
    """A digest cut to twelve digits, a long label to its two ends; for reading, not comparing."""
    prefix, separator, digest = label.rpartition(":")
    if len(digest) == _DIGEST_LENGTH and set(digest) <= set("0123456789abcdef"):
        return f"{prefix}{separator}{digest[:_HEX_SHOWN]}…"
    if len(label) <= _LABEL_SHOWN:
        return label
    return f"{label[:24]}…{label[-12:]}"


def short_id(row_id: str) -> str:
    """The beginning of a row's id: the time in it, which tells most rows apart; for reading."""
    return row_id[:SHORT_ID]


def short_pair(one: str, other: str) -> tuple[str, str]:
    """Two labels shortened so that unequal ones still look unequal."""
    cut = short(one), short(other)
    return (one, other) if cut[0] == cut[1] and one != other else cut
