"""Commands as a user types them, and the files that a user would have."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evenhand.adapters.formats.sets import write_golden_set
from evenhand.cli.main import run_command
from evenhand.core.retrieval.golden import GoldenSet
from tests.builders import a_set

#: Question text → answer; each question of `a_set()` gets its first target, the last one nothing.
RIGHT = {"q1": ["d1"], "q2": ["d2"], "q3": ["d4"]}


def declared(**labels: str) -> tuple[str, ...]:
    """Flags that declare what is run; a label may be given another value."""
    stated = {"corpus": "c", "model": "m", "chunking": "n", "pipeline": "p"} | labels
    return tuple(part for name, value in stated.items() for part in (f"--{name}", value))


class Cli:
    """Runs commands in this process, and keeps what they said."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def run(self, *arguments: str) -> int:
        self._capsys.readouterr()
        code = run_command(list(arguments))
        self.out, self.err = self._capsys.readouterr()
        return code

    def json(self, *arguments: str, code: int = 0) -> Any:
        assert self.run(*arguments, "--json") == code, self.err
        return json.loads(self.out)

    def stored(self) -> list[dict[str, Any]]:
        """The stored evaluations, newest first."""
        listed: list[dict[str, Any]] = self.json("evaluations", "list")
        return listed


def forget_modules(folder: Path) -> None:
    """Forget what was imported from a folder, so that it can be written anew."""
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(folder)):
            del sys.modules[name]
    importlib.invalidate_caches()


def write_set(path: str = "set.jsonl", golden_set: GoldenSet | None = None) -> str:
    """A golden set in the working directory; gives its name."""
    write_golden_set(golden_set or a_set(), Path(path))
    return path


def write_module(source: str, name: str = "search") -> None:
    """A module in the working directory, in place of one that was imported."""
    Path(f"{name}.py").write_text(source, encoding="utf-8")
    forget_modules(Path.cwd())


def write_search(answers: dict[str, list[str]] | None = None, name: str = "search") -> str:
    """A module with a function that looks its answers up; gives its reference."""
    found = RIGHT if answers is None else answers
    write_module(f"def find(question, limit):\n    return {found!r}.get(question, [])\n", name)
    return f"{name}:find"


def counting(body: str) -> str:
    """A module whose function `find` counts its calls in a file before it does what `body` says."""
    return (
        "from pathlib import Path\n"
        "ASKED = Path('asked.txt')\n"
        "def find(question, limit):\n"
        "    with ASKED.open('a') as stream:\n"
        "        stream.write('.')\n"
        f"    {body}\n"
    )


def asked() -> int:
    """How often the function of such a module was called."""
    return len(Path("asked.txt").read_text()) if Path("asked.txt").exists() else 0
