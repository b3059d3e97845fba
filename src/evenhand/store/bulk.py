"""How do many rows get into a table at once?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, islice
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError

_ROWS_AT_A_TIME: Final = 10_000
#: Of one statement of :func:`insert_some`: a power of two, and few enough values for a driver.
_ROWS_A_STATEMENT: Final = 64


def insert_many(connection: Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
    """Insert rows given as tuples in the order of the table's columns.

    The driver gets the values as they are: of tens of thousands of rows, making a dictionary and
    converting each value costs more than the insert itself.
    """
    names = ", ".join(connection.dialect.identifier_preparer.format_column(c) for c in table.c)
    if connection.dialect.name == "postgresql":
        copy_rows(connection, f"COPY {table.name} ({names}) FROM STDIN", rows)
        return
    marks = ", ".join("?" for _ in table.c)
    statement = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"  # noqa: S608 -- our names
    iterator = iter(rows)
    while block := [tuple(row) for row in islice(iterator, _ROWS_AT_A_TIME)]:
        connection.exec_driver_sql(statement, block)


def insert_some(connection: Connection, table: sa.Table, rows: Sequence[Sequence[object]]) -> None:
    """Insert tens of rows, given as those of :func:`insert_many`, by few statements.

    Where each row has a statement, SQLite's driver lets other threads run after every one and
    waits for its turn again, and PostgreSQL's waits for an answer. There are statements for 64
    rows, for 32 and so on, so that a driver prepares each but once.
    """
    begin = 0
    while begin < len(rows):
        number = min(_ROWS_A_STATEMENT, 1 << (len(rows) - begin).bit_length() - 1)
        values = tuple(chain.from_iterable(rows[begin : begin + number]))
        connection.exec_driver_sql(_statement(table, number, connection.dialect.name), values)
        begin += number


@cache
def _statement(table: sa.Table, number: int, dialect: str) -> str:
    mark = "%s" if dialect == "postgresql" else "?"
    row = f"({', '.join(mark for _ in table.c)})"
    names = ", ".join(column.name for column in table.c)
    return f"INSERT INTO {table.name} ({names}) VALUES {', '.join([row] * number)}"  # noqa: S608 -- our names


def copy_rows(connection: Connection, statement: str, rows: Iterable[Sequence[object]]) -> None:
    """Give a COPY statement of PostgreSQL its rows.

    Raises:
        DBAPIError: the server refused one.
    """
    from evenhand.store.pipelines import end_pipeline  # an optional part

    end_pipeline(connection)
    driver: Any = connection.connection.driver_connection
    base = connection.dialect.loaded_dbapi.Error
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except base as error:
        # The same error as from every other statement, so that it is translated like them.
        raise DBAPIError.instance(
            statement, None, error, base, hide_parameters=True, dialect=connection.dialect
        ) from None
