"""A request for embeddings is one closed object with one meaning for every reader."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evenhand.core.gateway.inputs import Purpose
from evenhand.wire.embeddings import (
    MAX_DIMENSIONS,
    EmbeddingsBody,
    NotARequest,
    decode_request,
    encode_request,
)
from evenhand.wire.strict_json import decode_strictly

CANARY = "canary-text"


def refusal(body: bytes | dict[str, Any]) -> NotARequest:
    with pytest.raises(NotARequest) as refused:
        decode_request(body if isinstance(body, bytes) else json.dumps(body).encode())
    # Not even in what a traceback would show.
    assert refused.value.__context__ is None or "canary" not in str(refused.value.__context__)
    return refused.value


def test_a_request_has_defaults() -> None:
    body = decode_request(b'{"model": "stable", "input": "a"}')

    assert (body.model, body.input) == ("stable", "a")
    assert (body.purpose, body.encoding, body.dimensions) == (Purpose.QUERY, "float", None)
    assert body.is_plain


def test_every_member_is_read() -> None:
    body = decode_request(
        b'{"model":"m","input":["a"],"input_type":"document","encoding_format":"base64",'
        b'"dimensions":8,"user":"u"}'
    )

    assert (body.purpose, body.encoding, body.dimensions) == (Purpose.DOCUMENT, "base64", 8)
    assert not body.is_plain


def test_null_is_as_good_as_nothing() -> None:
    body = decode_request(
        b'{"model":"m","input":"a","input_type":null,"encoding_format":null,"dimensions":null}'
    )

    assert (body.purpose, body.encoding, body.dimensions) == (Purpose.QUERY, "float", None)
    assert not body.is_plain


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"", None),
        (b"null", None),
        (b"[]", None),
        (b'"a"', None),
        (b"{", None),
        (b"\xff", None),
        (b'{"model":"m","input":"\xff"}', None),
        (b'\xef\xbb\xbf{"model":"m","input":"a"}', None),
        (b'{"model":"m","input":"\\ud800"}', None),
        (b'{"model":"m","input":NaN}', None),
        (b'{"model":"m","input":"a"} x', None),
        (b'{"model":"m","input":' + b"[" * 9999 + b"]" * 9999 + b"}", None),
        (b'{"model":"m"}', "input"),
        (b'{"input":"a"}', "model"),
        ({"model": 1, "input": "a"}, "model"),
        ({"model": None, "input": "a"}, "model"),
        ({"model": "m", "input": "a", "input_type": CANARY}, "input_type"),
        ({"model": "m", "input": "a", "encoding_format": CANARY}, "encoding_format"),
        ({"model": "m", "input": "a", "dimensions": 0}, "dimensions"),
        ({"model": "m", "input": "a", "dimensions": MAX_DIMENSIONS + 1}, "dimensions"),
        ({"model": "m", "input": "a", "dimensions": True}, "dimensions"),
        ({"model": "m", "input": "a", "dimensions": 8.0}, "dimensions"),
        ({"model": "m", "input": "a", "dimensions": "8"}, "dimensions"),
        ({"model": "m", "input": "a", "user": 1}, "user"),
        ({"model": "m", "input": "a", CANARY: 1}, None),
        ({"model": "m", "input": "a", f"{CANARY} - at `$.model`": 1}, None),
        (b'{"model":"m","input":[1e999]}', "input"),
        (b'{"model":"m","input":' + b"9" * 5000 + b"}", "input"),
    ],
)
def test_what_is_refused_names_its_member_and_repeats_nothing(
    body: bytes | dict[str, Any], param: str | None
) -> None:
    refused = refusal(body)

    assert refused.param == param
    assert "canary" not in str(refused)


@pytest.mark.parametrize(
    "body",
    [
        b'{"model":"m","input":"a","input":"b"}',
        b'{"model":"m","model":"n","input":"a"}',
        b'{"model":"m","input":"a","inp\\u0075t":"b"}',
        b'{"model":"m","input":"a","dimensions":null,"dimensions":8}',
    ],
)
def test_a_member_that_occurs_twice_is_refused_however_it_is_spelt(body: bytes) -> None:
    assert "twice" in refusal(body).rule


def test_a_text_that_is_called_like_a_member_is_a_text() -> None:
    assert decode_request(b'{"model":"input","input":["input","model"]}').input == [
        "input",
        "model",
    ]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from([*EmbeddingsBody.__struct_fields__, "other"])
PAIRS = st.lists(st.tuples(NAMES, VALUES), max_size=6)


@given(PAIRS, st.booleans())
@example([("model", "m"), ("input", "a")], False)
@example([("model", "m"), ("input", "a"), ("input", "b")], False)
@example([("model", "m"), ("input", "\ud800")], True)
def test_what_is_accepted_is_strict_json_with_the_same_values(
    pairs: list[tuple[str, Any]], ascii_only: bool
) -> None:
    members = ",".join(
        f"{json.dumps(name)}:{json.dumps(value, ensure_ascii=ascii_only)}" for name, value in pairs
    )
    body = f"{{{members}}}".encode("utf-8", "surrogatepass")
    try:
        found = decode_request(body)
    except NotARequest:
        return
    strict = decode_strictly(body)
    assert (found.model, found.input) == (strict["model"], strict["input"])
    assert found.dimensions == strict.get("dimensions")
    assert set(strict) <= set(EmbeddingsBody.__struct_fields__)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b'{"model":"m","input":"a"}x', "is not JSON (line 1, column 26)"),
        (b'{"model":"m","input":', "is not JSON (line 1, column 22)"),
        (b'{"model":"m","input":NaN}', "holds NaN or an infinity, which JSON does not know"),
        (b'{"model":"m","input":"\xff"}', "is not UTF-8"),
        (b'{"model":"m","input":"\\ud800"}', "holds half of a surrogate pair"),
        (b'\xef\xbb\xbf{"model":"m","input":"a"}', "is not JSON (line 1, column 1)"),
    ],
)
def test_what_is_no_json_is_told_with_its_rule(body: bytes, rule: str) -> None:
    refused = refusal(body)
    assert (refused.rule, refused.param) == (rule, None)


@given(st.binary(max_size=60))
def test_bytes_that_are_no_request_are_refused(body: bytes) -> None:
    refusal(body)


def test_a_request_that_is_written_anew_has_the_upstreams_model_and_no_member_of_the_gateway() -> (
    None
):
    asked = decode_request(
        b'{"model":"stable","input":"a","input_type":"query","dimensions":8,"user":"u"}'
    )
    sent = json.loads(encode_request(asked, ["query: a"], upstream_model="upstream-1"))

    assert sent == {"model": "upstream-1", "input": ["query: a"], "dimensions": 8, "user": "u"}
