"""How is a vector written as Base64? As little-endian IEEE float32, one after the other."""

from __future__ import annotations

import base64
import binascii
import math
import sys
from array import array
from collections.abc import Sequence
from typing import Final

from evenhand.core.gateway.written import WrittenVector

#: The greatest finite float32. A greater number has no place in a vector, however it is written:
#: the answer must not depend on the encoding that was asked for.
MAX_FLOAT32: Final = (2 - 2**-23) * 2.0**127

_BYTES: Final = 4


def encode_vector(vector: Sequence[float]) -> str:
    """Base64 of a vector, each number rounded to float32.

    Args:
        vector: finite, none beyond `MAX_FLOAT32`.

    Source: case B-089.
    """
    packed = array("f", vector)
    if sys.byteorder == "big":
        packed.byteswap()
    return base64.b64encode(packed.tobytes()).decode("ascii")


def decode_vector(text: str) -> list[float] | None:
    """The vector of a Base64 text; None where it is none: foreign characters, half a number.

    Numbers are not looked at: whether they are finite is asked of a vector however it came.
    """
    try:
        packed = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
    if len(packed) % _BYTES:
        return None
    numbers = array("f", packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()


def is_vector(vector: Sequence[float]) -> bool:
    """Whether it is not empty and each of its numbers is finite and fits float32."""
    if isinstance(vector, WrittenVector):
        return True
    # A length that fits says so of every number, and is one call; that of most vectors is 1.
    if math.hypot(*vector) <= MAX_FLOAT32:
        return bool(vector)
    # The least and the greatest number do not show a NaN among others; the sum does.
    return -MAX_FLOAT32 <= min(vector) <= max(vector) <= MAX_FLOAT32 and not math.isnan(
        sum(vector)
    )


def is_zero(vector: Sequence[float]) -> bool:
    """Whether all of it is zero, so that no angle to it is defined."""
    return vector.is_zero if isinstance(vector, WrittenVector) else not any(vector)
