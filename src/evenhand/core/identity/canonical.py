"""How does a value become one text, and that text one digest?

Two canonical forms live here and are never mixed. ``json-ascii-v1`` is the rule for settings,
queries, pins and retry bodies; its digests are plain hex. The tagged form, a compact JSON array
that begins with its name and version, is for labels, benchmarks, variants and qrels; its digests
read ``v1:`` and hex. Which members an array has is the business of the module that names it.

Text of ids and questions is held as bytes (``to_bytes``), so that the original survives and
sorting is sorting of bytes. No other module may call ``json.dumps``.
"""

from __future__ import annotations

from evenhand.core.errors import InvalidText

# Not from typing, nor are base64, hashlib, json and re imported but where they are used: they take
# about as long to import as a small run to score.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final, TypeAlias, TypeGuard

    #: What the tagged form may hold: text, integers, null and arrays of these.
    Tagged: TypeAlias = str | int | Sequence["Tagged"] | None

_FINGERPRINT: Final = r"v1:[0-9a-f]{64}"
_SHA256: Final = r"[0-9a-f]{64}"


def json_ascii_v1(value: object) -> str:
    """Canonical JSON text of a value under the rule ``json-ascii-v1``.

    Keys are sorted by code point, separators are compact, everything beyond ASCII is escaped,
    numbers are printed as Python prints them. A foreign object becomes ``str(object)``: correct
    for UUIDs, times and decimals, unstable for sets and for objects that print their address.

    Raises:
        ValueError: NaN, an infinity, or a container that holds itself.
        TypeError: keys of types that cannot be sorted together.

    Source: statements C-91 to C-93.
    """
    import json

    # RFC 8785 is another form: it sorts keys by UTF-16 unit and prints numbers as JavaScript does.
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=True,
        allow_nan=False,
        default=str,
    )


def json_ascii_v1_digest(value: object) -> str:
    """SHA-256 of the ``json-ascii-v1`` text as 64 lowercase hex digits, without a prefix.

    Raises:
        ValueError, TypeError: as :func:`json_ascii_v1`.
    """
    return sha256_hex(json_ascii_v1(value).encode("utf-8"))


def query_digest(query: str | bytes) -> str:
    """Digest by which a gateway request proves which query was embedded.

    It is the ``json-ascii-v1`` digest of the list that holds only the query, so an added prefix
    or one more blank gives another digest.

    Source: statements C-95 and C-96.
    """
    from json.encoder import encode_basestring_ascii

    # `json_ascii_v1` of such a list; to make an encoder takes longer than to hash a query.
    text = encode_basestring_ascii(query if isinstance(query, str) else to_text(query))
    return sha256_hex(f"[{text}]".encode("ascii"))


def compact_json(value: Tagged) -> str:
    """Compact ASCII JSON text of a tagged array, members in the given order.

    Raises:
        TypeError: a member that JSON does not know.
        ValueError: NaN or an infinity.
    """
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def readable_json(value: object) -> str:
    """Compact JSON text with real characters, for texts that a filter must be able to read.

    It is stored and scrubbed, never hashed (G-15: no escape may hide a secret from a pattern).

    Raises:
        TypeError, ValueError: a member that JSON does not know.
    """
    import json

    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def tagged_digest(value: Tagged) -> str:
    """``v1:`` and the SHA-256 of the compact JSON text of a tagged array."""
    return "v1:" + sha256_hex(compact_json(value).encode("ascii"))


def is_fingerprint(value: object) -> TypeGuard[str]:
    """Whether a value reads as the digest of a tagged array: ``v1:`` and 64 lowercase hex digits."""
    import re

    return type(value) is str and re.fullmatch(_FINGERPRINT, value) is not None


def is_sha256(value: object) -> TypeGuard[str]:
    """Whether a value reads as a plain SHA-256: 64 lowercase hex digits."""
    import re

    return type(value) is str and re.fullmatch(_SHA256, value) is not None


def sha256_hex(content: bytes) -> str:
    """SHA-256 of some bytes as 64 lowercase hex digits."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def b64(content: bytes) -> str:
    """Base64 text of some bytes: standard alphabet, padded, one line."""
    import base64

    return base64.b64encode(content).decode("ascii")


def to_bytes(text: str | bytes, *, field: str = "text", refuse_nul: bool = False) -> bytes:
    """The bytes that a text stands for.

    Text becomes UTF-8. A low surrogate U+DC80 to U+DCFF is the mark of one raw byte (Python's
    ``surrogateescape``) and becomes that byte again; any other lone surrogate has no bytes.

    Args:
        text: text, or bytes that are taken as they are.
        field: name of the field, for the message.
        refuse_nul: refuse a NUL byte (ids, question text).

    Raises:
        InvalidText: not text, a lone surrogate, or a NUL where it is refused. The message never
            repeats the text.

    Source: statement G-06.
    """
    content = _encoded(text, field)
    if refuse_nul and b"\x00" in content:
        raise InvalidText(field, "must not hold NUL")
    return content


def to_text(content: bytes) -> str:
    """The text of some bytes, each byte that is not UTF-8 as a low surrogate.

    ``to_bytes(to_text(content)) == content`` for all bytes. Sort the bytes, not this text: the
    surrogate of 0xFF sorts before U+10000, the byte 0xFF after it.
    """
    return content.decode("utf-8", "surrogateescape")


def _encoded(text: object, field: str) -> bytes:
    if isinstance(text, bytes):
        return bytes(text)
    if not isinstance(text, str):
        raise InvalidText(field, "must be text or bytes")
    try:
        # Called on the class: a subclass of str cannot answer with bytes of its own.
        return str.encode(text, "utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # Not chained: the driver's message repeats the text.
        raise InvalidText(field, "holds a lone surrogate") from None
