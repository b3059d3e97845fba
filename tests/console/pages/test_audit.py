"""The audit on a page: who did what to what, by kind, object and credential."""

import pytest

from tests.builders import a_credential
from tests.console.conftest import Console, only_sqlite
from tests.console.rows import fill_audit

AUDIT = "/console/audit"


@pytest.fixture
def kept(console: Console) -> Console:
    fill_audit(console.parts.database)
    return console


@pytest.mark.parametrize(
    ("query", "done"),
    [
        ("", ["deactivate", "rotate"]),
        ("?kind=deployment", ["deactivate"]),
        (f"?actor={a_credential().id}", ["deactivate", "rotate"]),
        ("?object=01990000-0000-7000-a800-000000000001", ["rotate"]),
        ("?kind=credential&actor=nobody", []),
        ("?after=01990000-0000-7000-a900-000000000002", ["rotate"]),
        ("?before=01990000-0000-7000-a900-000000000001", ["deactivate"]),
    ],
)
def test_entries_are_newest_first_and_by_what_is_looked_for(
    kept: Console, query: str, done: list[str]
) -> None:
    page = kept.get(f"{AUDIT}{query}")

    assert page.status == 200
    found = [word for word in ("deactivate", "rotate") if f"{word} " in page.text]
    assert found == done
    assert len(page.all("tr", data_row="")) == len(done)


@only_sqlite
def test_an_entry_says_what_was_changed_and_by_whom(kept: Console) -> None:
    page = kept.get(f"{AUDIT}?kind=credential")

    assert "active to rotated" in page.text
    assert f"operator {a_credential().id}" in page.text


@only_sqlite
def test_an_entry_that_is_not_there_is_no_place_in_the_list(kept: Console) -> None:
    page = kept.get(f"{AUDIT}?after=nothing")

    assert page.status == 422
    assert "after: names an entry that there is not" in page.text
