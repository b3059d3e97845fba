"""List each statement of the specification with the tests that prove it.

Usage: python tools/statements.py [--open] [PREFIX ...]

A test says what it proves: ``@pytest.mark.proves("P-12", "P-13")``. The ids and their texts are
in ``tests/statements.json``. A test names at most four ids, and only ids that exist: a wrong
marker fails here, and fails the test when it runs (``tests/conftest.py``).
"""

import argparse
import io
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import TypedDict

import pytest

ROOT = Path(__file__).parent.parent
MOST_IDS_A_TEST = 4


class Statement(TypedDict):
    """One required behaviour: the part of the product it belongs to, and what it says."""

    capability: str
    text: str


@cache
def statements() -> dict[str, Statement]:
    """Statements by id, in the order of the specification."""
    path = ROOT / "tests" / "statements.json"
    loaded: dict[str, Statement] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def proved_ids(item: pytest.Item) -> list[str]:
    """The ids that a test names, on itself, its class or its module."""
    return [str(name) for marker in item.iter_markers("proves") for name in marker.args]


def marker_problems(items: Iterable[pytest.Item]) -> Iterator[str]:
    """A line for each test whose ``proves`` markers name too many ids or an unknown one."""
    for item in items:
        ids = set(proved_ids(item))
        if len(ids) > MOST_IDS_A_TEST:
            yield f"{item.nodeid}: proves {len(ids)} statements, at most {MOST_IDS_A_TEST}"
        for name in sorted(ids - statements().keys()):
            yield f"{item.nodeid}: proves {name}, which tests/statements.json does not have"


class _Collector:
    """Remembers the tests by the ids that they prove; the cases of one test count once."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.problems: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.problems += marker_problems(session.items)
        for item in session.items:
            for name in proved_ids(item):
                self.tests[name][item.nodeid.partition("[")[0]] += 1


def tests_by_statement() -> dict[str, dict[str, int]]:
    """The tests that prove each statement, with their number of cases, by id.

    Raises:
        SystemExit: the tests could not be collected, or a marker is wrong; the message says which.
    """
    collector = _Collector()
    arguments = ["--collect-only", "-q", "-m", "", "-p", "no:cacheprovider"]
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = pytest.main([*arguments, str(ROOT / "tests")], plugins=[collector])
    if status != pytest.ExitCode.OK:
        raise SystemExit(said.getvalue())
    if collector.problems:
        raise SystemExit("\n".join(collector.problems))
    return collector.tests


def main() -> int:
    """Collect, print the table, and tell whether everything could be collected."""
    parser = argparse.ArgumentParser(description="Statement ids and the tests that prove them.")
    parser.add_argument("prefixes", nargs="*", metavar="PREFIX", help="only these: P, BP-0, G-72")
    parser.add_argument("--open", action="store_true", help="only statements without a test")
    options = parser.parse_args()

    proved = tests_by_statement()
    known = statements()
    for name, statement in known.items():
        tests = proved.get(name, {})
        if options.prefixes and not name.startswith(tuple(options.prefixes)):
            continue
        if options.open and tests:
            continue
        print(f"{name:6} {len(tests):3}  {_shortened(statement['text'])}")
        for test, cases in sorted(tests.items()):
            print(f"            {test}" + (f"  ({cases} cases)" if cases > 1 else ""))
    _print_totals(known, proved)
    return 0


def _shortened(text: str, width: int = 84) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _print_totals(known: dict[str, Statement], tests: dict[str, dict[str, int]]) -> None:
    everything = Counter(statement["capability"] for statement in known.values())
    done = Counter(known[name]["capability"] for name in tests)
    print(f"\n{'capability':14} implemented  open")
    for capability, count in everything.items():
        print(f"{capability:14} {done[capability]:11}  {count - done[capability]:4}")
    print(f"{'total':14} {len(tests):11}  {len(known) - len(tests):4}")


if __name__ == "__main__":
    sys.exit(main())
