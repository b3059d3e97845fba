"""A hub of the demo's own: a process on this machine, for as long as the demo needs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from evenhand.core.errors.publication import HubUnavailable

#: Files of the hub in the demo's state folder; each run begins with a database of its own.
DATABASE: Final = "hub.db"
LOG: Final = "hub.log"
_PATIENCE_SECONDS: Final = 30
_NOT_STARTED: Final = f"the demo's own did not start; its log is {LOG} in the state folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """Where the hub listens, and the token of its operator."""

    address: str
    operator_token: str


@contextmanager
def served_hub(folder: Path, state: Path) -> Iterator[Served]:
    """`evenhand serve` on a fresh database, ended with the block.

    Args:
        folder: the demo's project.
        state: its state folder.

    Raises:
        HubUnavailable: the process ended or said something else.
    """
    database = state / DATABASE
    for part in (database, *(database.with_name(DATABASE + end) for end in ("-wal", "-shm"))):
        part.unlink(missing_ok=True)
    words = ["--database-url", f"sqlite:///{database}", "serve", "--port", "0", "--json"]
    with (state / LOG).open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 -- this very program
            [sys.executable, "-m", "evenhand", *words],
            cwd=folder,
            env=environment({}),
            stdout=subprocess.PIPE,
            stderr=log,
        )
        try:
            assert process.stdout is not None  # noqa: S101 -- it is a pipe
            yield _read(process.stdout)
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """This process's environment for a child, without settings of real work."""
    # Not to read a setting: a child needs the rest of what is there.
    inherited = os.environ.items()  # noqa: TID251
    kept = {name: text for name, text in inherited if not name.startswith("EVENHAND_")}
    return kept | dict(more)


def _read(said: IO[bytes]) -> Served:
    text = b""
    for line in said:
        text += line
        if line.rstrip() == b"}":
            break
    try:
        told = json.loads(text)
        return Served(address=told["address"], operator_token=told["operator_token"])
    except (ValueError, KeyError, TypeError):
        raise HubUnavailable(_NOT_STARTED, is_stored=False) from None
