import base64
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.gateway.vectors import (
    MAX_FLOAT32,
    decode_vector,
    encode_vector,
    is_vector,
    is_zero,
)
from tests.cases_runner import load

FLOAT32 = st.floats(width=32, allow_nan=False, allow_infinity=False)


def test_b_089_base64_is_little_endian_float32() -> None:
    case = load("B-089")
    (item,) = case["given"]["upstream"]["data"]
    text, vector, _ = case["expected"]["embedding"]

    assert encode_vector(item["embedding"]) == text
    assert decode_vector(text) == vector
    assert text not in case["expected"]["never"]


@given(st.lists(FLOAT32, min_size=1))
def test_base64_gives_float32_back_as_it_was(vector: list[float]) -> None:
    text = encode_vector(vector)

    assert text == base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
    assert decode_vector(text) == vector


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8))
def test_a_vector_is_of_finite_numbers_that_fit(vector: list[float]) -> None:
    expected = bool(vector) and all(
        math.isfinite(number) and abs(number) <= MAX_FLOAT32 for number in vector
    )

    assert is_vector(vector) is expected


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 3.5e38, -3.5e38])
def test_one_wrong_number_spoils_a_vector_wherever_it_is(position: int, wrong: float) -> None:
    vector = [1.0, -2.0, 0.5]
    assert is_vector(vector)
    vector[position] = wrong

    assert not is_vector(vector)


def test_the_greatest_float32_is_the_one_of_the_format() -> None:
    assert struct.pack("<f", MAX_FLOAT32) == b"\xff\xff\x7f\x7f"


@pytest.mark.parametrize("text", ["AACgQAA=", "AACgQ", "AAC gQAA", "é", "====", "AA\n=="])
def test_what_is_no_base64_of_float32_is_no_vector(text: str) -> None:
    assert decode_vector(text) is None


def test_base64_can_hold_numbers_that_are_none() -> None:
    for number in (math.nan, math.inf):
        vector = decode_vector(base64.b64encode(struct.pack("<f", number)).decode())
        assert vector is not None
        assert not is_vector(vector)
    assert decode_vector("") == []
    assert not is_vector([])


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_zero_is_every_number_zero(vector: list[float]) -> None:
    assert is_zero(vector) is all(number == 0 for number in vector)
