"""The tables of mutations fit the source that they break: their long run only applies them."""

from pathlib import Path

from tools.torture import ROOT, load

TABLE = load()


def test_each_text_to_be_broken_stands_in_its_file_once() -> None:
    misfits = [
        str(mutation)
        for mutation in TABLE
        if Path(ROOT / mutation.file).read_text(encoding="utf-8").count(mutation.find) != 1
    ]
    assert misfits == []


def test_no_decision_record_shares_its_number_with_another() -> None:
    numbers = [path.name[:4] for path in sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))]
    assert sorted(set(numbers)) == numbers
