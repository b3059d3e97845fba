import re
import shutil
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, timedelta
from itertools import chain, repeat
from pathlib import Path

import pytest

from evenhand.adapters.system import (
    Checkout,
    SystemClock,
    SystemSecrets,
    UuidV7Ids,
    checkout_of,
    execution_revision,
    machine_label,
    platform_facts,
)
from evenhand.core.identity.labels import require_label
from tests.conftest import require_or_skip

INSTANT_MS = 1_788_955_200_000


def at(*instants: int) -> Callable[[], int]:
    """A clock that shows these milliseconds one after the other, and then stands still."""
    shown: Iterator[int] = chain(instants, repeat(instants[-1]))
    return lambda: next(shown)


def test_clock_is_aware_utc_and_never_goes_back() -> None:
    clock = SystemClock()

    assert clock.now().tzinfo is UTC
    assert clock.now() - clock.now() < timedelta(seconds=1)
    first, second = clock.monotonic(), clock.monotonic()
    assert first <= second


def test_id_is_a_uuid_of_version_seven_with_its_milliseconds() -> None:
    made = UuidV7Ids(at(INSTANT_MS)).new()

    parsed = uuid.UUID(made)
    assert str(parsed) == made
    assert parsed.version == 7
    assert parsed.variant == uuid.RFC_4122
    assert parsed.int >> 80 == INSTANT_MS


def test_ids_of_one_millisecond_rise() -> None:
    ids = UuidV7Ids(at(INSTANT_MS))
    made = [ids.new() for _ in range(1000)]

    assert sorted(set(made)) == made


def test_ids_rise_while_the_clock_goes_back() -> None:
    ids = UuidV7Ids(at(INSTANT_MS, INSTANT_MS - 5_000, INSTANT_MS - 1, INSTANT_MS + 1))
    made = [ids.new() for _ in range(4)]

    assert sorted(set(made)) == made
    assert uuid.UUID(made[1]).int >> 80 == INSTANT_MS


def test_full_counter_moves_on_to_the_next_millisecond() -> None:
    ids = UuidV7Ids(at(INSTANT_MS))
    before = ids.new()
    ids._counter = 2**42 - 1
    after = ids.new()

    assert before < after
    assert uuid.UUID(after).int >> 80 == INSTANT_MS + 1


def test_ids_made_by_several_threads_are_distinct() -> None:
    ids = UuidV7Ids(at(INSTANT_MS))
    made: list[list[str]] = [[] for _ in range(4)]

    def make(into: list[str]) -> None:
        into.extend(ids.new() for _ in range(500))

    threads = [threading.Thread(target=make, args=(into,)) for into in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({one for into in made for one in into}) == 2000


def test_machine_label_repeats_and_is_a_legal_label() -> None:
    assert machine_label() == machine_label()
    assert require_label(machine_label(), "machine") == machine_label()


@pytest.mark.parametrize("fact", ["system", "architecture", "processor", "cores", "python"])
def test_each_fact_changes_the_machine_label(fact: str) -> None:
    facts = platform_facts()

    assert fact in facts
    assert machine_label({**facts, fact: "another"}) != machine_label(facts)


def test_machine_facts_hold_no_host_name() -> None:
    assert set(platform_facts()) == {"system", "architecture", "processor", "cores", "python"}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A work tree with one commit of one file."""
    require_or_skip(shutil.which("git"), "git")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "search.py").write_text("one\n")
    git(folder, "add", "search.py")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path) -> None:
    who = ("-c", "user.name=A Test", "-c", "user.email=a@example.test")
    git(folder, *who, "-c", "commit.gpgsign=false", "commit", "-q", "-m", "A commit")


def test_clean_checkout_is_its_commit(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")

    assert execution_revision(repository) == f"git:{head}"
    assert re.fullmatch(r"git:[0-9a-f]{40}", f"git:{head}")


def test_folder_inside_a_checkout_has_its_commit(repository: Path) -> None:
    inside = repository / "inside"
    inside.mkdir()
    (inside / "more.py").write_text("two\n")
    git(repository, "add", "inside")
    commit(repository)

    assert execution_revision(inside) == execution_revision(repository)


@pytest.mark.parametrize("ignored", ["", "inside/\n", "*\n"], ids=["untracked", "folder", "all"])
def test_a_folder_of_which_the_repository_around_tracks_nothing_is_unknown(
    repository: Path, ignored: str
) -> None:
    inside = repository / "inside"
    inside.mkdir()
    (inside / "search.py").write_text("two\n")
    (repository / ".git" / "info" / "exclude").write_text(ignored)

    assert checkout_of(inside) == Checkout(
        why="the git repository around the folder tracks nothing in it"
    )


def test_a_repository_of_its_own_inside_another_one_has_its_own_commit(repository: Path) -> None:
    inside = repository / "inside"
    inside.mkdir()
    git(inside, "init", "-q")
    assert checkout_of(inside).why == "the git repository has no commit yet"
    (inside / "search.py").write_text("two\n")
    git(inside, "add", "search.py")
    commit(inside)

    assert execution_revision(inside) == f"git:{git(inside, 'rev-parse', 'HEAD')}"
    assert execution_revision(inside) != execution_revision(repository)


def test_a_link_to_the_top_of_a_checkout_is_its_top(repository: Path) -> None:
    link = repository.parent / "link"
    link.symlink_to(repository)

    assert execution_revision(link) == execution_revision(repository) is not None


@pytest.mark.parametrize("name", ["search.py", "new.py"])
def test_changed_or_untracked_file_marks_the_commit_dirty(repository: Path, name: str) -> None:
    clean = execution_revision(repository)
    (repository / name).write_text("two\n")

    assert execution_revision(repository) == f"{clean}-dirty"


def test_ignored_file_leaves_the_checkout_clean(repository: Path) -> None:
    (repository / ".gitignore").write_text("out/\n")
    git(repository, "add", ".gitignore")
    commit(repository)
    (repository / "out").mkdir()
    (repository / "out" / "result").write_text("x")

    assert "dirty" not in str(execution_revision(repository))


def test_label_of_a_dirty_commit_is_legal(repository: Path) -> None:
    (repository / "search.py").write_text("two\n")
    label = execution_revision(repository)

    assert require_label(label, "execution_revision") == label


def test_outside_a_repository_the_execution_is_unknown(tmp_path: Path) -> None:
    assert checkout_of(tmp_path) == Checkout(
        why="the folder is in no git repository that can be read", is_inside=False
    )


def test_before_the_first_commit_the_execution_is_unknown(tmp_path: Path) -> None:
    require_or_skip(shutil.which("git"), "git")
    git(tmp_path, "init", "-q")

    assert execution_revision(tmp_path) is None


def test_missing_git_leaves_the_execution_unknown(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(repository))

    assert execution_revision(repository) is None


def test_a_look_at_a_repository_runs_no_program_that_it_names(repository: Path) -> None:
    mark = repository.parent / "ran"
    script = repository.parent / "monitor"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    script.chmod(0o700)
    git(repository, "config", "core.fsmonitor", str(script))

    assert execution_revision(repository) is not None
    assert not mark.exists()


def test_secrets_are_32_bytes_and_never_the_same() -> None:
    made = [SystemSecrets().new() for _ in range(100)]
    assert {len(one) for one in made} == {32}
    assert len(set(made)) == 100
