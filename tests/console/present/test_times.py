"""How a time is told."""

from datetime import timedelta

import pytest

from evenhand.console.present.times import moment
from tests.builders import START


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(hours=1, minutes=59), "1 hour ago"),
        (timedelta(hours=24), "1 day ago"),
        (timedelta(days=29, hours=23), "29 days ago"),
        (timedelta(days=30), "2026-08-10"),
        (timedelta(days=-1), "2026-09-10"),
    ],
)
def test_time_is_told_by_how_long_ago_it_was(ago: timedelta, text: str) -> None:
    told = moment(START - ago, now=START)

    assert told.text == text


def test_exact_time_is_there_whatever_is_told() -> None:
    told = moment(START, now=START)

    assert (told.exact, told.iso) == ("2026-09-09 12:00:00 UTC", "2026-09-09T12:00:00+00:00")
