"""Several processes find the same database absent or behind at the same moment."""

import subprocess
import sys
import threading

from evenhand.store.lineage import load_lineage
from evenhand.store.migrate import check, ensure_ready, upgrade

REVISIONS = tuple(step.revision for step in load_lineage())
PROCESSES = 4


def test_of_many_processes_one_migrates_and_the_others_wait(empty_database_url: str) -> None:
    script = "import sys; from evenhand.store.migrate import upgrade; print(upgrade(sys.argv[1]))"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, empty_database_url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(PROCESSES)
    ]
    ended = [process.communicate(timeout=120) for process in running]
    assert [error for _, error in ended] == [""] * PROCESSES
    printed = sorted(output.strip() for output, _ in ended)
    assert printed == sorted([*["()"] * (PROCESSES - 1), str(REVISIONS)])
    assert check(empty_database_url) == []


def test_threads_of_one_process_do_not_get_into_each_others_way(empty_database_url: str) -> None:
    upgrade(empty_database_url, REVISIONS[0])
    barrier = threading.Barrier(PROCESSES)
    applied: list[tuple[str, ...]] = []

    def work() -> None:
        barrier.wait(timeout=60)
        applied.append(upgrade(empty_database_url))

    threads = [threading.Thread(target=work) for _ in range(PROCESSES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert sorted(applied) == [*[()] * (PROCESSES - 1), REVISIONS[1:]]
    ensure_ready(empty_database_url)
