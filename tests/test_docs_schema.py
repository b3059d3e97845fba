"""The page of the schema against the tables: whoever changes a table says what it holds."""

import subprocess
import sys

import sqlalchemy as sa

from evenhand.store.tables import metadata
from tests.docs_pages import ROOT
from tools.schema_page import page, undescribed

PAGE = ROOT / "docs" / "schema.md"


def test_the_page_of_the_schema_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tools.schema_page"


def test_every_table_and_column_says_what_it_holds() -> None:
    assert undescribed() == [], (
        'add info=about("What a row is.", column="What it holds.") to the table'
        " (evenhand.store.tables.base), then run: python -m tools.schema_page"
    )


def test_the_page_names_every_table_column_constraint_and_index() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for table in metadata.tables.values():
        part = text.partition(f"\n## {table.name}\n")[2].partition("\n## ")[0]
        names = [
            *(column.name for column in table.c),
            *(
                str(one.name)
                for one in table.constraints
                if not isinstance(one, sa.PrimaryKeyConstraint)
            ),
            *(str(index.name) for index in table.indexes),
        ]
        assert [name for name in names if f"`{name}`" not in part] == [], table.name


def test_what_refuses_a_change_is_called_append_only() -> None:
    text = PAGE.read_text(encoding="utf-8")
    marked = {
        part.split("\n", 1)[0] for part in text.split("\n## ")[1:] if "\nAppend-only.\n" in part
    }
    assert {"evaluation", "audit_entry", "baseline", "set_use", "retention_action"} <= marked
    assert not marked & {"golden_set", "credential", "schema_lineage", "restore_marker"}


def test_the_command_writes_the_page() -> None:
    code = "from tools.schema_page import page; import sys; sys.stdout.write(page())"
    made = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert made == PAGE.read_text(encoding="utf-8")
