"""Public cases about digests: B-067 (its digest half), B-070 and B-071."""

import base64
import copy
from typing import Any

import pytest

from tests import cases_runner


@pytest.mark.proves("P-35", "BP-16")
def test_b_067_an_edited_target_gives_another_digest_and_names_the_labels() -> None:
    assert cases_runner.run(cases_runner.load("B-067")) == []


@pytest.mark.proves("C-92", "C-93")
def test_b_070_numbers_keep_their_kind_and_nan_is_refused() -> None:
    assert cases_runner.run(cases_runner.load("B-070")) == []


@pytest.mark.proves("C-91", "G-75")
def test_b_071_keys_sort_by_code_point_and_text_is_escaped() -> None:
    assert cases_runner.run(cases_runner.load("B-071")) == []


ALTERED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("B-067", ("expected", "r1_digest != r2_digest"), False),
    ("B-067", ("expected", "compare", "comparable"), True),
    ("B-067", ("expected", "compare", "names"), ["corpus"]),
    ("B-067", ("given", "steps", 2), ["edit_target", "q3", "d4", "d9"]),
    *(("B-070", ("expected", "sha256", index), "0" * 64) for index in range(6)),
    ("B-070", ("expected", "refused"), "none"),
    ("B-070", ("given", "refused_b64", 0), base64.b64encode(b'{"k":1}').decode()),
    *(("B-071", ("expected", "sha256", index), "0" * 64) for index in range(2)),
    ("B-071", ("given", "canonical", 0), '{"\\ud83d\\ude00":1,"\\ufb33":2}'),
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_case_fails(case_id: str, path: tuple[str | int, ...], value: object) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_runner.run(case)
