"""Does an upstream's answer hold one right vector for each input, and which belongs to which?

An index is the only link between a text and its vector, so the place in the answer counts for
nothing: an answer without indexes is refused, even where there is one input. A vector of zeros is
passed on and counted: the text may hold no token that the model knows, and what to do with a
vector that has no direction is for the client to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.vectors import is_vector, is_zero

Vector: TypeAlias = Sequence[float]
#: One item of an answer: its index, None where it has none, and its vector, None where what
#: stands in its place cannot be read as one.
Item: TypeAlias = tuple[int | None, Vector | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The vectors of a whole request.

    Attributes:
        vectors: one for each input, in the order of the inputs; all of one dimension.
        was_in_order: whether the upstream gave them in this order.
        zero_vectors: how many are zero throughout.
    """

    vectors: tuple[Vector, ...]
    was_in_order: bool
    zero_vectors: int

    @property
    def dimension(self) -> int:
        """Length of each vector, at least 1."""
        return len(self.vectors[0])


def check_answer(items: Sequence[Item], *, count: int, dimension: int | None) -> Answer | Failure:
    """The vectors of an answer in the order of the inputs, or why there are none.

    Args:
        items: in the order of the answer.
        count: how many inputs were sent, at least 1.
        dimension: that each vector must have; None where any will do, as long as it is the same
            for all.

    Source: cases B-091, B-098, B-100; statement G-57.
    """
    if len(items) != count:
        return Failure.WRONG_COUNT
    placed: list[Vector | None] = [None] * count
    expected = dimension
    was_in_order, zeros = True, 0
    for position, (index, vector) in enumerate(items):
        failure = _failure(index, vector, placed, expected)
        if failure is not None:
            return failure
        assert index is not None and vector is not None  # noqa: S101, PT018 -- looked at just now
        placed[index] = vector
        expected = len(vector)
        was_in_order = was_in_order and index == position
        zeros += is_zero(vector)
    vectors = tuple(vector for vector in placed if vector is not None)
    return Answer(vectors=vectors, was_in_order=was_in_order, zero_vectors=zeros)


def join(parts: Sequence[Answer]) -> Answer | Failure:
    """One answer of the answers to consecutive parts of a request, in their order.

    Source: case B-103.
    """
    if len(parts) == 1:
        return parts[0]
    if any(part.dimension != parts[0].dimension for part in parts):
        return Failure.WRONG_DIMENSION
    return Answer(
        vectors=tuple(vector for part in parts for vector in part.vectors),
        was_in_order=all(part.was_in_order for part in parts),
        zero_vectors=sum(part.zero_vectors for part in parts),
    )


def _failure(
    index: int | None, vector: Vector | None, placed: Sequence[object], expected: int | None
) -> Failure | None:
    if index is None:
        return Failure.MISSING_INDEX
    if not 0 <= index < len(placed):
        return Failure.INDEX_OUT_OF_RANGE
    if placed[index] is not None:
        return Failure.DUPLICATE_INDEX
    if vector is None or not is_vector(vector):
        return Failure.INVALID_VECTOR
    if expected is not None and len(vector) != expected:
        return Failure.WRONG_DIMENSION
    return None
