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
from evenhand.core.gateway.written import WrittenVector, as_written
from evenhand.wire.embeddings import Encoding


class _UpstreamItem(msgspec.Struct):
    # Checked to be JSON, and read apart.
    embedding: msgspec.Raw
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
    try:
        vectors = [_vector(bytes(item.embedding)) for item in found.data]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Failure.INVALID_VECTOR
    usage, is_stated_well = _usage(found.usage)
    texts = sum(map(_is_text, found.data))
    return UpstreamAnswer(
        items=tuple(
            (None if item.index is UNSET else item.index, vector)
            for item, vector in zip(found.data, vectors, strict=True)
        ),
        usage=usage,
        model=_model(found.model),
        encoding="float" if not texts else "base64" if texts == len(vectors) else None,
        is_plain=is_stated_well and _is_bare(body, found, texts),
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
    written: Sequence[Vector | str] = list(map(_numbers, answer.vectors))
    if encoding == "base64":
        written = [encode_vector(vector) for vector in answer.vectors]
    items = [_Item(index=index, embedding=vector) for index, vector in enumerate(written)]
    return _ENCODER.encode(_Reply(data=items, model=model, usage=_told(usage)))


_DECODER: Final = msgspec.json.Decoder(_UpstreamAnswer)
_NUMBERS: Final = msgspec.json.Decoder(list[float])
_TEXT: Final = msgspec.json.Decoder(str)
_QUOTE: Final = b'"'
_ENCODER: Final = msgspec.json.Encoder()
# Of members that are known; the path of one that is not known names nothing.
_IN_VECTOR: Final = re.compile(r" - at `\$\.data\[\d+\]\.embedding(?:\[\d+\])*`\Z")
_MODEL: Final = re.compile(r"[!-~]{1,190}")


def _vector(content: bytes) -> Vector | None:
    """The vector of an item; None where a text is none.

    Raises:
        msgspec.DecodeError: it is neither an array of numbers nor text.
    """
    if content.startswith(_QUOTE):
        return decode_vector(_TEXT.decode(content))
    written = as_written(content, _NUMBERS.decode) if content.startswith(b"[") else None
    return _NUMBERS.decode(content) if written is None else written


def _is_text(item: _UpstreamItem) -> bool:
    return bytes(memoryview(item.embedding)[:1]) == _QUOTE


def _numbers(vector: Vector) -> Vector:
    return vector.numbers if isinstance(vector, WrittenVector) else vector


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


def _is_bare(body: bytes, found: _UpstreamAnswer, texts: int) -> bool:
    """Whether a body holds what was read of it, once each, and nothing else.

    Without escapes quotes stand around names and texts only. So it has as many as what was read
    needs, or a member of it is not known or occurs twice. What is not known was not read either,
    and may be no strict JSON. It may say no where an answer is bare: then it is written anew.

    Args:
        body: of the answer.
        found: in it.
        texts: how many of its vectors are text.
    """
    if b"\\" in body or not body.isascii():
        return False
    members = [found.model, found.object, found.id, found.created]
    quotes = _QUOTES_OF_DATA + 2 * texts
    if isinstance(found.usage, dict):
        quotes += 2
        members += found.usage.values()
    else:
        members.append(found.usage)
    for item in found.data:
        members.append(item.object)
        quotes += 2 if item.index is UNSET else 4
    for member in members:
        if member is UNSET:
            continue
        if isinstance(member, list | dict):
            return False
        quotes += 4 if isinstance(member, str) else 2
    return body.count(_QUOTE) == quotes


_QUOTES_OF_DATA: Final = len('""')


def _holds_nan(body: bytes) -> bool:
    """Whether all that is wrong with a body is a number that JSON does not know."""
    found: list[str] = []
    try:
        json.loads(body, parse_constant=found.append)
    except (ValueError, RecursionError):
        return False
    return bool(found)
