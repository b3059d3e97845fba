"""What the pages of the documentation say, taken apart so that it can be held to account."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.cli.main import run_command

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

_FENCE = re.compile(r"^```(\w*)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exits with (\d+)$")
#: What differs from run to run: tokens (shortened on a page), ids, times, durations, machines.
_VOLATILE = (
    (re.compile(r"\b(evh_(?:op|vw|sc)_)[A-Za-z0-9_-]+…?"), r"\1TOKEN"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}\b"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s)\b"), "DURATION"),
    (re.compile(r"machine:[0-9a-f]{16}"), "MACHINE"),
)


@dataclass
class Block:
    """One fenced block of a page; with a name behind its kind it is a file of that name."""

    kind: str
    name: str
    text: str


@dataclass
class Step:
    """A command of a page, the exit code it should have, and the lines it should print."""

    command: str
    code: int = 0
    lines: list[str] = field(default_factory=list)


def blocks(page: Path, *kinds: str) -> list[Block]:
    """The fenced blocks of these kinds, in order; all of them without a kind."""
    found = [Block(*parts) for parts in _FENCE.findall(page.read_text("utf-8"))]
    return [block for block in found if not kinds or block.kind in kinds]


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page.read_text("utf-8"))


def steps(page: Path) -> list[Step | Block]:
    """What a page does, in order: files, and commands of the blocks of kind ``console``."""
    found: list[Step | Block] = []
    for block in blocks(page):
        if block.name:
            found.append(block)
        elif block.kind == "console":
            found += _steps(block)
    return found


def _steps(block: Block) -> list[Step]:
    found: list[Step] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            code = _EXIT.search(line)
            found.append(Step(_EXIT.sub("", line[2:]), 0 if code is None else int(code[1])))
        else:
            found[-1].lines.append(line)
    return found


def commands(page: Path) -> list[str]:
    """Every command line of Evenhand that a page shows, in blocks or in the text."""
    found = [line for block in blocks(page, "", "sh", "console") for line in _lines(block.text)]
    found += re.findall(r"`(evenhand [^`]+)`", prose(page))
    return [_EXIT.sub("", one) for one in found]


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for part in line.removeprefix("$ ").split(" && "):
            if part.startswith("evenhand "):
                yield part.strip()


def perform(step: Step) -> list[str]:
    """Do what a step says in the working directory; gives what it printed, line by line."""
    words = shlex.split(step.command, comments=True)
    if words[0] == "cd":
        os.chdir(words[1])
        return []
    if words[0] != "evenhand":
        done = subprocess.run(
            ["sh", "-c", step.command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == step.code, (step.command, done.stdout)
        return done.stdout.splitlines()
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = run_command(words[1:])
    out.seek(0)
    printed = out.read()
    assert (step.command, int(code)) == (step.command, step.code), printed
    return printed.splitlines()


def missing(step: Step, printed: list[str]) -> list[str]:
    """The lines of a step that were not printed in this order; ``…`` stands for any lines."""
    rest = iter([steady(line) for line in printed])
    return [
        line for line in step.lines if line.strip() not in ("", "…") and steady(line) not in rest
    ]


def steady(line: str) -> str:
    """A line without what differs from run to run, and without its indentation."""
    for pattern, name in _VOLATILE:
        line = pattern.sub(name, line)
    return " ".join(line.split())


def forget_imports(folder: Path) -> None:
    """Forget the modules that were imported from a folder."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
