import os
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from evenhand.adapters.scoring import processes
from evenhand.adapters.scoring.processes import SharedBlocks, may_fork
from evenhand.core.errors import InvalidFile
from tests.adapters.scoring.runs import Row, qrels_text, run_text, scored, write_inputs

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only"),
    # The threads of numpy's linear algebra are no threads of Python.
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]

JUDGED = {b"q%03d" % number: {b"d%d" % (number % 7): 1} for number in range(200)}
ROWS: list[Row] = [
    (query, b"d%d" % document, str(9 - document))
    for query in sorted(JUDGED)
    for document in range(9)
]


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Processes are forked whatever else runs here; their numbers."""
    numbers: list[int] = []
    fork = os.fork

    def counted() -> int:
        numbers.append(fork())
        return numbers[-1]

    monkeypatch.setattr(processes, "may_fork", lambda: True)
    monkeypatch.setattr(os, "fork", counted)
    return numbers


def inputs(folder: Path, rows: list[Row]) -> tuple[Path, Path]:
    return write_inputs(folder, qrels_text(JUDGED), run_text(rows))


def require_no_child() -> None:
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("block_bytes", [500, 2**16])
def test_processes_find_what_threads_find(
    tmp_path: Path, forks: list[int], block_bytes: int
) -> None:
    paths = inputs(tmp_path, ROWS)
    expected, of_threads = scored(paths, columns=True, threads=1)
    assert not forks
    found, facts = scored(paths, columns=True, block_bytes=block_bytes)
    assert (len(forks), found) == (1, expected)
    assert facts.run_sha256 == of_threads.run_sha256
    assert facts.ranked.rows == len(ROWS)
    require_no_child()


def test_a_query_larger_than_what_is_shared_is_found_by_threads(
    tmp_path: Path, forks: list[int]
) -> None:
    paths = inputs(tmp_path, ROWS)
    assert scored(paths, columns=True, block_bytes=60)[0] == scored(paths, columns=False)[0]
    assert not forks


def test_rows_in_any_order_are_found(tmp_path: Path, forks: list[int]) -> None:
    paths = inputs(tmp_path, ROWS[::2] + ROWS[1::2])
    assert scored(paths, columns=True, block_bytes=500)[0] == scored(paths, columns=False)[0]
    assert forks
    require_no_child()


@pytest.mark.parametrize("row", [0, 900, 1799])
def test_a_wrong_line_is_named_whoever_finds_it(
    tmp_path: Path, forks: list[int], row: int
) -> None:
    rows = list(ROWS)
    rows[row] = (*rows[row][:2], "high")
    with pytest.raises(InvalidFile, match="not a finite number") as refused:
        scored(inputs(tmp_path, rows), columns=True, block_bytes=500)
    assert refused.value.line == row + 1
    assert forks
    require_no_child()


def test_what_a_process_that_ends_too_early_leaves_is_done_here(
    tmp_path: Path, forks: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SharedBlocks, "_serve", lambda *_: os._exit(1))
    paths = inputs(tmp_path, ROWS)
    assert scored(paths, columns=True, block_bytes=500)[0] == scored(paths, columns=False)[0]
    assert forks
    require_no_child()


def test_a_run_without_a_row_is_refused(tmp_path: Path, forks: list[int]) -> None:
    paths = write_inputs(tmp_path, qrels_text(JUDGED), b"# nothing\n" * 9)
    with pytest.raises(InvalidFile, match="holds no row"):
        scored(paths, columns=True)
    assert forks
    require_no_child()


def test_beside_another_thread_nothing_is_forked(tmp_path: Path) -> None:
    ended = Event()
    other = Thread(target=ended.wait)
    other.start()
    try:
        assert not may_fork()
        paths = inputs(tmp_path, ROWS)
        assert scored(paths, columns=True, block_bytes=500)[0] == scored(paths, columns=False)[0]
    finally:
        ended.set()
        other.join()
