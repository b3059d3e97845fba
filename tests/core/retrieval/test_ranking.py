"""What a retriever gave: distinct documents, checked results, failures that are names only."""

import traceback
from collections.abc import Iterator
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors.retrieval import InvalidRanking
from evenhand.core.retrieval.golden import DocId
from evenhand.core.retrieval.ranking import (
    UNNAMED_ERROR,
    Failed,
    Retrieved,
    build_retrieved,
    distinct_documents,
)

CANARY = "ranking-canary-51c2"
LONE_SURROGATE = "\ud800"


def read(results: object, *, depth: int = 12, scored: bool = False) -> Retrieved:
    return build_retrieved(
        results,  # type: ignore[arg-type]
        depth=depth,
        scored=scored,
        latency_ms=3,
    )


def docs(*names: str) -> tuple[DocId, ...]:
    return tuple(DocId(name.encode()) for name in names)


@pytest.mark.proves("BP-08")
@pytest.mark.parametrize(
    ("raw", "distinct"),
    [
        ((), ()),
        (("a",), ("a",)),
        (("a", "a", "b", "a"), ("a", "b")),
        (("", "a", ""), ("a",)),
        (("", ""), ()),
        (("b", "a", "b", "c"), ("b", "a", "c")),
    ],
)
def test_the_first_occurrence_of_a_document_keeps_its_place(
    raw: tuple[str, ...], distinct: tuple[str, ...]
) -> None:
    assert distinct_documents(docs(*raw)) == docs(*distinct)


@pytest.mark.proves("BP-08")
@given(st.lists(st.binary(max_size=2).map(DocId)))
def test_distinct_documents_are_a_subsequence_without_repeats_or_blanks(raw: list[DocId]) -> None:
    distinct = distinct_documents(raw)
    assert len(set(distinct)) == len(distinct)
    assert set(distinct) == set(raw) - {b""}
    assert [raw.index(document) for document in distinct] == sorted(
        raw.index(document) for document in distinct
    )


@pytest.mark.proves("BP-08")
@given(st.lists(st.binary(max_size=1).map(DocId)), st.integers(0, 20))
def test_distinct_documents_of_a_prefix_are_a_prefix(raw: list[DocId], cut: int) -> None:
    # So a rank over all results read and one over the first twelve are the same rank.
    shorter = distinct_documents(raw[:cut])
    assert distinct_documents(raw)[: len(shorter)] == shorter


@pytest.mark.proves("BP-07")
def test_ids_keep_their_order_and_their_repeats() -> None:
    given_ids = ["d2", "d1", b"d2", "doc\udcff"]
    assert read(given_ids).documents == (b"d2", b"d1", b"d2", b"doc\xff")


@pytest.mark.proves("G-17")
def test_of_a_longer_list_only_the_first_results_are_read() -> None:
    longer = [f"d{n}" for n in range(30)]
    assert read(longer).documents == docs(*longer[:12])
    assert read([*longer[:12], 7]).documents == docs(*longer[:12])


def test_a_generator_is_asked_for_no_more_than_is_read() -> None:
    asked = []

    def endless() -> Iterator[str]:
        for number in range(1_000):
            asked.append(number)
            yield f"d{number}"

    assert len(read(endless(), depth=3).documents) == 3
    assert asked == [0, 1, 2]


@pytest.mark.parametrize(
    "results",
    [iter(["d1", "d2"]), ("d1", "d2"), np.array(["d1", "d2"]), dict.fromkeys(["d1", "d2"]).keys()],
    ids=["iterator", "tuple", "numpy", "view"],
)
def test_whatever_has_an_order_is_a_list(results: object) -> None:
    assert read(results).documents == docs("d1", "d2")


@pytest.mark.proves("G-17")
@pytest.mark.parametrize(
    ("results", "rule"),
    [
        ("d1", "not one text"),
        (b"d1", "not one text"),
        (None, "not NoneType"),
        (7, "not int"),
        ({"d1", "d2"}, "not set"),
        (frozenset({"d1"}), "not frozenset"),
        ({"d1": 0.5}, "not dict"),
    ],
    ids=["text", "bytes", "none", "int", "set", "frozenset", "dict"],
)
def test_what_has_no_order_is_no_ranking(results: object, rule: str) -> None:
    with pytest.raises(InvalidRanking, match=f"must return a list of document ids, {rule}"):
        read(results)


@pytest.mark.proves("G-17")
@pytest.mark.parametrize(
    ("identifier", "rule"),
    [
        (7, "result 2: a document id must be text, not int"),
        (None, "result 2: a document id must be text, not NoneType"),
        (np.int64(7), "result 2: a document id must be text, not int64"),
        (("d1", 0.5), "result 2: a document id must be text, not tuple"),
        (CANARY + LONE_SURROGATE, "result 2: the document id cannot be held as bytes"),
        (CANARY + "\0", "result 2: the document id contains a NUL"),
    ],
    ids=["int", "none", "numpy", "pair", "surrogate", "nul"],
)
def test_a_result_that_is_no_id_is_an_error_and_never_repeated(
    identifier: object, rule: str
) -> None:
    with pytest.raises(InvalidRanking, match=rule) as refused:
        read(["d1", identifier])
    assert refused.value.code == "invalid_ranking"
    assert CANARY not in "".join(traceback.format_exception(refused.value))


@pytest.mark.parametrize(
    ("score", "value"),
    [
        (0.5, 0.5),
        (3, 3.0),
        (-1.5, -1.5),
        (np.float32(0.25), 0.25),
        (np.int64(4), 4.0),
        (Decimal("0.125"), 0.125),
    ],
    ids=["float", "int", "negative", "float32", "int64", "decimal"],
)
def test_every_kind_of_number_is_a_score(score: object, value: float) -> None:
    result = read([("d1", score)], scored=True)
    assert (result.documents, result.scores) == (docs("d1"), (value,))


@pytest.mark.parametrize(
    ("score", "rule"),
    [
        (float("nan"), "not finite"),
        (float("inf"), "not finite"),
        (np.float64("-inf"), "not finite"),
        (10**400, "not a finite number"),
        (np.array([1.0, 2.0]), "not a finite number"),
        (True, "not a number"),
        (np.bool_(True), "not a number"),
        ("0.5", "not a number"),
        (None, "not a number"),
        (1j, "not a number"),
    ],
    ids=["nan", "inf", "-inf", "huge", "array", "bool", "numpy-bool", "text", "none", "complex"],
)
def test_a_score_that_is_no_finite_number_is_an_error(score: object, rule: str) -> None:
    with pytest.raises(InvalidRanking, match=f"result 2: the score is {rule}"):
        read([("d1", 1.0), ("d2", score)], scored=True)


@pytest.mark.parametrize(
    "pair", ["d1", ("d1",), ("d1", 1.0, 2), 7, b"d1"], ids=["text", "one", "three", "int", "bytes"]
)
def test_a_scored_result_is_a_pair(pair: object) -> None:
    with pytest.raises(InvalidRanking, match="result 1: expected a pair"):
        read([pair], scored=True)


def test_an_empty_ranking_is_legal() -> None:
    assert read([]) == Retrieved(documents=(), scores=None, latency_ms=3)
    assert read([], scored=True) == Retrieved(documents=(), scores=(), latency_ms=3)


def test_the_order_given_is_the_ranking_whatever_the_scores_say() -> None:
    result = read([("low", 0.1), ("high", 0.9)], scored=True)
    assert result.documents == docs("low", "high")


@pytest.mark.parametrize("name", ["TimeoutError", "http_503", "mod.Error", "_E"])
def test_a_failure_keeps_a_name(name: str) -> None:
    assert Failed(error_class=name).error_class == name


@pytest.mark.parametrize(
    "text",
    [f"no such user {CANARY}", "person@example.test", "", "a" * 65, "Fehlér", "E\n", "7seven"],
    ids=["sentence", "email", "empty", "long", "unicode", "newline", "digit"],
)
def test_a_failure_keeps_nothing_that_is_no_name(text: str) -> None:
    assert Failed(error_class=text).error_class == UNNAMED_ERROR
