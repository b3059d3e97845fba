"""Many events out of bytes, quickly: typed decoding, and an explanation only where one is refused.

The typed decoder takes what `event.schema.json` takes. What it refuses goes to
`events.validate_event`, which names field and rule; so do bodies in which a key may occur twice,
of which the typed decoder would take the last value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, NoReturn

import msgspec
from msgspec import UNSET, Meta, UnsetType

from evenhand.contracts.events import Event, EventOutcome, validate_event
from evenhand.contracts.schema import DIGEST, FINGERPRINT, TIMESTAMP
from evenhand.core.errors import InvalidEvent
from evenhand.core.identity.labels import IDENTIFIER

# An integer is kept apart: one beyond 2**53 would become another number without a word.
_Duration = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
_EXACT: Final = 2**53


class _Typed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What has the fields of an event, and their types; of its texts only that they are texts."""

    timestamp_utc: str
    event_id: str
    account_id: str
    release: str
    evaluation_id: str
    retrieval_version: str
    evaluator_version: str
    retrieval_score: Annotated[float, Meta(ge=0, le=1)]
    grounded: bool
    duration_ms: _Duration
    accepted: bool | UnsetType = UNSET
    outcome: EventOutcome | UnsetType = UNSET
    prompt_version: str | UnsetType = UNSET
    benchmark: str | UnsetType = UNSET
    review_stratum: str | UnsetType = UNSET


def _body(pattern: str) -> str:
    return pattern.removeprefix("^").removesuffix("$")


#: All texts of an event, a line each: to ask one pattern once takes a fraction of asking ten. A
#: text that holds a line's end makes a line too many, and an empty one fits no line.
_TEXTS: Final = re.compile(
    "\n".join(
        (
            f"(?:{_body(TIMESTAMP)})",
            *6 * [_body(IDENTIFIER)],
            *map(_body, (IDENTIFIER, FINGERPRINT, DIGEST)),
        )
    )
).fullmatch
#: In the place of a text that is absent: what fits its line.
_ABSENT: Final = ("x", "v1:" + 64 * "0", 64 * "0")
_DECODER: Final = msgspec.json.Decoder(_Typed)
_LIST_DECODER: Final = msgspec.json.Decoder(list[_Typed])
_LIST_OF_RAW: Final = msgspec.json.Decoder(list[msgspec.Raw])
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
    if not _fits(found) or _may_hide(bytes(content), (found,)):
        return validate_event(_document(bytes(content)))
    return _event(found)


def read_event(content: bytes | msgspec.Raw) -> Event | InvalidEvent:
    """The event of some bytes of JSON, or why they are none."""
    try:
        return decode_event(content)
    except InvalidEvent as error:
        return error


def read_events(content: bytes | msgspec.Raw, *, most: int) -> list[Event | InvalidEvent] | None:
    """What `read_event` gives of each member of a JSON array, in their order.

    Args:
        content: a JSON array.
        most: how many members it may have.

    Returns:
        None where there are more.

    Raises:
        msgspec.MsgspecError: no array.
    """
    try:
        # One by one takes half as long again; a batch with a refusal takes both times.
        found = _LIST_DECODER.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        found = None
    is_plain = found is not None and len(found) <= most and all(map(_fits, found))
    if found is not None and is_plain and not _may_hide(bytes(content), found):
        return list(map(_event, found))
    members = _LIST_OF_RAW.decode(content)
    return None if len(members) > most else list(map(read_event, members))


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
    return instant.isoformat("T", "microseconds")[:26] + "Z"


def _fits(found: _Typed) -> bool:
    """Whether each text is what its field asks for."""
    prompt, benchmark, stratum = _ABSENT
    if found.prompt_version is not UNSET:
        prompt = found.prompt_version
    if found.benchmark is not UNSET:
        benchmark = found.benchmark
    if found.review_stratum is not UNSET:
        stratum = found.review_stratum
    texts = (
        f"{found.timestamp_utc}\n{found.event_id}\n{found.account_id}\n{found.release}\n"
        f"{found.evaluation_id}\n{found.retrieval_version}\n{found.evaluator_version}\n"
        f"{prompt}\n{benchmark}\n{stratum}"
    )
    return _TEXTS(texts) is not None


def _event(found: _Typed) -> Event:
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
        accepted=None if found.accepted is UNSET else found.accepted,
        outcome=None if found.outcome is UNSET else found.outcome,
        prompt_version=None if found.prompt_version is UNSET else found.prompt_version,
        benchmark=None if found.benchmark is UNSET else found.benchmark,
        review_stratum=None if found.review_stratum is UNSET else found.review_stratum,
    )


def _may_hide(content: bytes, found: Sequence[_Typed]) -> bool:
    """Whether a key may occur twice, or a number become another one.

    No text of a valid event holds a quotation mark, so keys and texts have two each; a key that
    occurs twice has two more.
    """
    marks = 0
    for one in found:
        if type(one.duration_ms) is int and one.duration_ms > _EXACT:
            return True
        marks += (
            _REQUIRED_MARKS
            + 2 * (one.accepted is not UNSET)
            + 4 * (one.outcome is not UNSET)
            + 4 * (one.prompt_version is not UNSET)
            + 4 * (one.benchmark is not UNSET)
            + 4 * (one.review_stratum is not UNSET)
        )
    return content.count(b'"') != marks


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
