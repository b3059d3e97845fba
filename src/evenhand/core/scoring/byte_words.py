"""How are many tokens of a text fetched, told apart and read as numbers, all at once?

A token is a place and a length in the bytes. It is fetched as words of eight bytes, so that a
comparison, a key or eight digits take one step each. Which tokens there are is the business of
``blocks``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.core.scoring.lines import is_number

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Words = NDArray[np.uint64]
Doubles = NDArray[np.float64]

#: Most bytes of an id that are compared as words.
LONGEST: Final = 64

_SIGNS: Final = b"+-"
_PLUS, _MINUS = _SIGNS
_DOT, _ZERO = b".0"
_DIGITS: Final = 16  # most characters of a number that are read in bulk
_CACHED: Final = 2**14  # tokens whose words stay in the processor's cache
_EXACT: Final = np.uint64(2**53)
_ODD: Final = np.array(
    [
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xA0761D6478BD642F,
        0xE7037ED1A0B428DB,
        0x8EBC6AF09C88C6E3,
        0x589965CC75374CC3,
    ],
    dtype=np.uint64,
)


class Irregular(Exception):
    """The bytes do not have the plain shape."""


def token(text: Bytes, at: Ints | Small, size: Ints | Small, row: int) -> bytes:
    """The bytes of one id."""
    return text[at[row] : at[row] + size[row]].tobytes()


def tokens(text: Bytes, at: Ints, size: Ints) -> list[bytes]:
    """The bytes of some ids."""
    view = text.data
    ends = (at + size).tolist()
    return [bytes(view[low:high]) for low, high in zip(at.tolist(), ends, strict=True)]


def words(text: Bytes, at: Ints | Small, size: Ints | Small) -> Words:
    """Tokens as rows of words of eight bytes, zero after the end, cut at `LONGEST` bytes."""
    cut = np.minimum(size, LONGEST)
    width = max(8, -(-int(cut.max(initial=1)) // 8) * 8)
    taken = _windows(text, width)[at].view(np.uint64).reshape(-1, width // 8)
    taken &= _LEFT[width].take(cut, axis=0)
    return taken


def keys(text: Bytes, at: Ints, size: Ints) -> Words:
    """A number for each token: equal tokens have equal ones, others nearly always differ.

    Words that are zero add nothing, so the longest token of a block does not matter. Two
    multiplications a word, because one leaves what differs in its last byte in the last byte.
    """
    mixed = np.zeros(len(at), dtype=np.uint64)
    for low in range(0, len(at), _CACHED):
        some = slice(low, low + _CACHED)
        taken = words(text, at[some], size[some])
        for word in range(taken.shape[1]):
            part = taken[:, word] * _ODD[word]
            part ^= part >> np.uint64(32)
            part *= _ODD[word - 1]
            mixed[some] ^= part
    for row in np.flatnonzero(size > LONGEST).tolist():
        mixed[row] = hash(token(text, at, size, row)) & 0xFFFFFFFFFFFFFFFF
    return mix(mixed)


def mix(numbers: Words) -> Words:
    """Spread what differs in any bit to the high bits; a bijection."""
    mixed = numbers ^ (numbers >> np.uint64(32))
    mixed *= _ODD[1]
    return mixed


def bits_from(bits: Bytes, at: Ints) -> Words:
    """The bits from each of these places on, the one at the place lowest; at least 57 of them.

    Args:
        bits: packed, the lowest of a byte first, with eight spare bytes behind them.
        at: counted from the first bit.
    """
    taken: Words = _windows(bits, 8)[at >> 3].view(np.uint64)
    taken >>= (at & 7).view(np.uint64)
    return taken


def decimals(text: Bytes, at: Ints, end: Ints) -> Doubles:
    """Each decimal as the double nearest to it.

    A whole number up to 2**53 over a power of ten up to 10**22 divides to exactly that; digits
    are read eight at a time. What has more digits or an exponent Python reads row by row.

    Args:
        text: with spare bytes before the first token.
        at: where each token begins, N.
        end: where it ends, N.

    Raises:
        Irregular: a token is no finite number.
    """
    if text[at[0]] not in _SIGNS and (values := _alike(text, at, end)) is not None:
        return values
    first = text.take(at)
    negative = first == _MINUS
    begin = at + (negative | (first == _PLUS))
    values = _alike(text, begin, end)
    if values is None:
        values, plain = _unlike(text, begin, end)
        for row in np.flatnonzero(~plain).tolist():
            values[row] = abs(_number(text[at[row] : end[row]].tobytes()))
    np.negative(values, out=values, where=negative)
    return values


def _alike(text: Bytes, begin: Ints, end: Ints) -> Doubles | None:
    """The decimals where each has as many digits after its point as the first, else None.

    None of them has a sign then. Point and digits are fetched together, what must be the point is
    made a zero, and what it put between the digits before and after it is taken out of the number.
    """
    size = end - begin
    first = text[begin[0] : end[0]].tobytes()
    after = len(first) - first.find(b".") - 1 if b"." in first else 0
    width = 8 if size.max() <= 8 else _DIGITS
    if size.max() > width or size.min() <= after:
        return None
    taken = _digits(text, end, size, width)
    if after:
        word, byte = divmod(width - 1 - after, 8)
        taken[:, word] ^= np.uint64((_DOT ^ _ZERO) << 8 * byte)
        if np.bitwise_or.reduce(taken[:, word]) & np.uint64(0xFF << 8 * byte):
            return None  # something else than a point
    if np.bitwise_or.reduce(_odd(taken), axis=None) & _HIGH_BITS:
        return None
    number = _joined(taken)
    if after:
        number -= number // _TENS[after + 1] * (_TENS[after] * np.uint64(9))
    if number.max() > _EXACT:
        return None
    values: Doubles = number / _POWERS[after]
    return values


def _unlike(text: Bytes, begin: Ints, end: Ints) -> tuple[Doubles, NDArray[np.bool_]]:
    """The decimals, and which of them were read right; none has a sign."""
    point, after = _points(text, begin, end)
    whole, whole_ok = _integers(text, point, point - begin)
    part, part_ok = _integers(text, end, after)
    size = point - begin + after
    power = np.minimum(after, len(_TENS) - 1)
    mantissa = whole * _TENS[power] + part
    plain = (mantissa <= _EXACT) & (size > 0) & (size < len(_TENS)) & whole_ok & part_ok
    return mantissa / _POWERS[power], plain


def _number(content: bytes) -> float:
    if not is_number(content):
        raise Irregular
    return float(content)


def _points(text: Bytes, begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Where the first point of each token is, or its end, and how many digits come after it."""
    low, high = int(begin.min()), int(end.max())
    points = np.append(np.flatnonzero(text[low:high] == _DOT) + low, high)
    found: Ints = np.minimum(points[np.searchsorted(points[:-1], begin)], end)
    return found, np.maximum(end - found - 1, 0)


def _integers(text: Bytes, end: Ints, size: Ints) -> tuple[Words, NDArray[np.bool_]]:
    """The digits before ``end`` as a number, and whether they are nothing but digits."""
    width = 8 if size.max() <= 8 else _DIGITS
    taken = _digits(text, end, np.minimum(size, width), width)
    is_digits: NDArray[np.bool_] = size <= _DIGITS
    is_digits &= ((_odd(taken) & _HIGH_BITS) == 0).all(axis=1)
    return _joined(taken), is_digits


def _digits(text: Bytes, end: Ints, size: Ints, width: int) -> Words:
    """The ``size`` bytes before ``end`` as words of what they are above the digit 0."""
    taken = _windows(text, width)[end - width].view(np.uint64).reshape(-1, width // 8)
    taken ^= _ZEROS
    if size.min(initial=width) < width:
        taken &= _RIGHT[width].take(size, axis=0)
    return taken


def _odd(digits: Words) -> Words:
    """Words that have the high bit of a byte where that byte is no digit."""
    odd = digits + np.uint64(0x7676767676767676)
    odd |= digits
    return odd


def _joined(digits: Words) -> Words:
    """The number that each row of digits is; the digits are used up.

    Three multiplications turn eight digits into their number: neighbours become pairs, pairs
    fours, fours the whole.
    """
    for factor, shift, mask in _EIGHT_DIGITS:
        digits *= factor
        digits >>= shift
        digits &= mask
    number: Words = digits[:, 0]
    for word in range(1, digits.shape[1]):
        number = number * np.uint64(10**8) + digits[:, word]
    return number


def _windows(text: Bytes, width: int) -> NDArray[np.void]:
    """The ``width`` bytes that begin at each byte, as one item each; a view."""
    return np.ndarray((len(text) - width + 1,), dtype=f"V{width}", buffer=text, strides=(1,))


def _masks(width: int, *, right: bool) -> Words:
    """Row k keeps the first, or the last, k bytes of ``width``."""
    kept = np.zeros((width + 1, width), dtype=np.uint8)
    for count in range(1, width + 1):
        kept[count, slice(width - count, None) if right else slice(count)] = 255
    return kept.view(np.uint64)


_LEFT: Final = {width: _masks(width, right=False) for width in range(8, LONGEST + 1, 8)}
_RIGHT: Final = {width: _masks(width, right=True) for width in (8, _DIGITS)}
_ZEROS: Final = np.uint64(0x3030303030303030)
_HIGH_BITS: Final = np.uint64(0x8080808080808080)
#: Digits to pairs, pairs to fours, fours to eight: what to multiply with, shift by and keep.
_EIGHT_DIGITS: Final = [
    (np.uint64(factor), np.uint64(shift), np.uint64(mask))
    for factor, shift, mask in (
        (2561, 8, 0x00FF00FF00FF00FF),
        (6553601, 16, 0x0000FFFF0000FFFF),
        (42949672960001, 32, 0x00000000FFFFFFFF),
    )
]
_TENS: Final = np.array([10**power for power in range(20)], dtype=np.uint64)
_POWERS: Final = np.array([10.0**power for power in range(20)])
