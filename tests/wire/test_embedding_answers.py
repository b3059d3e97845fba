"""An upstream's answer is read strictly and goes on byte for byte where it can."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.gateway.answer import Answer, check_answer
from evenhand.core.gateway.batches import Usage
from evenhand.core.gateway.failure import Failure
from evenhand.wire.embedding_answers import (
    UpstreamAnswer,
    decode_answer,
    encode_reply,
    may_pass,
)
from evenhand.wire.embeddings import Encoding
from tests.cases_runner import load


def read(body: bytes | dict[str, Any]) -> UpstreamAnswer:
    found = decode_answer(body if isinstance(body, bytes) else json.dumps(body).encode())
    assert isinstance(found, UpstreamAnswer)
    return found


def checked(found: UpstreamAnswer, count: int) -> Answer:
    answer = check_answer(found.items, count=count, dimension=None)
    assert isinstance(answer, Answer)
    return answer


def passes(body: bytes | dict[str, Any], *, count: int = 1, encoding: Any = "float") -> bool:
    found = read(body)
    return may_pass(found, checked(found, count), encoding=encoding)


def an_answer(*vectors: Any, **members: Any) -> dict[str, Any]:
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    return {"object": "list", "data": data, "model": "m", **members}


USAGE = {"prompt_tokens": 4, "total_tokens": 4}


def test_b_089_a_vector_is_given_in_the_encoding_that_was_asked_for_whatever_came() -> None:
    case = load("B-089")
    (item,) = case["given"]["upstream"]["data"]
    text, *lists = case["expected"]["embedding"]

    for came in (text, item["embedding"]):
        found = read({"data": [{"index": 0, "embedding": came}]})
        answer = checked(found, 1)
        encodings: list[tuple[Encoding, Any]] = [("base64", text), ("float", lists[0])]
        for encoding, expected in encodings:
            reply = encode_reply(answer, encoding=encoding, model="m", usage=Usage())
            assert json.loads(reply)["data"][0]["embedding"] == expected


def test_b_091_vectors_are_put_in_order_and_wrong_indexes_are_no_answer() -> None:
    case = load("B-091")
    results = []
    for upstream in case["given"]["upstreams"]:
        found = decode_answer(json.dumps(upstream).encode())
        if isinstance(found, UpstreamAnswer):
            answer = check_answer(found.items, count=3, dimension=None)
            if isinstance(answer, Answer):
                reply = json.loads(
                    encode_reply(answer, encoding="float", model="m", usage=Usage())
                )
                data = [[one["index"], one["embedding"]] for one in reply["data"]]
                results.append({"status": 200, "data": data})
                continue
        results.append({"status": 502})

    assert results == case["expected"]["results"]


@pytest.mark.parametrize("number", range(7))
def test_b_100_what_is_no_vector_is_named_so_and_zeros_are_passed_on(number: int) -> None:
    case = load("B-100")
    body = case["given"]["upstream_raw"][number].encode()
    found = decode_answer(body)
    if isinstance(found, UpstreamAnswer):
        checked_ = check_answer(found.items, count=1, dimension=None)
        status = 200 if isinstance(checked_, Answer) else 502
        reason = checked_
    else:
        status, reason = 502, found
    expected = case["expected"]["status"][number]

    assert status in (expected if isinstance(expected, list) else [expected])
    if status == 502:
        assert reason is Failure.INVALID_VECTOR
    else:
        assert isinstance(reason, Answer)
        assert reason.zero_vectors == 1


@pytest.mark.parametrize(
    "body",
    [
        b"null",
        b"{}",
        b"<html>busy</html>",
        b'{"data":[{"index":0,"embedding":[1.0',
        b'{"error":{"message":"x"}}',
        b"",
        b'{"data":null}',
        b'{"data":[{"index":0}]}',
        b'{"data":[{"index":true,"embedding":[1.0]}]}',
        b'{"data":[{"index":"0","embedding":[1.0]}]}',
        b'{"data":' + b"[" * 9999,
        b"\xff",
    ],
)
def test_b_098_what_is_no_answer_is_named_so(body: bytes) -> None:
    assert decode_answer(body) is Failure.NO_ANSWER


def test_b_101_usage_that_is_unknown_is_left_out_and_never_zero() -> None:
    case = load("B-101")
    recorded = []
    for usage in case["given"]["upstream_usage"]:
        found = read(an_answer([1.0], usage=usage))
        recorded.append(found.usage.prompt_tokens)
        answer = checked(found, 1)
        reply = json.loads(encode_reply(answer, encoding="float", model="m", usage=found.usage))
        assert ("usage" in reply) is found.usage.is_known
        # What is no usage does not go on as it came either.
        is_told_well = usage is None or found.usage.is_known
        assert may_pass(found, answer, encoding="float") is is_told_well

    assert recorded == case["expected"]["recorded_prompt_tokens"]


def test_an_answer_that_is_right_goes_on_as_it_is() -> None:
    assert passes(an_answer([1.0, 2.0], usage=USAGE))
    assert passes(an_answer([1.0], [2.0], usage=USAGE), count=2)
    assert passes(an_answer("AACgQA=="), encoding="base64")
    assert passes(b'{"data":[{"index":0,"embedding":[1]}],"id":"x","created":1}')


@pytest.mark.parametrize(
    "body",
    [
        b'{"data":[{"index":0,"embedding":[1],"embedding":[2]}]}',
        b'{"data":[{"index":0,"index":0,"embedding":[1]}]}',
        b'{"data":[],"data":[{"index":0,"embedding":[1]}]}',
        b'{"data":[{"index":0,"embedding":[1],"\\u0065mbedding":[2]}]}',
        b'{"data":[{"index":0,"embedding":[1]}],"x":"\xff"}',
        b'{"data":[{"index":0,"embedding":[1]}],"x":1,"x":2}',
        b'{"data":[{"index":0,"embedding":[1]}],"x":1e999}',
        b'{"data":[{"index":0,"embedding":[1],"x":1}]}',
        b'{"data":[{"index":0,"embedding":[1]}],"id":1,"id":2}',
        b'{"data":[{"index":0,"embedding":[1]}],"usage":%s1%s}' % (b'{"a":' * 400, b"}" * 400),
        b'{"data":[{"index":0,"embedding":[1]}],"model":%s%s}' % (b"[" * 400, b"]" * 400),
        b'{"data":[{"index":0,"embedding":[1]}],"x":"\\u00e9"}',
        b'{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":1}}',
        (
            b'{"data":[{"index":0,"embedding":[1]}],"usage":'
            b'{"prompt_tokens":1,"total_tokens":1,"total_tokens":2}}'
        ),
    ],
)
def test_an_answer_that_could_be_read_otherwise_is_written_anew(body: bytes) -> None:
    assert not passes(body)


def test_another_order_or_encoding_is_written_anew() -> None:
    turned = an_answer([1.0], [2.0])
    turned["data"].reverse()

    assert not passes(turned, count=2)
    assert not passes(an_answer([1.0]), encoding="base64")
    assert not passes(an_answer("AACgQA=="), encoding="float")
    assert not passes(an_answer("AACgQA==", [5.0]), count=2)


VECTOR = st.lists(
    st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2
)


@given(st.lists(VECTOR, min_size=1, max_size=5), st.sampled_from(["float", "base64"]))
def test_what_is_written_reads_back_as_the_same_vectors(
    vectors: list[list[float]], encoding: Any
) -> None:
    answer = Answer(vectors=tuple(vectors), was_in_order=True, zero_vectors=0)
    usage = Usage(prompt_tokens=3)
    body = encode_reply(answer, encoding=encoding, model="m", usage=usage)

    found = read(body)
    assert [vector for _, vector in found.items] == vectors
    assert found.usage == Usage(prompt_tokens=3, total_tokens=3)
    assert may_pass(found, checked(found, len(vectors)), encoding=encoding)


@pytest.mark.parametrize(
    ("stated", "model"),
    [("m-1", "m-1"), (None, None), (7, None), ("a b", None), ("x" * 200, None)],
)
def test_the_name_of_the_model_is_a_short_word(stated: Any, model: str | None) -> None:
    assert read(an_answer([1.0], model=stated)).model == model


LONG = [0.125, -2.5e-05] * 400


@pytest.mark.parametrize("wrong", [None, True, "a", [1.0], {}, 1e39])
def test_one_wrong_item_spoils_a_long_vector(wrong: object) -> None:
    found = decode_answer(json.dumps(an_answer(LONG, [*LONG[:-1], wrong])).encode())
    if isinstance(found, UpstreamAnswer):
        assert check_answer(found.items, count=2, dimension=800) is Failure.INVALID_VECTOR
    else:
        assert found is Failure.INVALID_VECTOR


@pytest.mark.parametrize("encoding", ["float", "base64"])
def test_long_vectors_are_given_as_they_came(encoding: Encoding) -> None:
    body = an_answer(LONG, LONG[::-1], usage=USAGE)
    found = read(body)
    answer = checked(found, 2)
    again = checked(read(encode_reply(answer, encoding=encoding, model="m", usage=Usage())), 2)

    assert passes(body, count=2)
    assert (answer.dimension, answer.zero_vectors) == (800, 0)
    assert [list(one) for one in again.vectors] == [
        pytest.approx(LONG, rel=1e-7),
        pytest.approx(LONG[::-1], rel=1e-7),
    ]


def test_a_long_vector_of_another_length_or_of_zeros_is_found() -> None:
    found = read(an_answer(LONG, LONG[1:]))
    assert check_answer(found.items, count=2, dimension=800) is Failure.WRONG_DIMENSION
    assert checked(read(an_answer(LONG, [0.0] * 800)), 2).zero_vectors == 1


def test_text_that_is_no_utf_8_is_no_vector() -> None:
    body = b'{"data":[{"index":0,"embedding":"\xff"}]}'
    assert isinstance(decode_answer(body), Failure)
