"""What does a sender of events send, and what is it answered? Decoded with msgspec, event by event.

One event, or a batch: an object with ``events``. What is accepted has one meaning for every
reader, as `wire.strict_json` asks; a body that could mean two things is decoded strictly first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from evenhand.contracts.decoding import read_event, read_events
from evenhand.contracts.events import Event
from evenhand.contracts.ingestion import Result
from evenhand.core.errors import InvalidEvent
from evenhand.wire.strict_json import NotStrictJson, decode_strictly

#: How many events a batch may hold.
MOST_EVENTS: Final = 10_000
_EVENTS: Final = "events"
_WHOLE: Final = "all_or_nothing"

Read = Event | InvalidEvent


class NotABatch(Exception):
    """A body is no batch; names the member and the rule, no value of it.

    Attributes:
        field: the member.
        rule: as a code.
    """

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class TooManyEvents(Exception):
    """A batch holds more events than a batch may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What a body holds.

    Attributes:
        read: events, and refusals in the place of what is none, in their order.
        is_batch: whether it was a batch; else there is one.
        is_whole: whether a batch is taken whole or not at all.
    """

    read: tuple[Read, ...]
    is_batch: bool
    is_whole: bool = False


def decode_body(body: bytes) -> Body:
    """The events that a body holds.

    Args:
        body: any bytes.

    Raises:
        NotStrictJson: no strict JSON object.
        NotABatch: a batch with another member, or one of another type.
        TooManyEvents: too many.
    """
    members = _members(body)
    if _EVENTS not in members:
        return Body(read=(_single(body),), is_batch=False)
    if _is_doubtful(body):
        decode_strictly(body)
    for name in members:
        if name not in (_EVENTS, _WHOLE):
            # A name that is not known came from the sender.
            raise NotABatch("body", "extra_forbidden")
    try:
        read = read_events(members[_EVENTS], most=MOST_EVENTS)
    except msgspec.MsgspecError:
        raise NotABatch("body.events", "list_type") from None
    try:
        is_whole = _FLAG.decode(members[_WHOLE]) if _WHOLE in members else False
    except msgspec.ValidationError:
        raise NotABatch("body.all_or_nothing", "bool_type") from None
    if read is None:
        raise TooManyEvents
    return Body(read=tuple(read), is_batch=True, is_whole=is_whole)


def encode_result(result: Result) -> bytes:
    """What became of one event."""
    return msgspec.json.encode({"event_id": result.event_id, "status": result.status})


def encode_results(results: Sequence[Result]) -> bytes:
    """What became of each event of a batch."""
    return msgspec.json.encode({"results": results})


def _members(body: bytes) -> dict[str, msgspec.Raw]:
    try:
        return _OBJECT.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # It says what is wrong in words of ours, or that nothing is but the shape.
        decode_strictly(body)
    raise NotStrictJson("is not JSON that every reader understands alike")


def _single(body: bytes) -> Read:
    found = read_event(body)
    if isinstance(found, InvalidEvent) and found.field == "event":
        # No field of it is wrong: it is no strict JSON, which has an answer of its own.
        decode_strictly(body)
    return found


def _is_doubtful(body: bytes) -> bool:
    """Whether a member of a batch may occur twice: by its name, or by an escaped one."""
    return body.count(b'"events"') != 1 or body.count(b'"all_or_nothing"') > 1 or b"\\u" in body


_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_FLAG: Final = msgspec.json.Decoder(bool)
