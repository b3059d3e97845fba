"""What does an upstream answer, and what does the client get of it?

An answer that is right goes on byte for byte where nothing has to change: the encoding is the one
that was asked for, the order is that of the inputs, and all of it was read, so that no reader could
find something else in it. Otherwise it is written anew of what was read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from evenhand.core.gateway.answer import Answer, Item, Vector
from evenhand.core.gateway.batches import Usage, read_count
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.vectors import decode_vector, encode_vector
from evenhand.wire.embeddings import Encoding


class _UpstreamItem(msgspec.Struct):
    embedding: list[float] | str
    index: int | UnsetType | None = UNSET
    object: Any = UNSET


class _UpstreamAnswer(msgspec.Struct):
    data: list[_UpstreamItem]
    model: Any = UNSET
    usage: Any = UNSET
    object: Any = UNSET
    # Some servers say them; they are read, so that it is known that they are strict.
    id: Any = UNSET
    created: Any = UNSET


class _Item(msgspec.Struct):
    index: int
    embedding: Sequence[float] | str
    object: str = "embedding"


class _Usage(msgspec.Struct):
    prompt_tokens: int
    total_tokens: int


class _Reply(msgspec.Struct):
    data: list[_Item]
    model: str
    # No member is better than a number that nobody counted.
    usage: _Usage | UnsetType
    object: str = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamAnswer:
    """What an upstream answered, before its vectors are checked.

    Attributes:
        items: in its order.
        usage: as it counted, as far as that is known.
        model: what it calls the model; None where it does not say so in plain words.
        encoding: in which its vectors are written; None where they differ.
        is_plain: whether it says nothing that a reader could read otherwise, or that was not read.
    """

    items: tuple[Item, ...]
    usage: Usage
    model: str | None
    encoding: Encoding | None
    is_plain: bool


def decode_answer(body: bytes) -> UpstreamAnswer | Failure:
    """What an upstream's body holds, or why it holds no answer.

    Args:
        body: any bytes.

    Source: cases B-089, B-098, B-100, B-101.
    """
    try:
        found = _DECODER.decode(body)
    except msgspec.ValidationError as error:
        is_vector = _IN_VECTOR.search(str(error)) is not None
        return Failure.INVALID_VECTOR if is_vector else Failure.NO_ANSWER
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Failure.INVALID_VECTOR if _holds_nan(body) else Failure.NO_ANSWER
    usage, is_stated_well = _usage(found.usage)
    kinds = {type(item.embedding) for item in found.data}
    return UpstreamAnswer(
        items=tuple((_index(item.index), _vector(item.embedding)) for item in found.data),
        usage=usage,
        model=_model(found.model),
        encoding=None if len(kinds) != 1 else "base64" if kinds == {str} else "float",
        is_plain=is_stated_well and _is_bare(body, found),
    )


def may_pass(read: UpstreamAnswer, answer: Answer, *, encoding: Encoding) -> bool:
    """Whether an upstream's own bytes may be the client's answer.

    Args:
        read: the upstream's only answer.
        answer: what was found in it.
        encoding: that the client asked for.
    """
    return read.is_plain and answer.was_in_order and read.encoding == encoding


def encode_reply(answer: Answer, *, encoding: Encoding, model: str, usage: Usage) -> bytes:
    """A client's answer, written anew.

    Args:
        answer: the vectors in the order of the inputs.
        encoding: that the client asked for.
        model: name of it.
        usage: of the whole request; left out where it is unknown.
    """
    written: Sequence[Vector | str] = answer.vectors
    if encoding == "base64":
        written = [encode_vector(vector) for vector in answer.vectors]
    items = [_Item(index=index, embedding=vector) for index, vector in enumerate(written)]
    return _ENCODER.encode(_Reply(data=items, model=model, usage=_told(usage)))


_DECODER: Final = msgspec.json.Decoder(_UpstreamAnswer)
_ENCODER: Final = msgspec.json.Encoder()
# Of members that are known; the path of one that is not known names nothing.
_IN_VECTOR: Final = re.compile(r" - at `\$\.data\[\d+\]\.embedding(?:\[\d+\])*`\Z")
_MODEL: Final = re.compile(r"[!-~]{1,190}")


def _vector(embedding: list[float] | str) -> Vector | None:
    return decode_vector(embedding) if isinstance(embedding, str) else embedding


def _index(value: int | UnsetType | None) -> int | None:
    return None if value is UNSET else value


def _model(value: object) -> str | None:
    return value if isinstance(value, str) and _MODEL.fullmatch(value) else None


def _usage(value: object) -> tuple[Usage, bool]:
    """What is known of a usage, and whether it may go on as it stands."""
    if value is None or value is UNSET:
        return Usage(), True
    if not isinstance(value, dict):
        return Usage(), False
    usage = Usage(
        prompt_tokens=read_count(value.get("prompt_tokens")),
        total_tokens=read_count(value.get("total_tokens")),
    )
    return usage, usage.prompt_tokens is not None and usage.total_tokens is not None


def _told(usage: Usage) -> _Usage | UnsetType:
    prompt, total = usage.prompt_tokens, usage.total_tokens
    if prompt is None:
        return UNSET
    # An embedding makes no tokens of its own, so the prompt's are all there are.
    return _Usage(prompt_tokens=prompt, total_tokens=prompt if total is None else total)


def _is_bare(body: bytes, found: _UpstreamAnswer) -> bool:
    """Whether a body holds what was read of it, once each, and nothing else.

    Without escapes quotes stand around names and texts only. So it has as many as what was read
    needs, or a member of it is not known or occurs twice. What is not known was not read either,
    and may be no strict JSON. It may say no where an answer is bare: then it is written anew.
    """
    if b"\\" in body or not body.isascii():
        return False
    members = [found.model, found.object, found.id, found.created, found.usage]
    if isinstance(found.usage, dict):
        members[-1] = None
        members += found.usage.values()
    members += [item.object for item in found.data]
    if any(isinstance(member, list | dict) for member in members):
        return False
    for item in found.data:
        members += (item.embedding, item.index)
    return body.count(b'"') == _QUOTES_OF_DATA + sum(map(_quotes, members))


def _quotes(member: object) -> int:
    """How many quotes a member takes, its name among them; none where it is not there."""
    if member is UNSET:
        return 0
    return 4 if isinstance(member, str) else 2


_QUOTES_OF_DATA: Final = len('""')


def _holds_nan(body: bytes) -> bool:
    """Whether all that is wrong with a body is a number that JSON does not know."""
    found: list[str] = []
    try:
        json.loads(body, parse_constant=found.append)
    except (ValueError, RecursionError):
        return False
    return bool(found)
