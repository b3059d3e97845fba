"""Public cases about measures: B-001 to B-035 as far as they are about values, and B-056."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from tests import cases_runner

NUMBERS = (1, 2, 4, 5, 7, 8, 11, 13, 14, 16, 17, 19, 20, 22, 23, 26, 29, 31, 32, 34, 35, 56)
CASES = [f"B-{number:03d}" for number in NUMBERS]

Path = tuple[str | int, ...]


@pytest.mark.parametrize("case_id", CASES)
def test_a_case_about_measures_holds(case_id: str) -> None:
    assert cases_runner.run(cases_runner.load(case_id)) == []


def test_the_call_that_gives_1_elsewhere_counts_what_was_not_retrieved() -> None:
    # B-014: one of five relevant documents. Where the ideal ranking is made of what came back,
    # nDCG@5 is 1.
    case = cases_runner.load("B-014")
    assert case["expected"]["per_query"]["q"]["nDCG@5"] == pytest.approx(0.33916, abs=5e-6)
    assert cases_runner.run(case) == []
    case["expected"]["per_query"]["q"]["nDCG@5"] = 1.0
    assert cases_runner.run(case)


#: Of these one alternative is taken, or nothing is computed: they are altered one by one below.
_ALTERNATIVES = ("any_of", "mean_any_of", "state_not", "never", "note", "exclude_self")


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of the values inside ``expected`` that must hold each for itself."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _ALTERNATIVES:
                yield from leaves(inner, (*path, key))
    elif not isinstance(value, list) or value:
        yield path


def altered(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case list():
            return [*value, "something else"]
        case None:
            return {"AP": 0.0}
        case _:
            return f"{value} and more"


@pytest.mark.parametrize("case_id", CASES)
def test_a_case_fails_when_any_one_of_its_expected_values_is_altered(case_id: str) -> None:
    case = cases_runner.load(case_id)
    for path in leaves(case["expected"]):
        changed = copy.deepcopy(case)
        holder: Any = changed
        for step in ("expected", *path[:-1]):
            holder = holder[step]
        holder[path[-1]] = altered(holder[path[-1]])
        assert (path, bool(cases_runner.run(changed))) == (path, True)


ALTERED: list[tuple[str, Path, object]] = [
    ("B-007", ("expected", "any_of", 0, "names"), ["B"]),
    ("B-007", ("expected", "any_of", 0, "reason"), "another"),
    ("B-007", ("given", "run", "q1"), [["A", 2.0], ["B", 1.0]]),
    ("B-011", ("expected", "any_of", 0, "reason"), "another"),
    ("B-011", ("given", "golden", "q1", "target_ids"), ["g", "h"]),
    ("B-031", ("expected", "B", "any_of"), [{"mean": {"RR": 1.0}, "n": 1, "failed": 1}]),
    ("B-031", ("given", "legs", "B", "q2"), [["d2", 1.0]]),
    ("B-032", ("expected", "A", "mean_any_of"), [{"RR": 1.0}]),
    ("B-032", ("expected", "A", "state_not"), ["nothing scored"]),
    ("B-056", ("expected", "note"), "the option exists"),
    ("B-029", ("given", "measures"), ["nDCG@100", "nDCG@10"]),
    ("B-002", ("given", "variants", 1, "q1", 1, 1), 0.9),
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_alternative_or_input_fails(case_id: str, path: Path, value: object) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_runner.run(case)
