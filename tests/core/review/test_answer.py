"""A reviewed answer belongs to one case of one run, which is named in one way."""

from typing import Any

import pytest

from evenhand.core.errors import InvalidValue
from evenhand.core.review.answer import AnswerPlace


def a_place(**stated: Any) -> AnswerPlace:
    values: dict[str, Any] = {
        "evaluation_id": None,
        "publication_key": "K1",
        "suite_revision_id": None,
        "case_id": None,
        "position": 0,
        "prompt_version": None,
        "awaits_acceptance": False,
    }
    return AnswerPlace(**values | stated)


def test_a_case_is_told_by_its_suite_or_by_its_position() -> None:
    assert a_place(position=7).case == "position:7"
    assert a_place(suite_revision_id="s", case_id="c", position=7).case == "c"


@pytest.mark.proves("E-40", "G-68")
@pytest.mark.parametrize(
    "stated",
    [
        {"evaluation_id": "e"},
        {"publication_key": None},
        {"case_id": "c"},
        {"suite_revision_id": "s"},
        {"position": -1},
        {"position": 2**31},
        {"prompt_version": ""},
        {"prompt_version": "You are a judge."},
        {"prompt_version": "https://prompts/7"},
        {"prompt_version": "v7\n"},
    ],
    ids=str,
)
def test_another_place_is_refused(stated: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        a_place(**stated)
