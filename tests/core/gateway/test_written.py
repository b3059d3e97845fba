"""What is told of a vector by its text is what its numbers say."""

import json
import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.core.gateway.vectors import MAX_FLOAT32, encode_vector, is_vector, is_zero
from evenhand.core.gateway.written import as_written

#: As servers write them, and as they might.
NUMBER = st.one_of(
    st.floats(-1, 1).map(json.dumps),
    st.floats(allow_nan=False, allow_infinity=False).map(json.dumps),
    st.integers().map(str),
    st.sampled_from(
        ("0", "-0.0", "0.0", "1e-400", "-1E+3", "1e5", "2e-05", "1e39", "4" * 39, "0." + "0" * 50)
    ),
)
LONG = 600


def text_of(numbers: Sequence[str], between: str = ",") -> bytes:
    return f"[{between.join(numbers)}]".encode()


@given(
    numbers=st.lists(NUMBER, min_size=1, max_size=20),
    filling=st.sampled_from(("0.0", "0.125", "-0.0483", "1e-7")),
    between=st.sampled_from((",", ", ", ",\n  ")),
)
@example(numbers=["1e-400"], filling="0.0", between=",")
@example(numbers=["9" * 39], filling="0.125", between=",")
def test_what_is_told_is_so(numbers: list[str], filling: str, between: str) -> None:
    text = text_of([*numbers, *[filling] * LONG], between)
    vector = as_written(text, json.loads)
    if vector is None:
        return
    read = json.loads(text)

    assert len(vector) == len(read)
    assert list(vector) == read
    assert all(math.isfinite(number) and abs(number) <= MAX_FLOAT32 for number in read)
    assert is_vector(vector)
    assert is_zero(vector) is (not any(read))


@pytest.mark.parametrize("between", [",", ", "])
def test_what_servers_write_is_told_without_a_number_being_read(between: str) -> None:
    def read(_: bytes) -> Sequence[float]:
        raise AssertionError("nobody asked for its numbers")

    vector = as_written(text_of(["-0.0483", "1.5e-05", "0.25"] * LONG, between), read)

    assert vector is not None
    assert (len(vector), is_vector(vector), is_zero(vector)) == (3 * LONG, True, False)


@pytest.mark.parametrize(
    "item", ["null", "true", '"a"', "[]", "[1,2]", "{}", "1e5", "1e+5", "1E-5", "4" * 39, "NaN"]
)
@pytest.mark.parametrize("place", [0, LONG // 2, LONG])
def test_what_cannot_be_told_is_left_to_who_reads(item: str, place: int) -> None:
    numbers = ["0.125"] * LONG
    numbers.insert(place, item)

    assert as_written(text_of(numbers), json.loads) is None


@pytest.mark.parametrize("text", [b"[]", b"[0.5]", b"[" + b" " * 1000 + b"]"])
def test_a_short_or_empty_text_is_left_to_who_reads(text: bytes) -> None:
    assert as_written(text, json.loads) is None


def test_its_numbers_are_there_when_they_are_wanted() -> None:
    numbers = [0.125, -0.5] * LONG
    vector = as_written(json.dumps(numbers).encode(), json.loads)

    assert vector is not None
    assert (vector[1], list(vector[:2])) == (-0.5, [0.125, -0.5])
    assert encode_vector(vector) == encode_vector(numbers)
