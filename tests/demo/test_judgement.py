"""A second judge, who saw neither targets nor notes, judged 40 of the scored questions."""

import json
from pathlib import Path
from typing import Any

import pytest

from evenhand.core.retrieval.golden import GoldenSet
from tools.agreement import kappa, read_answers

FOLDER = Path(__file__).with_name("judgement")
#: Asked otherwise since: a document of some versions only answered it too.
CHANGED_SINCE = {"q066"}


@pytest.fixture(scope="module")
def judged() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((FOLDER / "questions.json").read_text("utf-8"))
    return read


def test_forty_questions_were_judged_with_and_without_an_answer(judged: dict[str, Any]) -> None:
    empty = [one for one, question in judged.items() if not question["targets"]]
    assert (len(judged), len(empty)) == (40, 12)
    assert read_answers(FOLDER).keys() == judged.keys()


def test_every_target_was_shown_among_others(judged: dict[str, Any]) -> None:
    for one, question in judged.items():
        assert set(question["targets"]) < set(question["shown"]), one
        assert len(question["shown"]) >= 5, one


def test_labels_and_second_judgement_agree(judged: dict[str, Any]) -> None:
    answers = read_answers(FOLDER)
    pairs = [
        (document in question["targets"], document in answers[one])
        for one, question in judged.items()
        for document in question["shown"]
    ]
    assert len(pairs) == 357
    assert sum(label != second for label, second in pairs) == 1
    assert kappa(pairs) == pytest.approx(0.988, abs=5e-4)


def test_questions_are_still_the_ones_that_were_judged(
    judged: dict[str, Any], scored: GoldenSet
) -> None:
    now = {one.id.decode(): one for one in scored.questions}
    changed = {
        one
        for one, question in judged.items()
        if now[one].question.decode() != question["question"]
        or [target.decode() for target in now[one].expected_document_ids] != question["targets"]
    }
    assert changed == CHANGED_SINCE


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([(True, True), (False, False)], 1.0),
        ([(True, False), (False, True)], -1.0),
        ([(True, True), (True, False), (False, True), (False, False)], 0.0),
        # 20 both yes, 5 and 10 one-sided, 15 both no: 0.7 observed, 0.5 by chance.
        (
            [(True, True)] * 20
            + [(True, False)] * 5
            + [(False, True)] * 10
            + [(False, False)] * 15,
            0.4,
        ),
        ([(False, False)] * 3, 1.0),
    ],
)
def test_kappa_is_agreement_beyond_chance(pairs: list[tuple[bool, bool]], value: float) -> None:
    assert kappa(pairs) == pytest.approx(value)
