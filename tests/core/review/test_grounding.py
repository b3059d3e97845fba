"""Which claims of an answer stand in its passages, by rules; and what the rules do not see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidValue
from evenhand.core.review.grounding import ClaimState, Grounding, Rules, judge_grounding

TOWER = (
    "The tower of Northam is 120 m high. It was designed by Maria Keller. It was not open to"
    " visitors before 1889."
)
PASSAGES = (TOWER, "Tickets cost 4.50 euros. Children under twelve pay nothing.")
QUESTION = "What do I need to know about the tower?"


def states(answer: str, *passages: str) -> list[ClaimState]:
    judgement = judge_grounding(QUESTION, answer, passages or PASSAGES, Rules())
    return [claim.state for claim in judgement.claims]


def verdict(answer: str, *passages: str) -> Grounding:
    return judge_grounding(QUESTION, answer, passages or PASSAGES, Rules()).verdict


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("The tower is 120 m high.", ClaimState.SUPPORTED),
        ("The tower of Northam was designed by Maria Keller.", ClaimState.SUPPORTED),
        ("It was not open to visitors before 1889.", ClaimState.SUPPORTED),
        ("Tickets cost 4,50 euros.", ClaimState.SUPPORTED),
        ("Children under 12 pay nothing.", ClaimState.SUPPORTED),
        ("The tower is 121 m high.", ClaimState.NUMBER_MISSING),
        ("Tickets cost 450 euros.", ClaimState.NUMBER_MISSING),
        ("The tower of Southam is 120 m high.", ClaimState.NAME_MISSING),
        ("The tower was not designed by Maria Keller.", ClaimState.POLARITY_DIFFERS),
        ("It was open to visitors before 1889.", ClaimState.POLARITY_DIFFERS),
        ("Its restaurant serves delicious regional dishes.", ClaimState.WORDS_MISSING),
        ("Would you like to buy tickets?", ClaimState.NOT_CHECKABLE),
    ],
)
def test_each_claim_is_held_against_the_passages(answer: str, state: ClaimState) -> None:
    assert states(answer) == [state]


def test_words_that_are_shared_never_outweigh_a_number_that_is_nowhere() -> None:
    copied = PASSAGES[0].replace("120", "210")
    assert verdict(PASSAGES[0]) is Grounding.GROUNDED
    assert verdict(copied) is Grounding.NOT_GROUNDED


def test_one_claim_that_is_not_found_is_enough_and_is_named() -> None:
    answer = "The tower is 120 m high. Tickets cost 9 euros. Children pay nothing."
    judgement = judge_grounding(QUESTION, answer, PASSAGES, Rules())
    assert judgement.verdict is Grounding.NOT_GROUNDED
    assert [one.position for one in judgement.claims if one.state.is_fault] == [2]
    assert [one.passages for one in judgement.claims] == [(1,), (2,), (2,)]


def test_an_answer_without_a_claim_cannot_be_judged() -> None:
    assert verdict("") is Grounding.CANNOT_BE_JUDGED
    assert verdict("What do you mean?") is Grounding.CANNOT_BE_JUDGED


def test_a_single_word_is_a_claim_where_it_is_the_answer() -> None:
    assert verdict("Northam") is Grounding.GROUNDED
    assert verdict("Paris") is Grounding.NOT_GROUNDED


def test_nothing_is_grounded_without_passages() -> None:
    judgement = judge_grounding("Who?", "Maria Keller designed it.", (), Rules())
    assert judgement.verdict is Grounding.NOT_GROUNDED


def test_what_the_question_says_is_taken_as_given() -> None:
    question = "Is the 1925 annexe of Northam open?"
    judged = judge_grounding(
        question, "The 1925 annexe is not open.", ("The annexe is not open.",), Rules()
    )
    assert judged.verdict is Grounding.GROUNDED


def test_scripts_without_blanks_are_compared_in_pairs_of_letters() -> None:
    passage = "黑豹队的防守丢了308分,在联赛中排名第六。"
    assert verdict("黑豹队的防守丢了308分。", passage) is Grounding.GROUNDED
    assert verdict("黑豹队的防守丢了309分。", passage) is Grounding.NOT_GROUNDED
    assert verdict("这座塔是由玛丽亚设计的。", passage) is Grounding.NOT_GROUNDED


def test_two_names_that_changed_places_are_not_seen() -> None:
    # Stated in the module and in the docs, so that nobody believes otherwise.
    assert verdict("Ann met Bob in Rome.", "Bob met Ann in Rome.") is Grounding.GROUNDED


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_judged_the_same_each_time(
    question: str, answer: str, passages: list[str]
) -> None:
    first = judge_grounding(question, answer, passages, Rules())
    assert judge_grounding(question, answer, passages, Rules()) == first
    assert all(1 <= place <= len(passages) for one in first.claims for place in one.passages)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3))
def test_the_order_of_passages_changes_no_state(passages: list[str]) -> None:
    answer = " ".join(passages)
    there = judge_grounding("", answer, passages, Rules())
    back = judge_grounding("", answer, passages[::-1], Rules())
    assert there.verdict is back.verdict


@pytest.mark.parametrize(
    "wrong",
    [{"least_covered_percent": 101}, {"polarity_covered_percent": -1}, {"polarity_window": 0}],
)
def test_rules_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidValue):
        Rules(**wrong)


def test_rules_are_told_apart_by_their_text() -> None:
    assert Rules().text != Rules(least_covered_percent=61).text
