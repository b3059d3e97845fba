from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.errors.identity import UnknownEncoding
from evenhand.core.identity.legacy_bytes import decode_text, encode_at_full

TAG = {"encoding": "base64", "version": "retrieval-bytes-v1", "value": "ZG9j/w=="}


def unchanged(value: str | bytes | None) -> str | bytes | None:
    return value


@pytest.mark.proves("P-51")
def test_bytes_that_are_not_utf_8_become_the_tag_of_the_source() -> None:
    assert encode_at_full(b"doc\xff", unchanged) == TAG


@pytest.mark.proves("P-49")
@pytest.mark.parametrize("text", ["doc-c", "größe", "", "\ufffd", "\ufeffdoc", "a\0b"])
def test_valid_utf_8_stays_a_string(text: str) -> None:
    assert encode_at_full(text.encode(), unchanged) == text


@pytest.mark.proves("P-54", "P-53")
@given(st.binary())
def test_any_bytes_survive_encoding_and_decoding(content: bytes) -> None:
    assert decode_text(encode_at_full(content, unchanged)) == content


@pytest.mark.proves("P-54", "P-55")
def test_ids_that_a_guessed_encoding_would_merge_stay_distinct() -> None:
    ids = [
        b"gr\xf6\xdfe",
        "größe".encode(),
        b"gr\xff\xffe",
        b"gr\xfe\xfee",
        "gr\ufffd\ufffde".encode(),
    ]
    encoded = [repr(encode_at_full(one, unchanged)) for one in ids]
    assert len(set(encoded)) == len(ids)


def recorder(answer: str | bytes | None) -> tuple[list[object], Callable[..., str | bytes | None]]:
    seen: list[object] = []

    def filter_content(value: str | bytes | None) -> str | bytes | None:
        seen.append(value)
        return answer

    return seen, filter_content


@pytest.mark.proves("P-57", "P-62", "G-14")
def test_the_policy_sees_the_original_bytes_of_what_is_not_utf_8() -> None:
    seen, policy = recorder(None)
    encode_at_full(b"hunter2\xff", policy)
    assert seen == [b"hunter2\xff"]


@pytest.mark.proves("BP-27")
def test_the_policy_is_not_asked_about_a_single_field_of_ordinary_text() -> None:
    seen, policy = recorder("replaced")
    assert encode_at_full(b"doc", policy) == "doc"
    assert seen == []


@pytest.mark.proves("P-58", "G-14")
@pytest.mark.parametrize(
    ("answer", "stored"),
    [
        (None, None),
        ("clean", "clean"),
        (b"bytes", "bytes"),
        ("", ""),
        (b"doc\xff", TAG),
        ("doc\udcff", TAG),
    ],
)
def test_the_policy_s_answer_is_what_is_examined_and_stored(
    answer: str | bytes | None, stored: object
) -> None:
    _, policy = recorder(answer)
    assert encode_at_full(b"secret\xfe", policy) == stored


@pytest.mark.proves("G-14")
def test_a_policy_that_raises_ends_the_encoding() -> None:
    def broken(_value: str | bytes | None) -> str | bytes | None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        encode_at_full(b"\xff", broken)


def test_a_policy_that_answers_with_another_type_is_refused() -> None:
    with pytest.raises(InvalidText):
        encode_at_full(b"\xff", lambda _value: 7)  # type: ignore[arg-type]


@pytest.mark.proves("P-53", "G-16")
@pytest.mark.parametrize(
    "change",
    [
        {"version": "retrieval-bytes-v2"},
        {"encoding": "hex"},
        {"encoding": "BASE64"},
        {"value": "ZG9j/w==\n"},
        {"value": "ZG9j /w=="},
        {"value": "ZG9j/w"},
        {"value": "ZG9j_w=="},
        {"value": "ZG9j/x=="},
        {"value": "ZG9j/w==="},
        {"value": "Zé=="},
        {"value": 7},
        {"value": None},
        {"value": b"ZG9j/w=="},
        {"version": None},
        {"more": "x"},
    ],
)
def test_another_encoding_version_spelling_or_key_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(UnknownEncoding):
        decode_text(TAG | change)


@pytest.mark.proves("G-16")
@pytest.mark.parametrize("key", list(TAG))
def test_a_missing_key_is_refused(key: str) -> None:
    with pytest.raises(UnknownEncoding):
        decode_text({name: value for name, value in TAG.items() if name != key})


@pytest.mark.proves("G-16")
@pytest.mark.parametrize("value", [None, 7, True, ["doc"], b"doc", {}])
def test_what_is_neither_text_nor_a_tag_is_refused(value: object) -> None:
    with pytest.raises(UnknownEncoding):
        decode_text(value)


@pytest.mark.proves("G-18")
def test_the_tag_is_a_spelling_of_input_beside_plain_text() -> None:
    assert decode_text(TAG) == b"doc\xff"
    assert decode_text("größe") == "größe".encode()
