"""What a case asks to go wrong: a commit that breaks off, and statuses that must never be seen."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine


class BrokenOffError(Exception):
    """The process is gone; nothing of ours expects it."""


@contextmanager
def broken_before_commit(engine: Engine, table: str) -> Iterator[list[str]]:
    """Breaks the first transaction off that inserts into a table, before its commit.

    Gives a list that holds the table's name once that has happened.
    """
    wrote: set[int] = set()
    broken: list[str] = []

    def note(connection: Connection, _cursor: object, text: str, *_: object) -> None:
        if text.startswith(f"INSERT INTO {table} "):
            wrote.add(id(connection))

    def break_off(connection: Connection) -> None:
        if id(connection) in wrote and not broken:
            broken.append(table)
            # With the process the connection goes.
            connection.invalidate()
            raise BrokenOffError

    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", break_off)
    try:
        yield broken
    finally:
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", break_off)


def never_seen(expected: Any, statuses: Sequence[int]) -> bool:
    """Whether none of ``never`` happened, such as ``5xx`` or ``2xx for step 2 or 3``."""
    for said in expected["never"]:
        family, named = int(said[0]), [int(one) for one in re.findall(r"\b\d\b", said)]
        asked = [statuses[one - 1] for one in named] if named else statuses
        if any(status // 100 == family for status in asked):
            return False
    return True
