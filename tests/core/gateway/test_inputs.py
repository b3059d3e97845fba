import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.gateway import InvalidInput
from evenhand.core.gateway.inputs import (
    MAX_INPUTS,
    MAX_TOKEN,
    InputKind,
    Purpose,
    read_inputs,
    with_prefix,
)
from evenhand.core.identity.canonical import query_digest
from tests.cases_runner import load

VECTORS = Path(__file__).parents[2] / "vectors" / "query_digest.json"
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1)
TOKEN = st.integers(0, MAX_TOKEN)
TOKENS = st.lists(TOKEN, min_size=1)


def refusal(value: object) -> InvalidInput:
    with pytest.raises(InvalidInput) as refused:
        read_inputs(value)
    return refused.value


@given(TEXT)
def test_a_text_is_one_input_as_it_is(text: str) -> None:
    inputs = read_inputs(text)

    assert (inputs.kind, inputs.texts, inputs.count) == (InputKind.TEXT, (text,), 1)
    assert inputs.is_text
    assert inputs.text_bytes == len(text.encode())


@given(st.lists(TEXT, min_size=1, max_size=20))
def test_a_list_of_texts_keeps_its_order_and_its_repetitions(texts: list[str]) -> None:
    inputs = read_inputs(texts)

    assert (inputs.kind, inputs.texts) == (InputKind.TEXTS, tuple(texts))
    assert inputs.count == len(texts)
    assert inputs.text_bytes == sum(len(text.encode()) for text in texts)


@given(TOKENS)
def test_a_list_of_numbers_is_one_input(tokens: list[int]) -> None:
    inputs = read_inputs(tokens)

    assert (inputs.kind, inputs.count, inputs.tokens) == (InputKind.TOKENS, 1, (tuple(tokens),))
    assert not inputs.is_text
    assert inputs.text_bytes is None


@given(st.lists(TOKENS, min_size=1, max_size=20))
def test_lists_of_numbers_are_as_many_inputs(lists: list[list[int]]) -> None:
    inputs = read_inputs(lists)

    assert (inputs.kind, inputs.count) == (InputKind.TOKEN_LISTS, len(lists))
    assert [list(tokens) for tokens in inputs.tokens] == lists


@pytest.mark.parametrize("number", range(8))
def test_b_094_an_empty_input_is_refused_and_its_item_named(number: int) -> None:
    case = load("B-094")
    refused = refusal(case["given"]["inputs"][number])

    if str(number) in case["expected"]["item_named"]:
        assert refused.position == case["expected"]["item_named"][str(number)]
        assert f"item {refused.position}:" in str(refused)


def test_b_095_token_ids_are_one_vector_a_list_and_what_is_no_token_id_is_refused() -> None:
    case = load("B-095")
    chosen = case["expected"]["any_of"][0]
    first, second, *rest = case["given"]["inputs"]

    assert [read_inputs(first).count, read_inputs(second).count] == chosen["vectors"]
    for value in rest:
        refusal(value)


@pytest.mark.parametrize(
    ("value", "position"),
    [
        ([1, "a"], 1),
        (["a", 1], 1),
        (["a", ["b"]], 1),
        ([True], 0),
        ([1, True], 1),
        ([1.0], 0),
        ([0, 1.5], 1),
        ([-1], 0),
        ([MAX_TOKEN + 1], 0),
        ([[1], []], 1),
        ([[1], [True]], 1),
        ([[1], [[1]]], 1),
        ([[1], "a"], 1),
        ([{"a": 1}], 0),
        ([None], 0),
        (["a", "b\x00c"], 1),
        ("a\x00", None),
        (1, None),
        (True, None),
    ],
)
def test_the_first_wrong_item_is_named_by_its_position_and_never_repeated(
    value: object, position: int | None
) -> None:
    assert refusal(value).position == position


@given(
    st.lists(TEXT, min_size=1, max_size=9), st.integers(1, 9), st.sampled_from([1, None, "", []])
)
def test_one_wrong_item_behind_a_text_is_found_wherever_it_is(
    texts: list[str], at: int, wrong: object
) -> None:
    at = min(at, len(texts))

    assert refusal([*texts[:at], wrong, *texts[at:]]).position == at


def test_white_space_is_text() -> None:
    assert read_inputs(" \n").texts == (" \n",)


def test_a_bound_of_items_is_exact_and_stated() -> None:
    assert read_inputs(["a"] * MAX_INPUTS).count == MAX_INPUTS
    refused = refusal(["a"] * (MAX_INPUTS + 1))
    assert str(MAX_INPUTS) in str(refused)
    assert read_inputs([7] * (MAX_INPUTS + 1)).count == 1
    with pytest.raises(InvalidInput):
        read_inputs(["a", "b"], max_inputs=1)


@pytest.mark.proves("C-95", "C-96")
def test_a_single_query_has_the_digest_of_the_vectors() -> None:
    for case in json.loads(VECTORS.read_bytes())["cases"]:
        assert read_inputs(case["query"]).query_digest == case["sha256"], case["name"]
        assert read_inputs([case["query"]]).query_digest == case["sha256"], case["name"]


@given(TEXT, TEXT)
def test_only_one_text_that_is_a_query_has_a_digest(text: str, other: str) -> None:
    assert read_inputs(text).query_digest == query_digest(text)
    assert read_inputs([text, other]).query_digest is None
    assert read_inputs(text, purpose=Purpose.DOCUMENT).query_digest is None
    assert read_inputs([1, 2]).query_digest is None
    # The digest is of what the client sent, whatever a deployment puts before it.
    (sent,) = with_prefix([text], "query: ")
    assert sent == "query: " + text
    assert query_digest(sent) != read_inputs(text).query_digest
