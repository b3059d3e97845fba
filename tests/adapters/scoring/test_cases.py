"""Public cases about files of judgements and runs, each read both ways."""

import copy
from typing import Any

import pytest

from tests import cases_runner, cases_scoring

CASES = ("B-010", "B-025", "B-028", "B-043", "B-044", "B-046", "B-047", "B-049", "B-050")


@pytest.mark.parametrize("case_id", CASES)
def test_a_case_about_files_that_are_scored_holds(case_id: str) -> None:
    assert cases_scoring.run(cases_runner.load(case_id)) == []


ALTERED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("B-010", ("expected", "conflict", "lines"), [1]),
    ("B-010", ("expected", "conflict", "outcome"), "accept"),
    ("B-010", ("expected", "repeat", "any_of"), [{"outcome": "accept"}]),
    ("B-025", ("expected", "fraction", "lines"), [1]),
    ("B-025", ("expected", "words", "outcome"), "accept"),
    ("B-025", ("expected", "whole", "any_of"), [{"outcome": "accept"}]),
    ("B-028", ("expected", "trec_run", "lines"), [1]),
    ("B-043", ("expected", "first_question_id_hex"), "efbbbf7131"),
    ("B-043", ("expected", "utf16", "outcome"), "accept"),
    ("B-044", ("expected", "each", "rows"), 3),
    ("B-044", ("expected", "grades"), {"d1": 1}),
    ("B-046", ("expected", "five", "lines"), [1]),
    ("B-046", ("expected", "tabs", "rows"), 2),
    ("B-046", ("expected", "seven", "any_of"), [{"outcome": "reject"}]),
    ("B-047", ("expected", "a", "rows"), 1),
    ("B-047", ("expected", "never"), ["rows == 2"]),
    ("B-049", ("expected", "trec_run", "any_of"), ["reject: white space inside an id"]),
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_case_fails(case_id: str, path: tuple[str | int, ...], value: object) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_scoring.run(case)
