"""Public cases about files: what they say of questions, judgements and documents."""

import copy
import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import cases_runner, cases_sets

CASES = (
    "B-037", "B-041", "B-043", "B-044", "B-046", "B-049", "B-050", "B-052", "B-053", "B-055",
)  # fmt: skip


@pytest.mark.parametrize("case_id", CASES)
def test_the_case_holds(case_id: str) -> None:
    assert cases_sets.run(cases_runner.load(case_id)) == []


ALTERED: list[tuple[str, tuple[str | int, ...], object]] = [
    ("B-037", ("expected", "each", "outcome"), "accept"),
    ("B-037", ("expected", "each", "names_field"), False),
    ("B-041", ("expected", "stored_bytes_unchanged"), False),
    ("B-041", ("given", "run_hex"), "636166c3a9"),
    ("B-043", ("expected", "first_question_id_hex"), "efbbbf7131"),
    ("B-043", ("expected", "utf16", "outcome"), "accept"),
    ("B-043", ("expected", "others", "outcome"), "reject"),
    ("B-044", ("expected", "each", "rows"), 3),
    ("B-044", ("expected", "grades", "d1"), 0),
    ("B-046", ("expected", "three", "outcome"), "accept"),
    ("B-046", ("expected", "three", "lines"), [2]),
    ("B-046", ("expected", "tabs", "rows"), 2),
    ("B-049", ("expected", "documents"), 4),
    ("B-049", ("expected", "text_d1"), "abcd"),
    ("B-049", ("expected", "text_d3"), "pqrs"),
    ("B-050", ("expected", "good", "outcome"), "reject"),
    ("B-050", ("expected", "good", "rows"), 2),
    ("B-050", ("expected", "truncated", "outcome"), "accept"),
    ("B-050", ("expected", "garbage", "outcome"), "accept"),
    ("B-052", ("expected", "text", "length"), 131072),
    ("B-052", ("expected", "big_line", "any_of"), ["crash"]),
    ("B-053", ("expected", "each", "names_field"), False),
    ("B-055", ("expected", "any_of"), [{"outcome": "accept"}]),
    ("B-055", ("expected", "report", "missing_documents"), ["d405"]),
    ("B-055", ("expected", "report", "missing_questions"), ["q405"]),
]


@pytest.mark.parametrize(("case_id", "path", "value"), ALTERED)
def test_an_altered_case_fails(case_id: str, path: tuple[str | int, ...], value: object) -> None:
    case: dict[str, Any] = copy.deepcopy(cases_runner.load(case_id))
    holder: Any = case
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert cases_sets.run(case)


#: What goes beyond the limit is not given: the program would end with a MemoryError.
BOMB = """
import resource, sys
from evenhand.adapters.formats.foreign.importing import ImportRequest, read_foreign
from evenhand.core.errors import InvalidFile
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]) * 2**20,) * 2)
for name in ("smart", "csv", "squad", None):
    try:
        read_foreign(ImportRequest(reference=sys.argv[1], format=name))
    except InvalidFile as error:
        assert "more than" in error.rule or "is in no format" in error.rule, error
    else:
        raise SystemExit("accepted")
"""


def test_b_050_a_bomb_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    case = cases_runner.load("B-050")
    path = tmp_path / "bomb.gz"
    block = bytes(2**20)
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(case["given"]["bomb"]["zeros_mib"]):
            stream.write(block)
    limit = str(case["expected"]["bomb"]["peak_memory_mib_max"])
    done = subprocess.run(
        [sys.executable, "-c", BOMB, str(path), limit], capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stderr
