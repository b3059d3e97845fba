import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.wire.strict_json import MAX_DEPTH, NotStrictJson, decode_strictly

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(st.dictionaries(st.text(), VALUES))
def test_what_python_writes_of_an_object_is_read_back(value: dict[str, object]) -> None:
    assert decode_strictly(json.JSONEncoder().encode(value).encode()) == value


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (b"", "is not JSON (line 1, column 1)"),
        (b"{", "is not JSON (line 1, column 2)"),
        (b'{"a": 1} {}', "is not JSON (line 1, column 10)"),
        (b"[]", "is not a JSON object"),
        (b"null", "is not a JSON object"),
        (b'"a"', "is not a JSON object"),
        (b'{"a": 1, "a": 1}', "has a key that occurs twice"),
        (b'{"a": {"b": 1, "\\u0062": 2}}', "has a key that occurs twice"),
        (b'{"a": NaN}', "holds NaN or an infinity, which JSON does not know"),
        (b'{"a": [Infinity]}', "holds NaN or an infinity, which JSON does not know"),
        (b'{"a": -Infinity}', "holds NaN or an infinity, which JSON does not know"),
        (b'{"a": 1e999}', "holds a number beyond what a double holds"),
        (b'{"a": "\\ud800"}', "holds half of a surrogate pair"),
        (b'{"\\udc00": 1}', "holds half of a surrogate pair"),
        (b'{"a": [["\\ud83d"]]}', "holds half of a surrogate pair"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b'\xef\xbb\xbf{"a": 1}', "is not JSON (line 1, column 1)"),
        ('{"a": 1}'.encode("utf-16"), "is not UTF-8"),
        (b'{"a": ' + b"9" * 5000 + b"}", "holds a number with too many digits"),
        (b'{"a": ' + b"[" * 100_000 + b"}", f"is nested more than {MAX_DEPTH} levels deep"),
    ],
)
def test_a_body_that_readers_could_take_in_two_ways_is_refused(body: bytes, rule: str) -> None:
    with pytest.raises(NotStrictJson) as refused:
        decode_strictly(body)

    assert refused.value.rule == rule


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def test_the_bound_of_the_depth_is_exact() -> None:
    assert decode_strictly(nested(MAX_DEPTH))
    with pytest.raises(NotStrictJson, match="nested more than"):
        decode_strictly(nested(MAX_DEPTH + 1))


def test_a_pair_of_escapes_is_one_character() -> None:
    assert decode_strictly(b'{"a": "\\ud83d\\ude00"}') == {"a": "\N{GRINNING FACE}"}
