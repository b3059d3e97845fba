import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.adapters.retrievers.answers import decode_ids, decode_scored, encode_request
from evenhand.core.errors.retrieval import RetrievalFailed


def test_request_is_one_line_of_json() -> None:
    assert encode_request("a\nb é", 12) == '{"question":"a\\nb é","limit":12}'.encode()


def test_question_that_json_cannot_carry_is_a_failure_without_its_text() -> None:
    with pytest.raises(RetrievalFailed) as caught:
        encode_request("canary \udcff", 12)
    assert caught.value.code == "question_not_utf8"
    assert caught.value.__cause__ is None
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        (b'{"ids": []}', []),
        (b'{"ids": ["a", "", "a"], "took": 3}', ["a", "", "a"]),
        (b'{"results": [["a", 1], ["b", 0.5]]}', ["a", "b"]),
        ('{"ids": ["é"]}'.encode(), ["é"]),
    ],
)
def test_ids_of_an_answer(content: bytes, ids: list[str]) -> None:
    assert decode_ids(content) == ids


def test_scores_of_an_answer() -> None:
    assert decode_scored(b'{"results": [["a", 1], ["b", -0.5]]}') == [("a", 1.0), ("b", -0.5)]


def test_answer_without_scores_is_malformed_where_scores_are_wanted() -> None:
    with pytest.raises(RetrievalFailed) as caught:
        decode_scored(b'{"ids": ["a"]}')
    assert caught.value.code == "malformed_answer"


def test_stated_code_is_the_code_of_the_failure() -> None:
    with pytest.raises(RetrievalFailed) as caught:
        decode_ids(b'{"error": "INDEX_MISSING"}')
    assert caught.value.code == "INDEX_MISSING"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"canary",
        b"[]",
        b"null",
        b"{}",
        b'{"ids": null}',
        b'{"ids": "canary"}',
        b'{"ids": ["canary", 1]}',
        b'{"ids": [null]}',
        b'{"ids": ["a"], "error": "canary"}',
        b'{"ids": ["a"], "results": []}',
        b'{"ids": ["a"], "ids": ["canary"]}',
        b'{"ids": ["a"], "canary": {"x": 1, "x": 2}}',
        b'{"results": ["canary"]}',
        b'{"results": [["canary"]]}',
        b'{"results": [["canary", NaN]]}',
        b'{"results": [["canary", "1"]]}',
        b'{"results": [["canary", true]]}',
        b'{"error": ""}',
        b'{"error": "the text: canary"}',
        b'{"ids": ["\xff canary"]}',
        b'{"ids": ["a"]} canary',
        b"[" * 100_000,
    ],
)
def test_anything_else_is_malformed_and_its_text_is_not_repeated(content: bytes) -> None:
    with pytest.raises(RetrievalFailed) as caught:
        decode_ids(content)
    assert caught.value.code == "malformed_answer"
    assert caught.value.__cause__ is None
    assert "canary" not in str(caught.value)


@given(st.binary())
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    try:
        decode_ids(content)
    except RetrievalFailed as error:
        assert error.code  # noqa: PT017 -- raising is one of the two right ends
