import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.gateway.answer import Answer, Item, check_answer, join
from evenhand.core.gateway.failure import Failure

VECTORS = st.integers(1, 4).flatmap(
    lambda length: st.lists(
        st.lists(st.floats(-1, 1), min_size=length, max_size=length), min_size=1, max_size=8
    )
)


def failure(items: list[Item], count: int, dimension: int | None = None) -> Failure:
    found = check_answer(items, count=count, dimension=dimension)
    assert isinstance(found, Failure)
    return found


def answer(items: list[Item], count: int, dimension: int | None = None) -> Answer:
    found = check_answer(items, count=count, dimension=dimension)
    assert isinstance(found, Answer)
    return found


@given(VECTORS, st.randoms(use_true_random=False))
def test_each_vector_goes_to_the_input_of_its_index(
    vectors: list[list[float]], order: object
) -> None:
    items: list[Item] = list(enumerate(vectors))
    order.shuffle(items)  # type: ignore[attr-defined]
    found = answer(items, len(vectors), len(vectors[0]))

    assert list(found.vectors) == vectors
    assert found.was_in_order is (items == list(enumerate(vectors)))
    assert found.zero_vectors == sum(not any(vector) for vector in vectors)
    assert found.dimension == len(vectors[0])


@given(VECTORS, st.data())
def test_whatever_index_is_wrong_nothing_is_answered(
    vectors: list[list[float]], data: st.DataObject
) -> None:
    count = len(vectors)
    items: list[Item] = list(enumerate(vectors))
    at = data.draw(st.integers(0, count - 1))
    wrong = data.draw(
        st.one_of(st.none(), st.integers(-3, count + 3).filter(lambda one: one != at))
    )
    items[at] = (wrong, vectors[at])

    expected = {Failure.MISSING_INDEX, Failure.DUPLICATE_INDEX, Failure.INDEX_OUT_OF_RANGE}
    assert failure(items, count) in expected


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], Failure.WRONG_COUNT),
        ([(0, [1.0])], Failure.WRONG_COUNT),
        ([(0, [1.0]), (1, [1.0]), (2, [1.0])], Failure.WRONG_COUNT),
        ([(0, [1.0]), (0, [2.0])], Failure.DUPLICATE_INDEX),
        ([(0, [1.0]), (7, [2.0])], Failure.INDEX_OUT_OF_RANGE),
        ([(0, [1.0]), (-1, [2.0])], Failure.INDEX_OUT_OF_RANGE),
        ([(None, [1.0]), (None, [2.0])], Failure.MISSING_INDEX),
        ([(0, [1.0]), (1, [])], Failure.INVALID_VECTOR),
        ([(0, [1.0]), (1, None)], Failure.INVALID_VECTOR),
        ([(0, [1.0]), (1, [float("nan")])], Failure.INVALID_VECTOR),
        ([(0, [1.0]), (1, [1.0, 2.0])], Failure.WRONG_DIMENSION),
        ([(0, [1.0, 2.0]), (1, [1.0, 2.0])], Failure.WRONG_DIMENSION),
    ],
)
def test_what_is_wrong_with_an_answer_has_a_name(items: list[Item], expected: Failure) -> None:
    dimension = 1 if expected is Failure.WRONG_DIMENSION else None
    assert failure(items, 2, dimension) is expected


def test_without_a_dimension_all_vectors_are_of_the_first_ones() -> None:
    assert answer([(0, [1.0, 2.0])], 1).dimension == 2
    assert failure([(0, [1.0, 2.0]), (1, [1.0])], 2) is Failure.WRONG_DIMENSION


def test_an_answer_without_any_index_is_refused_even_for_one_input() -> None:
    assert failure([(None, [1.0])], 1) is Failure.MISSING_INDEX


def test_a_vector_of_zeros_is_passed_on_and_counted() -> None:
    assert answer([(0, [0.0, 0.0]), (1, [0.0, 1.0])], 2).zero_vectors == 1


@given(VECTORS, st.integers(1, 8))
def test_parts_are_joined_in_their_order(vectors: list[list[float]], limit: int) -> None:
    from evenhand.core.gateway.batches import split

    parts = [
        answer([(at, vectors[position]) for at, position in enumerate(part)], len(part))
        for part in split(len(vectors), limit)
    ]
    found = join(parts)

    assert isinstance(found, Answer)
    assert list(found.vectors) == vectors
    assert found.zero_vectors == sum(part.zero_vectors for part in parts)


def test_parts_of_two_dimensions_are_no_answer() -> None:
    assert join([answer([(0, [1.0])], 1), answer([(0, [1.0, 2.0])], 1)]) is Failure.WRONG_DIMENSION
