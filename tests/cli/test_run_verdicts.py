"""What ``evenhand run`` says against the previous run, and its exit codes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.typed import (
    RIGHT,
    Cli,
    asked,
    counting,
    declared,
    write_module,
    write_search,
    write_set,
)

WORSE = {"q1": ["x"]}
STATES = [
    # earlier run, this run → state, exit code with the flag
    pytest.param(None, ((), RIGHT), "unknown", 3, id="undeclared first run"),
    pytest.param(None, (declared(), RIGHT), "baseline", 0, id="declared first run"),
    pytest.param(((), RIGHT), (declared(), RIGHT), "unknown", 3, id="undeclared before"),
    pytest.param((declared(), RIGHT), ((), RIGHT), "unknown", 3, id="undeclared now"),
    pytest.param(((), RIGHT), ((), RIGHT), "unknown", 3, id="undeclared twice"),
    pytest.param(
        (declared(), RIGHT), (declared(corpus="d"), WORSE), "mismatch", 3, id="other corpus"
    ),
    pytest.param((declared(), RIGHT), (declared(), RIGHT), "comparable", 0, id="the same"),
    pytest.param((declared(), WORSE), (declared(), RIGHT), "comparable", 0, id="better"),
    pytest.param((declared(), RIGHT), (declared(), WORSE), "comparable", 1, id="regression"),
    pytest.param(
        (declared(), RIGHT), (declared(model="o"), WORSE), "comparable", 1, id="other model"
    ),
]
Typed = tuple[tuple[str, ...], dict[str, list[str]]]


@pytest.mark.proves("BP-22", "BP-23", "G-12")
@pytest.mark.parametrize(("before", "now", "state", "strict"), STATES)
def test_each_state_has_its_exit_code_and_only_comparable_has_numbers(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    database_url: str,
    before: Typed | None,
    now: Typed,
    state: str,
    strict: int,
) -> None:
    assert folder.exists()
    cli, root = Cli(capsys), ("--database-url", database_url)
    name = write_set()

    def run(typed: Typed, *more: str) -> tuple[int, str]:
        labels, answers = typed
        code = cli.run(*root, "run", name, write_search(answers), *labels, "--json", *more)
        return code, cli.out

    if before is not None:
        assert run(before)[0] == 0
    code, output = run(now, "--fail-on-regression")
    found: dict[str, Any] = json.loads(output)
    assert (code, found["verdict"]["state"]) == (strict, state)
    numbers = [found[name] for name in ("differences", "regression", "flips")]
    if state == "comparable":
        assert None not in numbers
    else:
        assert numbers == [None, None, None]
    # Whatever the verdict, the measurement is stored.
    stored = cli.json(*root, "evaluations", "list")
    assert stored[0]["id"] == found["id"]


@pytest.mark.proves("BP-14", "BP-23")
@pytest.mark.parametrize(("before", "now", "state", "strict"), STATES)
def test_without_the_flag_every_state_passes(
    cli: Cli, before: Typed | None, now: Typed, state: str, strict: int
) -> None:
    name = write_set()
    for labels, answers in (before, now) if before is not None else (now,):
        assert cli.run("run", name, write_search(answers), *labels) == 0
    assert state.capitalize() in cli.out
    if state in {"unknown", "mismatch"}:
        assert "Comparison skipped" in cli.out
        assert f"not compared with the previous run: {state}" in cli.err
    assert ("regression: " in cli.err) is False or strict == 1


@pytest.mark.parametrize(("before", "now", "state"), [one.values[:3] for one in STATES])
def test_the_terminal_shows_no_delta_unless_comparable(
    cli: Cli, before: Typed | None, now: Typed, state: str
) -> None:
    name = write_set()
    for labels, answers in (before, now) if before is not None else (now,):
        assert cli.run("run", name, write_search(answers), *labels) == 0
    assert ("difference" in cli.out) is (state == "comparable")
    assert ("Pooled rates within" in cli.out or "Regression flag" in cli.out) is (
        state == "comparable"
    )
    assert "no regression" not in cli.out.lower()


@pytest.mark.proves("G-11", "BP-22")
def test_the_previous_run_is_the_preceding_one_and_not_the_last_comparable_one(cli: Cli) -> None:
    operands = (write_set(), write_search())
    states = [
        cli.json("run", *operands, *declared(corpus=corpus))["verdict"]["state"]
        for corpus in ("a", "b", "a", "a")
    ]

    assert states == ["baseline", "mismatch", "mismatch", "comparable"]


@pytest.mark.proves("BP-25")
def test_a_declared_series_begins_anew_after_runs_that_declared_nothing(cli: Cli) -> None:
    operands = ("run", write_set(), write_search())
    assert cli.run(*operands) == 0

    assert cli.run(*operands, *declared(), "--fail-on-regression") == 3
    assert cli.run(*operands, *declared(), "--fail-on-regression") == 0
    assert "Comparable" in cli.out


@pytest.mark.proves("BP-24")
def test_another_variant_is_compared_and_said_to_be_one(cli: Cli) -> None:
    operands = ("run", write_set(), write_search())
    assert cli.run(*operands, *declared()) == 0

    assert cli.run(*operands, *declared(chunking="o")) == 0
    assert "Treatment changed" in cli.out
    assert re.search(r"Chunking identity +o\b", cli.out)
    assert re.search(r"Execution revision +unknown", cli.out)
    assert cli.run(*operands, *declared(chunking="o")) == 0
    assert "Treatment changed" not in cli.out


@pytest.mark.proves("BP-14", "G-10")
@pytest.mark.parametrize(
    ("allowed", "code"), [("0.25", 0), ("0.2499999999999999999", 1), ("1", 0), ("0", 1)]
)
def test_a_drop_equal_to_the_tolerance_is_tolerated(cli: Cli, allowed: str, code: int) -> None:
    name = write_set()
    assert cli.run("run", name, write_search(), *declared()) == 0
    one_less = RIGHT | {"q1": ["x", "y", "z"]}

    strict = ("--fail-on-regression", "--max-top1-drop", allowed, "--max-top3-drop", "1")
    assert cli.run("run", name, write_search(one_less), *declared(), *strict) == code


@pytest.mark.proves("G-10")
@pytest.mark.parametrize("option", ["--max-top1-drop", "--max-top3-drop", "--max-failed-share"])
@pytest.mark.parametrize("value", ["-0.1", "1.5", "a tenth", "nan", ""])
def test_a_malformed_threshold_is_a_usage_error(cli: Cli, option: str, value: str) -> None:
    write_module(counting("return []"))

    assert cli.run("run", write_set(), "search:find", option, value) == 2
    assert option.strip("-").replace("-", "_") in cli.err.replace("-", "_")
    assert (asked(), cli.stored()) == (0, [])


def test_a_regression_is_said_with_its_exit_code(cli: Cli) -> None:
    name = write_set()
    assert cli.run("run", name, write_search(), *declared()) == 0

    assert cli.run("run", name, write_search({}), *declared(), "-q", "--fail-on-regression") == 1
    assert cli.err == "regression: a pooled rate fell by more than is tolerated\n"
    assert "Regression flag" in cli.out
