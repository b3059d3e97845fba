import hashlib
import json
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.identity.canonical import (
    compact_json,
    is_fingerprint,
    is_sha256,
    json_ascii_v1,
    json_ascii_v1_digest,
    query_digest,
    tagged_digest,
    to_bytes,
    to_text,
)

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.proves("C-91")
def test_settings_have_sorted_keys_compact_separators_and_ascii_escapes() -> None:
    settings = {"größe": "ß", "a": [1, {"c": None, "b": True}]}
    assert json_ascii_v1(settings) == (
        '{"a":[1,{"b":true,"c":null}],"gr\\u00f6\\u00dfe":"\\u00df"}'
    )


@pytest.mark.proves("C-92")
def test_the_digest_is_the_plain_hex_sha_256_of_the_text() -> None:
    text = '{"a":1}'
    assert json_ascii_v1_digest({"a": 1}) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.proves("C-92")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_ascii_v1_digest({"a": [{"b": number}]})


@pytest.mark.proves("C-92")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (UUID("6F9619FF-8B86-D011-B42D-00C04FC964FF"), "6f9619ff-8b86-d011-b42d-00c04fc964ff"),
        (datetime(2026, 9, 9, 10, 12, 43, tzinfo=UTC), "2026-09-09 10:12:43+00:00"),
        (Decimal("0.70"), "0.70"),
    ],
)
def test_a_foreign_object_becomes_its_str(value: object, text: str) -> None:
    assert json_ascii_v1({"x": value}) == f'{{"x":"{text}"}}'


@pytest.mark.proves("C-93")
def test_pretty_printed_text_and_other_number_forms_have_another_digest() -> None:
    value = {"k": 1e20, "a": [1, 2]}
    digest = json_ascii_v1_digest(value)
    others = (
        json.dumps(value, indent=1, sort_keys=True),
        json.dumps(value, sort_keys=True),
        json.dumps(value, separators=(",", ":")),
        '{"a":[1,2],"k":100000000000000000000}',
    )
    assert digest not in {hashlib.sha256(other.encode()).hexdigest() for other in others}


@pytest.mark.proves("G-75")
def test_keys_sort_by_code_point_not_by_utf_16_unit() -> None:
    assert json_ascii_v1({"\U0001f600": 1, "\uff5e": 2}) == '{"\\uff5e":2,"\\ud83d\\ude00":1}'


def test_keys_that_cannot_be_sorted_together_are_refused() -> None:
    with pytest.raises(TypeError):
        json_ascii_v1({1: "a", "b": "c"})


def test_a_value_that_holds_itself_is_refused() -> None:
    cycle: dict[str, object] = {}
    cycle["self"] = cycle
    with pytest.raises(ValueError, match="Circular"):
        json_ascii_v1(cycle)


@given(JSON)
def test_the_text_is_ascii_and_survives_a_round_through_json(value: object) -> None:
    text = json_ascii_v1(value)
    assert text.isascii()
    assert json_ascii_v1(json.loads(text)) == text


@pytest.mark.proves("C-95")
def test_a_query_is_digested_as_the_list_that_holds_only_it() -> None:
    expected = hashlib.sha256(b'["Wo wird die Pr\\u00fcfung erfasst?"]').hexdigest()
    assert query_digest("Wo wird die Prüfung erfasst?") == expected
    assert query_digest("Wo wird die Prüfung erfasst?".encode()) == expected


@pytest.mark.proves("C-96")
@pytest.mark.parametrize("other", ["query: where?", "where? ", " where?", "where?\n", "Where?"])
def test_a_prefix_or_other_whitespace_gives_another_query_digest(other: str) -> None:
    assert query_digest(other) != query_digest("where?")


@pytest.mark.proves("G-73")
def test_the_two_forms_differ_in_prefix_and_in_what_they_take() -> None:
    assert tagged_digest(["x-v1", 1]) == "v1:" + json_ascii_v1_digest(["x-v1", 1])
    assert is_fingerprint(tagged_digest(["x-v1"]))
    assert is_sha256(json_ascii_v1_digest(["x-v1"]))
    with pytest.raises(TypeError):
        compact_json(["x-v1", UUID(int=1)])  # type: ignore[list-item]


@pytest.mark.proves("BP-21")
@pytest.mark.parametrize(
    "value",
    ["v1:" + "A" * 64, "v1:" + "a" * 63, "v1:" + "a" * 65, "v2:" + "a" * 64, "a" * 64,
     "v1:" + "a" * 64 + "\n", " v1:" + "a" * 64, None, b"v1:" + b"a" * 64],
)  # fmt: skip
def test_another_shape_is_no_fingerprint(value: object) -> None:
    assert not is_fingerprint(value)


@pytest.mark.proves("G-06")
def test_text_becomes_utf_8_and_a_low_surrogate_its_raw_byte() -> None:
    assert to_bytes("größe") == b"gr\xc3\xb6\xc3\x9fe"
    assert to_bytes("doc\udcff") == b"doc\xff"
    assert to_bytes(b"doc\xff") == b"doc\xff"


@pytest.mark.proves("G-06")
@pytest.mark.parametrize("code", [0xD800, 0xDBFF, 0xDC00, 0xDC7F, 0xDD00, 0xDFFF])
def test_another_lone_surrogate_is_refused_without_repeating_the_text(code: int) -> None:
    with pytest.raises(InvalidText) as caught:
        to_bytes("hunter2" + chr(code), field="id")
    assert caught.value.code == "invalid_text"
    assert "hunter2" not in str(caught.value)
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("value", [None, 7, True, ["a"], bytearray(b"a")])
def test_what_is_neither_text_nor_bytes_is_refused(value: object) -> None:
    with pytest.raises(InvalidText):
        to_bytes(value)  # type: ignore[arg-type]


def test_nul_is_refused_only_where_asked() -> None:
    assert to_bytes("a\0b") == b"a\0b"
    with pytest.raises(InvalidText):
        to_bytes("a\0b", refuse_nul=True)


class Liar(str):
    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"something else"


def test_a_subclass_of_str_cannot_answer_with_other_bytes() -> None:
    assert to_bytes(Liar("truth")) == b"truth"


@pytest.mark.proves("P-41")
@given(st.binary())
def test_all_bytes_survive_as_text(content: bytes) -> None:
    assert to_bytes(to_text(content)) == content


@pytest.mark.proves("G-06")
def test_bytes_and_text_sort_differently_which_is_why_bytes_are_sorted() -> None:
    contents = [b"\xff", "\U00010000".encode()]
    assert sorted(contents) == contents[::-1]
    assert sorted(contents, key=to_text) == contents
