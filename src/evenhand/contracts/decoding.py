"""Many events out of bytes, quickly: typed decoding, and an explanation only where one is refused.

The typed decoder takes what `event.schema.json` takes. What it refuses goes to
`events.validate_event`, which names field and rule; so do bodies in which a key may occur twice,
of which the typed decoder would take the last value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final, NoReturn

import msgspec
from msgspec import UNSET, Meta, UnsetType

from evenhand.contracts.events import Event, EventOutcome, validate_event
from evenhand.contracts.schema import DIGEST, FINGERPRINT, IDENTIFIER, TIMESTAMP
from evenhand.core.errors import InvalidEvent


def _to_the_end(pattern: str) -> str:
    # Python's $ also stands before a last line feed.
    return pattern.removesuffix("$") + r"\Z"


_Identifier = Annotated[str, Meta(pattern=_to_the_end(IDENTIFIER))]
_Share = Annotated[float, Meta(ge=0, le=1)]
# An integer is kept apart: one beyond 2**53 would become another number without a word.
_Duration = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
_EXACT: Final = 2**53


class _Typed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    timestamp_utc: Annotated[str, Meta(pattern=_to_the_end(TIMESTAMP))]
    event_id: _Identifier
    account_id: _Identifier
    release: _Identifier
    evaluation_id: _Identifier
    retrieval_version: _Identifier
    evaluator_version: _Identifier
    retrieval_score: _Share
    grounded: bool
    duration_ms: _Duration
    accepted: bool | UnsetType = UNSET
    outcome: EventOutcome | UnsetType = UNSET
    prompt_version: _Identifier | UnsetType = UNSET
    benchmark: Annotated[str, Meta(pattern=_to_the_end(FINGERPRINT))] | UnsetType = UNSET
    review_stratum: Annotated[str, Meta(pattern=_to_the_end(DIGEST))] | UnsetType = UNSET


_DECODER: Final = msgspec.json.Decoder(_Typed)
_OPTIONAL_TEXTS: Final = ("outcome", "prompt_version", "benchmark", "review_stratum")
_OPTIONAL: Final = ("accepted", *_OPTIONAL_TEXTS)
#: Of the ten required fields, seven of them texts.
_REQUIRED_MARKS: Final = 2 * (10 + 7)


def decode_event(content: bytes | msgspec.Raw) -> Event:
    """The event that some bytes of JSON are.

    Raises:
        InvalidEvent: they are none; names field and rule, never a value.
    """
    try:
        found = _DECODER.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return validate_event(_document(bytes(content)))
    if _may_hide(bytes(content), found):
        return validate_event(_document(bytes(content)))
    return _event(found)


def encode_event(event: Event) -> bytes:
    """The event as one JSON object, without what is unknown; in the order of `Event`."""
    return msgspec.json.encode(event_document(event))


def event_document(event: Event) -> dict[str, Any]:
    """The event as a JSON object, without what is unknown."""
    document: dict[str, Any] = {"timestamp_utc": timestamp_text(event.timestamp_utc)}
    for name in Event.__struct_fields__[1:]:
        value = getattr(event, name)
        if value is not None:
            document[name] = value
    return document


def timestamp_text(instant: datetime) -> str:
    """``YYYY-MM-DDTHH:MM:SS.ffffffZ`` of an aware UTC instant."""
    return instant.isoformat(timespec="microseconds")[:26] + "Z"


def _event(found: _Typed) -> Event:
    optional = {name: value for name in _OPTIONAL if (value := getattr(found, name)) is not UNSET}
    return Event(
        # More than six digits of a fraction are cut, here as in `events`.
        timestamp_utc=datetime.fromisoformat(found.timestamp_utc[:26].rstrip("Z") + "+00:00"),
        event_id=found.event_id,
        account_id=found.account_id,
        release=found.release,
        evaluation_id=found.evaluation_id,
        retrieval_version=found.retrieval_version,
        evaluator_version=found.evaluator_version,
        retrieval_score=found.retrieval_score,
        grounded=found.grounded,
        duration_ms=float(found.duration_ms),
        **optional,
    )


def _may_hide(content: bytes, found: _Typed) -> bool:
    """Whether a key may occur twice, or a number become another one."""
    if type(found.duration_ms) is int and found.duration_ms > _EXACT:
        return True
    # No text of a valid event holds a quotation mark, so keys and texts have two each; a key that
    # occurs twice has two more.
    texts = sum(getattr(found, name) is not UNSET for name in _OPTIONAL_TEXTS)
    expected = _REQUIRED_MARKS + 4 * texts + 2 * (found.accepted is not UNSET)
    return content.count(b'"') != expected


def _document(content: bytes) -> object:
    try:
        return _STRICT(content.decode("utf-8"))
    except InvalidEvent:
        raise
    except (RecursionError, ValueError):
        # Whatever they say could repeat a value.
        raise InvalidEvent("event", "must be strict JSON in UTF-8") from None


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidEvent("event", "has a key that occurs twice")
    return found


def _refuse(_: str) -> NoReturn:
    raise InvalidEvent("event", "holds NaN or an infinity, which JSON does not know")


_STRICT: Final[Callable[[str], object]] = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_constant=_refuse
).decode
