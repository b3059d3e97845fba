import copy
import pickle

import pytest

from evenhand.core.scoring.records import Record


class Pair(Record):
    first: int
    second: int = 3


def test_names_are_given_by_place_or_by_name_and_may_have_a_default() -> None:
    assert Pair(1, 2) == Pair(second=2, first=1)
    assert Pair(1) == Pair(1, 3)
    assert (Pair(1).first, Pair(1).second) == (1, 3)


def test_equal_values_are_equal_and_have_one_hash_but_other_kinds_are_not() -> None:
    class Other(Record):
        first: int
        second: int

    assert hash(Pair(1, 2)) == hash(Pair(1, 2))
    assert len({Pair(1, 2), Pair(1, 2), Pair(2, 1)}) == 2
    assert Pair(1, 2) != Other(1, 2)
    assert repr(Pair(1, 2)) == "Pair(first=1, second=2)"


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, 2, 3), {}), ((), {"first": 1, "third": 3}), ((1,), {"first": 1})],
)
def test_what_is_not_a_name_or_lacks_one_is_refused(
    values: tuple[int, ...], named: dict[str, int]
) -> None:
    with pytest.raises(TypeError, match="Pair takes first, second; given"):
        Pair(*values, **named)


def test_it_does_not_change_but_is_made_again_with_other_values() -> None:
    pair = Pair(1)
    assert pair.replaced(second=5) == Pair(1, 5)
    with pytest.raises(AttributeError, match="Pair does not change: first"):
        pair.first = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del pair.first
    with pytest.raises(AttributeError):
        pair.third = 3


def test_it_is_copied_and_pickled() -> None:
    assert copy.deepcopy(Pair(1, 2)) == pickle.loads(pickle.dumps(Pair(1, 2))) == Pair(1, 2)  # noqa: S301
