"""The menu: one letter leads to one place."""

from evenhand.console.app import _PAGES
from evenhand.console.navigation import GROUPS

PLACES = [place for page in _PAGES for place in page.PLACES]


def test_each_place_has_a_key_a_path_and_a_letter_of_its_own() -> None:
    for name in ("key", "path", "shortcut"):
        values = [getattr(place, name) for place in PLACES]
        assert sorted(set(values)) == sorted(values), name


def test_each_place_stands_under_a_heading_that_there_is() -> None:
    assert {place.group for place in PLACES} <= set(GROUPS)
