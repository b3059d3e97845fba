"""Break one line at a time and see whether the tests notice.

Files ``tests/mutations/*.toml`` hold one table a mutation::

    [[mutation]]
    ids = ["P-13"]                                  # the statements that the line keeps
    file = "src/evenhand/core/identity/labels.py"
    find = 'FIRST = "[A-Za-z0-9]"'                  # must occur exactly once in the file
    replace = 'FIRST = "[A-Za-z0-9.]"'
    test = "tests/core/identity/test_labels.py::test_first_character"

A mutation is applied in a copy of the checkout, its test must fail there, and the test's
``proves`` marker must name each of the ids. Every statement that any test proves needs a
mutation. Usage: python -m tools.torture [--jobs N] [ID ...]
"""

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tools.statements import tests_by_statement

ROOT = Path(__file__).parent.parent
TABLES = ROOT / "tests" / "mutations"
TIMEOUT_SECONDS = 300
PYTEST_TESTS_FAILED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One line broken on purpose, and the test that has to notice."""

    ids: list[str]
    file: str
    find: str
    replace: str
    test: str

    def __str__(self) -> str:
        return (
            f"{','.join(self.ids)} {self.file}: {self.find.strip()!r} -> {self.replace.strip()!r}"
        )


def main() -> int:
    """Apply the table; 0 when every mutation is noticed and every proved id has one."""
    parser = argparse.ArgumentParser(
        description="Apply tests/mutations/*.toml, one line at a time."
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="only mutations of these statements")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()

    table = load()
    problems = faults_of_the_table(table) if not options.ids else []
    chosen = [m for m in table if not options.ids or set(options.ids) & set(m.ids)]
    with tempfile.TemporaryDirectory(prefix="evenhand-torture-") as folder:
        copies = [copy_of_checkout(Path(folder) / str(number)) for number in range(options.jobs)]
        problems += unbroken_failures(copies[0], chosen)
        if not problems or options.ids:
            problems += survivors(chosen, copies)
    print("\n".join(problems))
    print(f"{len(chosen)} mutations, {len(problems)} problems")
    return 1 if problems else 0


def load() -> list[Mutation]:
    """The committed tables, in order of their files' names."""
    return [
        Mutation(**table)
        for path in sorted(TABLES.glob("*.toml"))
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["mutation"]
    ]


def faults_of_the_table(table: Sequence[Mutation]) -> list[str]:
    """Ids without a mutation, and mutations whose test does not name their ids."""
    proved = tests_by_statement()
    mutated = {name for mutation in table for name in mutation.ids}
    faults = [
        f"{name}: proved by tests, but no mutation" for name in proved if name not in mutated
    ]
    for mutation in table:
        test = mutation.test.partition("[")[0]
        faults += [
            f"{name}: {test} does not name it"
            for name in mutation.ids
            if test not in proved.get(name, {})
        ]
    return faults


def copy_of_checkout(target: Path) -> Path:
    """The tracked and untracked files of the checkout, as they are now."""
    kept_out = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", ".hypothesis")
    shutil.copytree(ROOT, target, ignore=kept_out, symlinks=True)
    return target


def unbroken_failures(copy: Path, chosen: Sequence[Mutation]) -> list[str]:
    """The tests have to pass before anything is broken, or a failure says nothing."""
    tests = sorted({mutation.test for mutation in chosen})
    if not tests or run_tests(copy, *tests) == 0:
        return []
    return [f"fails without a mutation: {test}" for test in tests if run_tests(copy, test) != 0]


def survivors(chosen: Sequence[Mutation], copies: Sequence[Path]) -> list[str]:
    """A line for each mutation that its test does not notice, or that cannot be applied."""
    free: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def apply(mutation: Mutation) -> str | None:
        copy = free.get()
        try:
            return outcome(mutation, copy)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(len(copies)) as pool:
        return [problem for problem in pool.map(apply, chosen) if problem is not None]


def outcome(mutation: Mutation, copy: Path) -> str | None:
    """Apply one mutation in a copy, run its test, take it back; None when it was noticed."""
    path = copy / mutation.file
    original = path.read_text(encoding="utf-8")
    if original.count(mutation.find) != 1:
        return f"occurs {original.count(mutation.find)} times, not once: {mutation}"
    path.write_text(original.replace(mutation.find, mutation.replace), encoding="utf-8")
    try:
        status = run_tests(copy, mutation.test)
    finally:
        path.write_text(original, encoding="utf-8")
    if status == PYTEST_TESTS_FAILED:
        return None
    if status == 0:
        return f"survived: {mutation}"
    return f"pytest ended with {status} instead of a failed test: {mutation}"


def run_tests(copy: Path, *tests: str) -> int:
    """Pytest's exit status for these tests of a copy; a test that hangs counts as failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "", "-p", "no:cacheprovider"]
    # Before the editable install's own path. No bytecode: a mutation within one second that
    # leaves the size as it was would otherwise go unseen.
    environment = os.environ | {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            [*command, *tests],
            cwd=copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=TIMEOUT_SECONDS,
        ).returncode
    except subprocess.TimeoutExpired:
        return PYTEST_TESTS_FAILED


if __name__ == "__main__":
    sys.exit(main())
