"""How is a text stored whose bytes are not UTF-8 (``retrieval-bytes-v1``)?

Ordinary text stays a JSON string. Bytes that are not UTF-8 become a tag object that holds them in
Base64, so that the measured bytes and the distinctness of ids survive and no character encoding
is guessed. Where a tag may stand is the business of ``details``; which privacy level allows it
that of the policy.
"""

from __future__ import annotations

import base64
import binascii
from typing import Final, Protocol, TypeAlias

from evenhand.core.errors.identity import UnknownEncoding
from evenhand.core.identity.canonical import b64, to_bytes

ENCODING: Final = "base64"
VERSION: Final = "retrieval-bytes-v1"

Tag: TypeAlias = dict[str, str]
"""``{"encoding": "base64", "version": "retrieval-bytes-v1", "value": Base64}``."""


class ContentFilter(Protocol):
    """The part of a privacy policy that sees one value and may replace or drop it (G-14)."""

    def __call__(self, value: str | bytes | None, /) -> str | bytes | None:
        """The value to store instead: text, bytes, or None to empty the field."""
        ...


def encode_at_full(content: bytes, filter_content: ContentFilter) -> str | Tag | None:
    """What is stored at privacy level FULL for the bytes of one field.

    Valid UTF-8 stays text and is not filtered here (the payload as a whole is). Other bytes go
    through the policy first, as they are, so that a policy that scrubs never sees only Base64;
    its answer is examined again.

    Args:
        content: the measured bytes.
        filter_content: the policy's filter. If it raises, so does this: nothing is ever stored
            unfiltered.

    Returns:
        Text, a tag of bytes that are still not UTF-8, or None where the policy dropped the field.

    Raises:
        InvalidText: the policy answered with something that is neither text nor bytes.

    Source: statements P-51, P-54, P-57, P-58, P-62, G-14.
    """
    text = _as_utf8(content)
    if text is not None:
        return text
    answer = filter_content(content)
    if answer is None:
        return None
    return encode_text(to_bytes(answer, field="answer of filter_content"))


def encode_text(content: bytes) -> str | Tag:
    """The spelling of some bytes that :func:`decode_text` reads: text, or a tag (G-18)."""
    text = _as_utf8(content)
    return (
        {"encoding": ENCODING, "version": VERSION, "value": b64(content)} if text is None else text
    )


def decode_text(value: object, *, field: str = "text") -> bytes:
    """The bytes of a field that is plain text or a tag, stored or as an input spelling (G-18).

    Args:
        value: a string, or an object with exactly the three keys of a tag.
        field: name of the field, for the message.

    Raises:
        UnknownEncoding: any other value, encoding, version or spelling of Base64.
        InvalidText: a string with a lone surrogate.

    Source: statements P-53, P-55, G-16, G-18.
    """
    if isinstance(value, str):
        return to_bytes(value, field=field)
    if not isinstance(value, dict):
        raise UnknownEncoding("is neither text nor an object")
    if set(value) != {"encoding", "version", "value"}:
        raise UnknownEncoding("must have exactly the keys encoding, version and value")
    if value["encoding"] != ENCODING:
        raise UnknownEncoding("has an unknown encoding")
    if value["version"] != VERSION:
        raise UnknownEncoding("has an unknown version")
    return _decode_base64(value["value"])


def _as_utf8(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _decode_base64(text: object) -> bytes:
    if not isinstance(text, str):
        raise UnknownEncoding("has a value that is not text")
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UnknownEncoding("has a value that is not Base64") from None
    # validate=True still admits discarded bits that are not zero.
    if b64(content) != text:
        raise UnknownEncoding("has a value that is not canonical Base64")
    return content
