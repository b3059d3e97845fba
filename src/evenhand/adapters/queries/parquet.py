"""What does a trusted query give over exported events? DuckDB reads the Parquet files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evenhand.contracts.contract import shipped_contract
from evenhand.contracts.trusted import Execute, Window
from evenhand.core.errors import InvalidFile, MissingExtra

_NAMED: Final = re.compile(r":(window_start|window_end)\b")
_SUFFIX: Final = ".parquet"


@contextmanager
def over_parquet(place: Path) -> Iterator[Execute]:
    """What carries queries out over a Parquet file, or over all of a folder.

    The text of a query stays as it is but for the mark of its two parameters, which DuckDB spells
    with a dollar sign; they are bound as times, as the files hold times.

    Args:
        place: of ``events export``, or of a sink.

    Raises:
        MissingExtra: DuckDB is not installed.
        InvalidFile: there is no such file, or it holds no events.
    """
    try:
        import duckdb  # an optional part
    except ModuleNotFoundError as error:
        raise MissingExtra("a query over Parquet", "analytics") from error
    pattern = place / f"*{_SUFFIX}" if place.is_dir() else place
    if place.is_dir() and not any(place.glob(f"*{_SUFFIX}")):
        raise InvalidFile(place.name, "holds no Parquet file")
    connection = duckdb.connect(":memory:")
    try:
        relation = connection.read_parquet(str(pattern))
        missing = set(shipped_contract().names) - set(relation.columns)
        if missing:
            raise InvalidFile(place.name, f"holds no events: {min(missing)} is missing")
        relation.create_view(shipped_contract().relation)

        def _execute(sql: str, window: Window) -> Sequence[Mapping[str, Any]]:
            given = {"window_start": window.start, "window_end": window.end}
            found = connection.execute(_NAMED.sub(r"$\1", sql), given)
            names = [column[0] for column in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

        yield _execute
    except duckdb.Error as error:
        # Its class only: a message could repeat what a file holds.
        raise InvalidFile(place.name, f"DuckDB cannot read it ({type(error).__name__})") from None
    finally:
        connection.close()
