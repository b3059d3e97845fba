"""The page about the hub names every route, every code and every limit."""

import re
from pathlib import Path

from evenhand.hub.app import TABLE
from evenhand.hub.problems import KINDS
from evenhand.wire.strict_json import MAX_DEPTH

PAGE = (Path(__file__).parents[2] / "docs" / "hub.md").read_text(encoding="utf-8")


def test_every_route_is_on_the_page() -> None:
    rows = set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", PAGE, re.MULTILINE))

    assert rows == {f"{entry.method} {entry.path}" for entry in TABLE.entries}


def test_every_refusal_is_on_the_page_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (.*?) \|", PAGE, re.MULTILINE)
    told = {code: int(status) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}

    assert {code: told.get(code) for code in KINDS} == {
        code: kind.status for code, kind in KINDS.items()
    }


def test_every_status_of_a_route_is_on_the_page() -> None:
    rows = {int(status) for status in re.findall(r"^\| (\d{3}) \|", PAGE, re.MULTILINE)}

    assert {status for entry in TABLE.entries for status in entry.possible_problems} <= rows


def test_the_depth_of_a_body_is_on_the_page() -> None:
    assert f"{MAX_DEPTH} levels" in PAGE
