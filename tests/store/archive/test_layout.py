"""One row, one line: the same bytes from either database, and back."""

import math
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from evenhand.store.archive.layout import (
    Kind,
    Layout,
    UnfitValue,
    encode_row,
    layout_of,
    read_line,
)
from evenhand.store.archive.rows import archived_tables
from evenhand.store.engine import create_engine
from evenhand.store.tables import metadata

EACH = Layout(
    name="each",
    columns=tuple((kind.value, kind) for kind in Kind),
    key=("text",),
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
ROWS = st.tuples(
    st.none() | TEXT,
    st.none() | st.binary(),
    st.none() | st.integers(-(2**63), 2**63 - 1),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.booleans(),
)


def one_of(kind: Kind) -> Layout:
    return Layout(name="one", columns=(("it", kind),), key=("it",))


def test_a_row_is_a_line_of_these_bytes() -> None:
    row = ("caf\u00e9 \U0001f600\n", b"\xff\x00", -(2**63), 0.1, True)
    assert encode_row(EACH, row) == (
        b'["caf\\u00e9 \\ud83d\\ude00\\n","/wA=",-9223372036854775808,0.1,true]\n'
    )
    assert encode_row(EACH, [None] * 5) == b"[null,null,null,null,null]\n"


@given(ROWS)
def test_a_row_comes_back_from_its_line(row: tuple[Any, ...]) -> None:
    line = encode_row(EACH, row)
    assert line.isascii()
    assert line.count(b"\n") == 1
    found = read_line(EACH, line[:-1])
    assert found == list(row)
    assert [type(one) for one in found] == [type(one) for one in row]
    assert encode_row(EACH, found) == line


def test_a_truth_value_is_the_same_from_both_drivers() -> None:
    layout = one_of(Kind.BOOLEAN)
    assert encode_row(layout, [1]) == encode_row(layout, [True]) == b"[true]\n"
    assert encode_row(layout, [0]) == encode_row(layout, [False]) == b"[false]\n"


def test_a_negative_zero_is_a_zero_since_one_database_keeps_none() -> None:
    assert encode_row(one_of(Kind.REAL), [-0.0]) == encode_row(one_of(Kind.REAL), [0.0])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Kind.TEXT, b"bytes"),
        (Kind.TEXT, 1),
        (Kind.TEXT, "nul\0"),
        (Kind.TEXT, "\udc80"),
        (Kind.BYTES, "text"),
        (Kind.INTEGER, "1"),
        (Kind.INTEGER, 1.0),
        (Kind.INTEGER, True),
        (Kind.INTEGER, 2**63),
        (Kind.REAL, 1),
        (Kind.REAL, math.nan),
        (Kind.REAL, math.inf),
        (Kind.BOOLEAN, 2),
        (Kind.BOOLEAN, "true"),
        (Kind.BOOLEAN, 1.0),
    ],
)
def test_a_value_of_another_kind_is_refused_and_not_repeated(kind: Kind, value: Any) -> None:
    with pytest.raises(UnfitValue) as refused:
        encode_row(one_of(kind), [value])
    assert refused.value.rule == f"column it holds no value of the kind {kind.value}"


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (Kind.TEXT, b'[ "a"]'),
        (Kind.TEXT, b'["a"] '),
        (Kind.TEXT, b'["\\u0061"]'),
        (Kind.TEXT, b'["\\u00E9"]'),
        (Kind.TEXT, b'["\\/"]'),
        (Kind.TEXT, '["\u00e9"]'.encode()),
        (Kind.TEXT, b'["\\u0000"]'),
        (Kind.TEXT, b'["\\ud800"]'),
        (Kind.TEXT, b'["a","a"]'),
        (Kind.TEXT, b"[]"),
        (Kind.TEXT, b"[1]"),
        (Kind.TEXT, b'{"it":"a"}'),
        (Kind.TEXT, b""),
        (Kind.TEXT, b'["a"'),
        (Kind.TEXT, b'[["a"]]'),
        (Kind.TEXT, b'\xef\xbb\xbf["a"]'),
        (Kind.BYTES, b'["/w"]'),
        (Kind.BYTES, b'["/x=="]'),
        (Kind.BYTES, b'["-_8="]'),
        (Kind.BYTES, b'["\\u00e9"]'),
        (Kind.BYTES, b"[1]"),
        (Kind.INTEGER, b"[1.0]"),
        (Kind.INTEGER, b"[01]"),
        (Kind.INTEGER, b"[9223372036854775808]"),
        (Kind.INTEGER, b"[" + b"9" * 5000 + b"]"),
        (Kind.INTEGER, b"[true]"),
        (Kind.REAL, b"[1]"),
        (Kind.REAL, b"[0.10]"),
        (Kind.REAL, b"[-0.0]"),
        (Kind.REAL, b"[1e400]"),
        (Kind.REAL, b"[NaN]"),
        (Kind.BOOLEAN, b"[1]"),
        (Kind.BOOLEAN, b'["true"]'),
    ],
)
def test_only_the_one_line_that_a_row_has_is_read(kind: Kind, line: bytes) -> None:
    with pytest.raises(UnfitValue):
        read_line(one_of(kind), line)


@pytest.mark.parametrize("table", archived_tables(), ids=lambda table: table.name)
def test_a_table_can_be_written_and_has_an_order(table: sa.Table) -> None:
    layout = layout_of(table)
    assert layout.key
    kinds = dict(layout.columns)
    # What has an order on both databases; and bytes have no upper limit, an index has.
    assert {kinds[name] for name in layout.key} <= {Kind.TEXT, Kind.INTEGER}
    assert not [column.name for column in table.primary_key.columns if column.nullable]


def test_no_table_counts_by_itself() -> None:
    """A sequence would be one more thing to restore."""
    for table in metadata.tables.values():
        assert table.autoincrement_column is None, table.name
        assert not [
            one.name for one in table.c if one.identity or one.computed or one.server_default
        ]


def test_a_type_that_no_archive_knows_is_told() -> None:
    table = sa.Table("odd", sa.MetaData(), sa.Column("when", sa.DateTime, primary_key=True))
    with pytest.raises(TypeError, match=r"odd\.when"):
        layout_of(table)


def test_tables_are_written_alike_whether_declared_or_found(database_url: str) -> None:
    engine = create_engine(database_url)
    found = sa.MetaData()
    with engine.connect() as connection:
        found.reflect(connection)
    engine.dispose()
    for table in archived_tables():
        one, other = layout_of(found.tables[table.name]), layout_of(table)
        # A column that was added later stands last in a database.
        assert sorted(one.columns) == sorted(other.columns)
        assert one.key == other.key
