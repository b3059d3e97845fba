"""Is this object one ``rag_retrieval_evaluated`` event, version 1?

The event is a closed object: the source's 11 fields and four optional context fields. A refusal
names the field and the rule, never the value, which may be personal or hold text of a query.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from evenhand.core.errors import InvalidEvent
from evenhand.core.identity.canonical import is_fingerprint, is_sha256
from evenhand.core.identity.labels import IDENTIFIER

_IDENTIFIER: Final = re.compile(IDENTIFIER)
_TIMESTAMP: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?Z"
)
# An unknown name comes from the sender; only one that looks like a field is repeated.
_FIELD_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,62}")


class EventOutcome(StrEnum):
    """Why the event was emitted."""

    EVALUATED = "evaluated"
    INELIGIBLE = "ineligible"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluator result for a query, retrieval version, evaluator and candidate run.

    Attributes:
        timestamp_utc: outcome boundary, aware UTC, to the microsecond.
        event_id: stable unique id for deduplication.
        account_id: pseudonymous.
        release: version of the emitting application or service.
        evaluation_id: pseudonymous id of the evaluation case.
        retrieval_version: version of index, retriever and ranking contract.
        evaluator_version: versioned evaluator and rubric.
        retrieval_score: normalised relevance in [0, 1].
        grounded: whether the reviewed answer satisfies the grounding rule.
        accepted: reviewed acceptance; None is unknown (the field was absent).
        duration_ms: end-to-end duration of the evaluation workflow, at least 0.
        outcome: None where the sender did not say.
        prompt_version: None is unknown.
        benchmark: benchmark fingerprint; None is unknown.
        review_stratum: digest of the four review identities; None is unknown.
    """

    timestamp_utc: datetime
    event_id: str
    account_id: str
    release: str
    evaluation_id: str
    retrieval_version: str
    evaluator_version: str
    retrieval_score: float
    grounded: bool
    duration_ms: float
    accepted: bool | None = None
    outcome: EventOutcome | None = None
    prompt_version: str | None = None
    benchmark: str | None = None
    review_stratum: str | None = None


def validate_event(document: object) -> Event:
    """The event that a decoded JSON value is.

    Args:
        document: a mapping from field name to value, as decoded from JSON.

    Returns:
        The event; an absent optional field is None.

    Raises:
        InvalidEvent: no object, an unknown or a missing field, or a value that breaks its rule.
            Null is a value, and no field takes it.

    Source: statements E-17 to E-28, G-68.
    """
    if not isinstance(document, Mapping):
        raise InvalidEvent("event", "must be an object")
    for name in document:
        if name not in _CHECKS:
            rule = "is not a field of this event"
            raise InvalidEvent(_shown(name), rule, code="event_field_unknown")
    for name in _REQUIRED:
        if name not in document:
            raise InvalidEvent(name, "is required", code="event_field_missing")
    return Event(**{name: _CHECKS[name](name, value) for name, value in document.items()})


def _timestamp(field: str, value: object) -> datetime:
    match = _TIMESTAMP.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InvalidEvent(field, "must be YYYY-MM-DDTHH:MM:SS, an optional fraction, and Z")
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    # Nine digits may come, six are kept; the rest is cut, not rounded into another second.
    micros = int((match[7] or "").ljust(6, "0")[:6])
    try:
        return datetime(year, month, day, hour, minute, second, micros, tzinfo=UTC)
    except ValueError:
        raise InvalidEvent(field, "must be an instant of the calendar") from None


def _identifier(field: str, value: object) -> str:
    if not isinstance(value, str) or _IDENTIFIER.fullmatch(value) is None:
        raise InvalidEvent(
            field, "must be 1 to 128 of A-Z a-z 0-9 . _ : + -, the first alphanumeric"
        )
    return value


def _number(field: str, value: object) -> float:
    # bool is an int to Python, but not a number here.
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidEvent(field, "must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidEvent(field, "must be finite")
    if number != value:
        # What is stored is a double: another whole number than the sender's would come back.
        raise InvalidEvent(field, "must be a number that a double holds exactly")
    return number


def _share(field: str, value: object) -> float:
    number = _number(field, value)
    if not 0 <= number <= 1:
        raise InvalidEvent(field, "must lie in [0, 1]")
    return number


def _duration(field: str, value: object) -> float:
    number = _number(field, value)
    if number < 0:
        raise InvalidEvent(field, "must not be negative")
    return number


def _boolean(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidEvent(field, "must be true or false")
    return value


def _outcome(field: str, value: object) -> EventOutcome:
    if not isinstance(value, str) or value not in set(EventOutcome):
        raise InvalidEvent(field, "must be evaluated or ineligible")
    return EventOutcome(value)


def _fingerprint(field: str, value: object) -> str:
    if not is_fingerprint(value):
        raise InvalidEvent(field, "must be v1: and 64 lowercase hex digits")
    return value


def _sha256(field: str, value: object) -> str:
    if not is_sha256(value):
        raise InvalidEvent(field, "must be 64 lowercase hex digits")
    return value


def _shown(name: object) -> str:
    if isinstance(name, str) and _FIELD_NAME.fullmatch(name):
        return name
    return "(unknown field)"


# Each check gives the type of its field in Event; a table cannot say so.
_CHECKS: Final[dict[str, Callable[[str, object], Any]]] = {
    "timestamp_utc": _timestamp,
    "event_id": _identifier,
    "account_id": _identifier,
    "release": _identifier,
    "evaluation_id": _identifier,
    "retrieval_version": _identifier,
    "evaluator_version": _identifier,
    "retrieval_score": _share,
    "grounded": _boolean,
    "duration_ms": _duration,
    "accepted": _boolean,
    "outcome": _outcome,
    "prompt_version": _identifier,
    "benchmark": _fingerprint,
    "review_stratum": _sha256,
}
_REQUIRED: Final = tuple(_CHECKS)[:10]
