"""Two fresh clones of a project with a committed baseline: red for the right reason only."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import require_or_skip

QUESTIONS = 40
GOOD = """\
def find(question, limit):
    return [question.replace("question", "answer")]
"""
BROKEN = """\
def find(question, limit):
    return ["answer of nothing"]
"""
RAISING = """\
def find(question, limit):
    raise RuntimeError("down")
"""
CONFIGURATION = """\
[retrievers.search]
use = "search:find"
corpus = "corpus-1"
model = "not-applicable"
chunking = "not-applicable"
pipeline = "pipeline-1"
"""
GATE = ("gate", "questions.jsonl", "search", "--baseline", "baseline.json")


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, without secrets and without what this machine is configured to."""
    kept = {"PATH", "HOME", "LANG", "COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"}
    environment = {name: value for name, value in os.environ.items() if name in kept}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | {"GIT_CONFIG_GLOBAL": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def git(folder: Path, *arguments: str) -> None:
    named = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
    done = run(folder, "git", *named, *arguments)
    assert done.returncode == 0, done.stderr


def evenhand(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "evenhand", *arguments)


def write_project(folder: Path) -> None:
    """A toy project: a set, a retriever that hits every question, a configuration."""
    lines = ['{"format":"evenhand.golden/1","identifier":"toy","name":"Toy"}']
    lines += [
        f'{{"id":"q{n}","question":"question {n}","form":"match",'
        f'"expected_document_ids":["answer {n}"]}}'
        for n in range(QUESTIONS)
    ]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "search.py").write_text(GOOD)
    (folder / "evenhand.toml").write_text(CONFIGURATION)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of a toy project in which a baseline is committed."""
    require_or_skip(shutil.which("git"), "git")
    folder = tmp_path_factory.mktemp("origin")
    write_project(folder)
    (folder / ".gitignore").write_text(".evenhand/\n")
    for command in (
        ("run", "questions.jsonl", "search"),
        ("baseline", "set", "latest"),
        ("baseline", "export", "baseline.json"),
    ):
        done = evenhand(folder, *command)
        assert done.returncode == 0, done.stderr
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "A toy with a baseline")
    return folder


def clone(origin: Path, target: Path, *, search: str = GOOD) -> Path:
    """A fresh clone, without a store, in which somebody changed the retriever and said so."""
    git(origin, "clone", "-q", str(origin), str(target))
    assert not (target / ".evenhand").exists()
    if search != GOOD:
        (target / "search.py").write_text(search)
        changed = CONFIGURATION.replace("pipeline-1", "pipeline-2")
        (target / "evenhand.toml").write_text(changed)
        git(target, "commit", "-q", "-a", "-m", "Change the retriever")
    return target


def test_one_clone_is_green_and_the_one_with_a_broken_retriever_is_red(
    origin: Path, tmp_path: Path
) -> None:
    green = evenhand(clone(origin, tmp_path / "one"), *GATE)
    assert (green.returncode, green.stdout.splitlines()[0]) == (0, "Gate: Pass")
    red = evenhand(clone(origin, tmp_path / "two", search=BROKEN), *GATE)
    assert (red.returncode, red.stdout.splitlines()[0]) == (1, "Gate: Fail")


def test_a_broken_retriever_whose_author_forgot_to_say_so_is_red_too(
    origin: Path, tmp_path: Path
) -> None:
    folder = clone(origin, tmp_path / "one")
    (folder / "search.py").write_text(BROKEN)
    assert evenhand(folder, *GATE).returncode == 1


def test_a_clone_without_a_baseline_is_refused_unless_a_first_result_may_pass(
    origin: Path, tmp_path: Path
) -> None:
    folder = clone(origin, tmp_path / "one")
    (folder / "baseline.json").unlink()
    assert evenhand(folder, *GATE).returncode == 3
    assert evenhand(folder, *GATE, "--allow-first").returncode == 0
    assert evenhand(folder, *GATE[:3]).returncode == 3
    assert evenhand(folder, *GATE[:3], "--allow-first").returncode == 0


def test_a_retriever_that_raises_went_wrong_and_is_no_verdict(
    origin: Path, tmp_path: Path
) -> None:
    folder = clone(origin, tmp_path / "one", search=RAISING)
    done = evenhand(folder, *GATE)
    assert done.returncode == 5
    assert "Gate:" not in done.stdout
    assert evenhand(folder, *GATE, "--allow-first").returncode == 5


def test_another_corpus_is_not_compared(origin: Path, tmp_path: Path) -> None:
    folder = clone(origin, tmp_path / "one", search=BROKEN)
    done = evenhand(folder, *GATE, "--corpus", "corpus-2")
    assert done.returncode == 3
    assert "margin" not in done.stdout
