"""How do events lie in Parquet? One column a field, times as times in UTC, what is unknown null."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from evenhand.contracts.contract import FieldType, shipped_contract
from evenhand.contracts.events import Event
from evenhand.core.errors import InvalidFile, MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIX: Final = ".parquet"
_ROWS_AT_A_TIME: Final = 50_000
#: A text that is no UTF-8, a time beyond the calendar or in a zone that nobody knows: Arrow keeps
#: them, and no value of Python is one. What Arrow raises of its own is a ValueError then.
_NO_VALUE: Final = (ValueError, OverflowError)
#: In the place of such a one; no field of the contract takes it.
_UNREADABLE: Final = object()


def write_events(stream: BinaryIO, events: Iterable[Event]) -> int:
    """Write events as one Parquet file.

    Args:
        stream: takes the bytes.
        events: in order.

    Returns:
        How many there were.

    Raises:
        MissingExtra: pyarrow is not installed.
    """
    pyarrow, parquet = _modules()
    schema = _schema(pyarrow)
    count, iterator = 0, iter(events)
    with parquet.ParquetWriter(stream, schema) as writer:
        while block := list(islice(iterator, _ROWS_AT_A_TIME)):
            columns = [
                pyarrow.array([getattr(event, name) for event in block], type=kind)
                for name, kind in zip(schema.names, schema.types, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            count += len(block)
    return count


def count_rows(path: Path) -> int:
    """How many rows a file has.

    Raises:
        InvalidFile: it is no Parquet.
        MissingExtra: pyarrow is not installed.
    """
    return int(_open(path).metadata.num_rows)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file as objects of the contract: unknown fields absent, times as text.

    Nothing is checked here: whoever takes the rows in validates each.

    Raises:
        InvalidFile: it is no Parquet.
        MissingExtra: pyarrow is not installed.
    """
    file = _open(path)
    try:
        for batch in file.iter_batches(batch_size=_ROWS_AT_A_TIME):
            for row in _rows_of(batch):
                yield {name: _text_of(value) for name, value in row.items() if value is not None}
    except (_modules()[0].ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _rows_of(batch: Any) -> list[dict[str, Any]]:
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except _NO_VALUE:
        # Cell by cell: one that is no value is refused by its field, and the others are taken.
        columns = list(zip(batch.schema.names, batch.columns, strict=True))
        return [
            {name: _cell(column, place) for name, column in columns}
            for place in range(batch.num_rows)
        ]
    return rows


def _cell(column: Any, place: int) -> Any:
    try:
        return column[place].as_py()
    except _NO_VALUE:
        return _UNREADABLE


def _text_of(value: Any) -> Any:
    # A column of times reads as such; every other value is judged as it is.
    if hasattr(value, "isoformat"):
        text = str(value.isoformat())
        return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text
    return value


def _open(path: Path) -> Any:
    pyarrow, parquet = _modules()
    try:
        return parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> InvalidFile:
    return InvalidFile(path.name, f"cannot be read as Parquet ({type(error).__name__})")


def _modules() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        raise MissingExtra("events in Parquet", "analytics") from error
    return pyarrow, parquet


def _schema(pyarrow: Any) -> pa.Schema:
    kinds = {
        FieldType.TIMESTAMP: pyarrow.timestamp("us", tz="UTC"),
        FieldType.NUMBER: pyarrow.float64(),
        FieldType.BOOLEAN: pyarrow.bool_(),
    }
    return pyarrow.schema(
        [
            pyarrow.field(field.name, kinds.get(field.type, pyarrow.string()))
            for field in shipped_contract().fields
        ]
    )
