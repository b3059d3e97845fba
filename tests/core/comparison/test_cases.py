"""Public cases about comparing: B-058, B-059, B-061, B-062, B-064 and B-065."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests import cases_runner

CASES = ("B-058", "B-059", "B-061", "B-062", "B-064", "B-065")
Path = tuple[str | int, ...]


@pytest.mark.parametrize("case_id", CASES)
def test_a_case_of_comparing_holds(case_id: str) -> None:
    assert cases_runner.run(cases_runner.load(case_id)) == []


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each value that a case expects, with where it stands; a tolerance is none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "tolerance":
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def altered(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, float | int):
        return value + 0.001
    return 0.001 if value is None else f"not {value}"


ALTERED = [
    (case_id, path, altered(value))
    for case_id in CASES
    for path, value in leaves(cases_runner.load(case_id)["expected"])
    # Of two that are acceptable one is left; see the test below.
    if "p_any_of" not in path
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_a_case_with_one_altered_value_fails(case_id: str, path: Path, value: Any) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case["expected"]
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_runner.run(case)


def test_a_case_whose_acceptable_answers_are_all_altered_fails() -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load("B-064"))
    case["expected"]["1"]["p_any_of"] = [0.5, 0.25]
    assert cases_runner.run(case)


@pytest.mark.parametrize("key", ["reason", "p"])
def test_a_case_that_expects_more_than_is_known_fails(key: str) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load("B-062"))
    case["expected"][key] = "unheard of"
    assert cases_runner.run(case)
