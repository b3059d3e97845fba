"""One model owns what is stored of reviews; the reference is made from it."""

import re
from pathlib import Path

import pytest

from evenhand.store.tables import metadata
from tests.store.reviews.test_append_only import APPEND_ONLY, MOVING

DOCS = Path(__file__).parents[3] / "docs"
TABLES = {*APPEND_ONLY, *MOVING, "practice"}


@pytest.mark.proves("R-02", "R-03")
def test_the_generated_schema_shows_every_table_and_the_guide_restates_no_column() -> None:
    schema = (DOCS / "schema.md").read_text(encoding="utf-8")
    guide = (DOCS / "reviews.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^## (\w+)$", schema, re.MULTILINE)) >= TABLES
    for name in TABLES:
        section = schema.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        for column in metadata.tables[name].c:
            assert f"`{column.name}`" in section, (name, column.name)
    # A column is named where it is spoken of; no table of the guide lists those of a table.
    for name in TABLES:
        columns = {column.name for column in metadata.tables[name].c}
        listed = set(re.findall(r"^\| `(\w+)` \|", guide, re.MULTILINE))
        assert len(columns & listed) < 2, name
