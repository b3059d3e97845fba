"""Which rows does a Parquet file hold? Columns and rows, nothing about their meaning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from evenhand.core.errors import InvalidFile, MissingExtra

#: How a Parquet file begins.
MAGIC: Final = b"PAR1"

_ROWS_AT_ONCE: Final = 1024


def column_names(path: Path, file: str) -> frozenset[str]:
    """The columns of a file.

    Raises:
        MissingExtra: pyarrow is not installed.
        InvalidFile: the file cannot be read.
    """
    with _opened(path, file) as parquet:
        return frozenset(parquet.schema_arrow.names)


def parquet_rows(path: Path, file: str) -> Iterator[tuple[str, dict[str, object]]]:
    """The rows of a file, a batch in memory at a time, each with its place.

    Raises:
        MissingExtra, InvalidFile: as for `column_names`.
    """
    number = 0
    with _opened(path, file) as parquet:
        for batch in parquet.iter_batches(batch_size=_ROWS_AT_ONCE):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row


@contextmanager
def _opened(path: Path, file: str) -> Iterator[Any]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtra("Parquet", "frames") from error
    try:
        # One file, opened here: pyarrow would take a folder of that name for a data set.
        with path.open("rb") as stream:
            yield pq.ParquetFile(stream)
    except UnicodeDecodeError:
        raise InvalidFile(file, "holds text that is not UTF-8") from None
    except (OSError, pa.ArrowException):
        raise InvalidFile(file, "is no Parquet file that can be read") from None
