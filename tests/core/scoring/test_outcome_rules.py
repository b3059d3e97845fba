from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.outcome_rules import BrokenRule, find_broken_rule
from tests.builders import a_question, a_set, an_evaluation

SCORED = Outcome(
    position=0,
    state=OutcomeState.SCORED,
    targets=2,
    retrieved=5,
    window=4,
    judged_hits=(JudgedHit(1, 1), JudgedHit(3, 1)),
    latency_ms=7,
)
FAILED = Outcome(
    position=0,
    state=OutcomeState.FAILED,
    targets=1,
    retrieved=None,
    window=None,
    error_class="ValueError",
)
UNJUDGED = Outcome(
    position=0, state=OutcomeState.UNJUDGED, targets=None, retrieved=1, window=1, latency_ms=0
)


@pytest.mark.parametrize("sound", [SCORED, FAILED, UNJUDGED], ids=lambda one: one.state)
def test_a_sound_outcome_breaks_no_rule(sound: Outcome) -> None:
    assert find_broken_rule((sound,)) is None


def test_an_unjudged_question_may_have_failed() -> None:
    assert find_broken_rule((replace(FAILED, state=OutcomeState.UNJUDGED, targets=None),)) is None


def test_hits_of_grade_zero_and_below_are_no_targets() -> None:
    graded = replace(SCORED, targets=0, judged_hits=(JudgedHit(1, 0), JudgedHit(2, -1)))
    assert find_broken_rule((graded,)) is None


def test_outcomes_of_an_evaluation_break_no_rule() -> None:
    given: dict[str, Any] = {
        "q1": [f"x{n}" for n in range(30)] + ["d1"],
        "q2": ValueError(),
        "q3": ["d3", "d3", "", "d4"],
        "q4": KeyError(),
    }
    questions = a_set(
        a_question("q1", "d1"),
        a_question("q2"),
        a_question("q3", "d3", "d4"),
        a_question("q4", unjudged=True),
        a_question("q5", unjudged=True),
        a_question("q6"),
    )
    evaluation = an_evaluation(questions, given, depth=40)
    assert find_broken_rule(evaluation.outcomes) is None


@pytest.mark.parametrize(
    ("sound", "changed", "rule"),
    [
        (SCORED, {"position": 1}, "positions"),
        (SCORED, {"targets": None}, "unjudged"),
        (UNJUDGED, {"targets": 1}, "unjudged"),
        (SCORED, {"error_class": "E"}, "scored question"),
        (FAILED, {"retrieved": 1}, "neither results"),
        (FAILED, {"window": 0}, "neither results"),
        (FAILED, {"latency_ms": 1}, "neither results"),
        (FAILED, {"judged_hits": (JudgedHit(1, 1),)}, "neither results"),
        (FAILED, {"error_class": None}, "error class"),
        (SCORED, {"retrieved": None}, "number of its results"),
        (SCORED, {"window": None}, "number of its results"),
        (SCORED, {"window": 6}, "window"),
        (SCORED, {"retrieved": 99, "window": 13}, "window"),
        (SCORED, {"judged_hits": (JudgedHit(3, 1), JudgedHit(1, 1))}, "rise"),
        (SCORED, {"judged_hits": (JudgedHit(1, 1), JudgedHit(1, 1))}, "rise"),
        (SCORED, {"judged_hits": (JudgedHit(0, 1),)}, "among"),
        (SCORED, {"judged_hits": (JudgedHit(6, 1),)}, "among"),
        (SCORED, {"targets": 1}, "more targets"),
        (UNJUDGED, {"judged_hits": (JudgedHit(1, 1),)}, "more targets"),
    ],
)
def test_what_no_evaluation_gives_breaks_a_rule(
    sound: Outcome, changed: dict[str, Any], rule: str
) -> None:
    broken = find_broken_rule((replace(sound, **changed),))
    assert broken is not None
    assert rule in broken.rule


def test_the_first_broken_outcome_is_named_by_its_place() -> None:
    outcomes = (SCORED, replace(SCORED, position=1, window=9), replace(SCORED, position=7))
    broken = find_broken_rule(outcomes)
    assert broken == BrokenRule(1, "the protocol's window holds no more than was retrieved")
