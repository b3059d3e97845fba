"""Packed input that unpacks to far more than it weighs is refused before it is held.

The peak of a process of its own is what counts: reading both files, and refusing one.
"""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

#: Most that case B-050 allows a refusal to take.
PEAK_MIB = 256
UNPACKED_MIB = 1024
JUDGED = b"q1 0 d1 1\n"
ROW = b"q1 Q0 d1 1 1.0 t\n"

#: Scores, and says the exit code and the peak of its own process.
CHILD = """
import resource, sys
from evenhand.cli.main import run_command
code = run_command(["score", *sys.argv[1:]])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, code)
"""


def scored(*files: str) -> tuple[int, float, str]:
    """Exit code, peak in MiB and what was said, of a process of its own."""
    # A shell between: what a process says of itself begins with the peak of whoever started it.
    command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", CHILD, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    _, peak, code = done.stdout.split("\n")[-2].split()
    return int(code), float(peak), done.stderr


def packed(content: bytes, mib: int = UNPACKED_MIB) -> Iterator[bytes]:
    """A gzip file of so many MiB of the same content again and again, as members."""
    step = min(mib, 16)
    member = gzip.compress(content * (step * 2**20 // len(content)), mtime=0)
    yield from (member for _ in range(mib // step))


def write(path: str, content: bytes, mib: int = UNPACKED_MIB) -> str:
    with Path(path).open("wb") as stream:
        stream.writelines(packed(content, mib))
    return path


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_bytes(JUDGED)
    Path("run").write_bytes(ROW)


@pytest.mark.parametrize(
    ("which", "content"),
    [
        ("judgements", b"\0"),
        ("judgements", JUDGED),
        ("judgements", b"# a comment\n"),
        ("run", b"\0"),
        ("run", ROW),
        ("run", b"# a comment\n"),
    ],
)
def test_a_bomb_is_refused_by_a_rule_that_it_names_and_takes_little(
    which: str, content: bytes
) -> None:
    bomb = write("bomb.gz", content)
    code, peak, said = scored(*((bomb, "run") if which == "judgements" else ("qrels", bomb)))
    assert code == 2
    assert "bomb.gz: unpacks to more than 40 times its size, beyond 16 MiB" in said
    assert peak < PEAK_MIB


def test_a_line_without_an_end_is_refused_while_it_is_read() -> None:
    Path("long").write_bytes(b"")
    with Path("long").open("r+b") as stream:
        stream.truncate(UNPACKED_MIB * 2**20)
    for files in (("long", "run"), ("qrels", "long")):
        code, peak, said = scored(*files)
        assert (code, "is a line of more than" in said) == (2, True)
        assert peak < PEAK_MIB


@pytest.mark.parametrize("mib", [1, 12])
def test_what_repeats_itself_and_is_small_is_read_as_it_stands(mib: int) -> None:
    Path("run.gz").write_bytes(gzip.compress(b"# a comment\n" * (mib * 2**20 // 12) + ROW))
    code, _, said = scored("qrels", "run.gz")
    assert code == 0, said


def test_a_packed_run_that_gives_a_row_again_is_refused_with_its_lines() -> None:
    bomb = write("twice.gz", ROW, 8)
    code, peak, said = scored("qrels", bomb)
    assert code == 2
    assert "twice.gz, line 2: gives document 'd1' for a query that has it on line 1" in said
    assert peak < PEAK_MIB
