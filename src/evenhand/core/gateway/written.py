"""Is a vector right that stands in JSON, without a number of it being made?

To make thousands of numbers of an answer takes longer than all else that is done for it, and most
of them go on as the text that came. So the text is looked at as a whole: that it holds digits,
points and signs, how many commas, and no number of as many digits as it would take to leave
float32. What cannot be told so is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, overload

#: A text that is shorter is read: that costs no more.
_SHORT: Final = 512
#: Of fewer digits than these every number without a positive exponent is below 10³⁸, which fits
#: float32, and none without an exponent but zero is so small that a float64 of it would be zero.
_TOO_MANY: Final = b"0" * 39
#: Digits become zeros; what is no part of a plain number stands out. Points, signs and white space
#: are left out, so that the digits of a number stand together.
_SHAPE: Final = bytes(
    ord("0") if chr(code).isdigit() and code < 128 else code if chr(code) in ",e" else ord("x")
    for code in range(256)
)
_LEFT_OUT: Final = b"-. \t\r\n"
#: A number without an exponent that is not zero.
_NOT_ZERO: Final = re.compile(rb"[\[,][ \t\r\n-]*[0-9.]*[1-9][0-9.]*[,\]]")


class WrittenVector(Sequence[float]):
    """A vector of finite numbers that fit float32, in its JSON; they are read when they are wanted.

    Args:
        text: an array of numbers.
        dimension: how many they are, at least 1.
        read: reads them.
    """

    __slots__ = ("_dimension", "_numbers", "_read", "_text")

    def __init__(
        self, text: bytes, dimension: int, read: Callable[[bytes], Sequence[float]]
    ) -> None:
        self._text = text
        self._dimension = dimension
        self._read = read
        self._numbers: Sequence[float] | None = None

    @property
    def numbers(self) -> Sequence[float]:
        """All of them."""
        if self._numbers is None:
            self._numbers = self._read(self._text)
        return self._numbers

    @property
    def is_zero(self) -> bool:
        """Whether all of it is zero."""
        return _NOT_ZERO.search(self._text) is None and not any(self.numbers)

    def __len__(self) -> int:
        return self._dimension

    def __iter__(self) -> Iterator[float]:
        return iter(self.numbers)

    @overload
    def __getitem__(self, place: int) -> float: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[float]: ...

    def __getitem__(self, place: int | slice) -> float | Sequence[float]:
        return self.numbers[place]


def as_written(text: bytes, read: Callable[[bytes], Sequence[float]]) -> WrittenVector | None:
    """The vector of a text, where it can be told without reading it that it is right.

    Args:
        text: an array of JSON, of any items; that it is one is known.
        read: reads the numbers of such an array.
    """
    if len(text) < _SHORT:
        return None
    shape = text[1:-1].translate(_SHAPE, _LEFT_OUT)
    if b"x" in shape or _TOO_MANY in shape:
        return None
    # A sign of a number or of its exponent was left out.
    if b"e" in shape and text.count(b"e") != text.count(b"e-"):
        return None
    # The text is long: where it held no number it would be white space.
    return WrittenVector(text, shape.count(b",") + 1, read) if shape else None
