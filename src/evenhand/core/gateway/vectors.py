"""How is a vector written, and is it one?

As an array of numbers in JSON, or as Base64 of little-endian IEEE float32, one after the other.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import Final, overload

#: The greatest finite float32. A greater number has no place in a vector, however it is written:
#: the answer must not depend on the encoding that was asked for.
MAX_FLOAT32: Final = (2 - 2**-23) * 2.0**127

_BYTES: Final = 4

_ARRAY: Final = b"[]"
_OF_NUMBERS: Final = b"0123456789+-.eE, \t\r\n"
_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
#: A number with fewer digits before its point is below `MAX_FLOAT32`.
_MAYBE_TOO_LARGE: Final = b"0" * 39
#: A first number without an exponent that is not zero.
_BEGINS_WELL: Final = re.compile(rb"\[\s*-?[0-9.]*[1-9][0-9.]*\s*[,\]]")


class WrittenVector(Sequence[float]):
    """A right vector that is not zero, as JSON writes it; read only where somebody asks for it.

    Most vectors go on as they came. To make an object of each number costs more than all else
    that is done with an answer.

    Args:
        text: an array of numbers.
        length: how many there are, at least 1.
    """

    __slots__ = ("_length", "_text")

    def __init__(self, text: bytes, length: int) -> None:
        self._text = text
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[float]:
        return map(float, self._text.strip()[1:-1].split(b","))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment] # as of a list

    @overload
    def __getitem__(self, index: int) -> float: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[float]: ...

    def __getitem__(self, index: int | slice) -> float | Sequence[float]:
        return list(self)[index]


def skim_vector(text: bytes) -> WrittenVector | None:
    """The vector of an array that is seen to be right at a glance; None where it has to be read.

    Each number is finite and fits float32, and the first is not zero.

    Args:
        text: any value in correct JSON.
    """
    if text.translate(None, _OF_NUMBERS) != _ARRAY:
        return None
    exponents = text.count(b"e") + text.count(b"E")
    if exponents and exponents != text.count(b"e-") + text.count(b"E-"):
        return None
    if _MAYBE_TOO_LARGE in text.translate(_DIGITS_TO_ZERO) or not _BEGINS_WELL.match(text):
        return None
    return WrittenVector(text, text.count(b",") + 1)


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
    return not isinstance(vector, WrittenVector) and not any(vector)
