"""Two retrievers that a configuration declares, and a set of forty questions for them."""

from pathlib import Path
from typing import Any

from tests.cli.typed import write_module, write_set
from tests.core.comparison.pairs import FORTY

CURRENT: dict[str, Any] = {
    "use": "pair:current",
    "corpus": "corpus-1",
    "model": "model-1",
    "chunking": "document",
    "pipeline": "current",
}
CANDIDATE: dict[str, Any] = CURRENT | {"use": "pair:candidate", "pipeline": "candidate"}

#: The current retriever misses every third question; the candidate misses the first.
MODULE = """
def current(question, limit):
    number = int(question[1:])
    return [] if question[0] == "r" else ["x"] if number % 3 == 0 else [f"d{number:02}"]

def candidate(question, limit):
    number = int(question[1:])
    return [] if question[0] == "r" else ["x"] if number == 0 else [f"d{number:02}"]

def broken(question, limit):
    number = int(question[1:])
    if question[0] == "q" and number % 3 == 0:
        raise TimeoutError
    return current(question, limit)
"""


def write_pair(**tables: dict[str, Any]) -> str:
    """Configuration, module and set in the working directory; gives the set's name.

    Args:
        tables: retrievers by name, by default ``old`` and ``new``.
    """
    configured = tables or {"old": CURRENT, "new": CANDIDATE}
    lines = [
        line
        for name, table in configured.items()
        for line in (
            f"[retrievers.{name}]",
            *(f"{key} = {value!r}" for key, value in table.items()),
        )
    ]
    Path("evenhand.toml").write_text("\n".join(lines) + "\n")
    write_module(MODULE, "pair")
    return write_set("forty.jsonl", FORTY)
