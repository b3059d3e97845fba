"""Public cases about files: B-038 and B-047."""

import copy
from typing import Any

import pytest

from tests import cases_runner


@pytest.mark.proves("BP-01")
def test_b_038_ids_that_look_like_something_else_survive_unchanged() -> None:
    assert cases_runner.run(cases_runner.load("B-038")) == []


def test_b_047_no_judgement_is_lost_to_a_header() -> None:
    assert cases_runner.run(cases_runner.load("B-047")) == []


ALTERED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("B-038", ("expected", "outcome"), "reject"),
    ("B-038", ("expected", "questions"), 11),
    ("B-038", ("expected", "documents"), 11),
    ("B-038", ("expected", "judgements"), 11),
    ("B-038", ("expected", "round_trip_identical"), False),
    ("B-047", ("expected", "a", "rows"), 1),
    ("B-047", ("expected", "b", "any_of"), [{"rows": 1}]),
    ("B-047", ("expected", "c", "any_of"), [{"rows": 2, "q1": ["d2"]}]),
    ("B-047", ("expected", "d", "outcome"), "accept"),
    ("B-047", ("expected", "never"), ["rows == 2"]),
    ("B-047", ("given", "format"), "unheard_of"),
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_case_fails(case_id: str, path: tuple[str | int, ...], value: object) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_runner.run(case)
