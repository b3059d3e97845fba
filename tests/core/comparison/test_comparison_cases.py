"""Which questions flip, where their first target stood, and in which groups they lie."""

from dataclasses import replace

from evenhand.core.comparison.cases import (
    Group,
    Placing,
    RankMoves,
    judged_questions,
    pair_outcomes,
    ranks_of,
)
from tests.builders import a_question, a_set
from tests.core.comparison.pairs import FORTY, a_result, answers, compared


def test_flips_name_question_and_rank_of_the_first_target_on_both_sides() -> None:
    comparison = compared(
        a_result(answers(missed=[3], second=[5])), a_result(answers(second=[9], noisy=[0]))
    )
    named = {
        judged_questions(FORTY)[flip.index].id: (flip.won, flip.current.rank, flip.candidate.rank)
        for flip in comparison.flips
    }
    assert named == {
        b"q03": (True, None, 1),
        b"q05": (True, 2, 1),
        b"q09": (False, 1, 2),
        b"r0": (False, None, None),
    }
    assert [flip.is_no_answer for flip in comparison.lost] == [False, True]
    assert len(comparison.won) == 2


def test_a_flip_by_a_failed_question_says_what_failed() -> None:
    (flip,) = compared(a_result(), a_result(answers(failed=[4]))).flips
    assert flip.by_failure
    assert flip.candidate == Placing(rank=None, retrieved=None, error_class="TimeoutError")


def test_unjudged_questions_of_one_side_only_shift_positions_and_no_name() -> None:
    more = replace(FORTY, questions=(a_question("a-new-one", unjudged=True), *FORTY.questions))
    current, candidate = a_result(answers(missed=[3])), a_result(golden_set=more)
    (flip,) = compared(current, candidate).flips
    assert (flip.index, flip.position) == (3, 4)
    assert judged_questions(FORTY)[flip.index].id == judged_questions(more)[flip.index].id


def test_ranks_are_counted_over_answerable_questions_that_did_not_fail() -> None:
    comparison = compared(
        a_result(answers(missed=[1], second=[2], failed=[3])),
        a_result(answers(missed=[4, 5], failed=[6])),
    )
    assert comparison.rank_moves == RankMoves(nearer=2, further=2, equal=34)
    current, candidate = comparison.current.outcomes, comparison.candidate.outcomes
    assert current is not None
    assert candidate is not None
    assert ranks_of(pair_outcomes(current, candidate)) == {
        (1, 1): 34,
        (None, 1): 1,
        (2, 1): 1,
        (1, None): 2,
    }


def test_splits_are_by_form_then_by_class_and_add_up() -> None:
    comparison = compared(a_result(answers(range(8))), a_result())
    rows = [(one.group, one.name, one.difference.questions) for one in comparison.splits]
    assert rows == [
        (Group.FORM, "match", 30),
        (Group.FORM, "gap", 10),
        (Group.HARD_CLASS, "normal", 20),
    ]
    assert sum(one.difference.point.wins for one in comparison.splits[:2]) == 8
    assert {one.difference.measure for one in comparison.splits} == {"Success@1"}


def test_a_set_with_other_labels_gives_no_split() -> None:
    other = a_set(*FORTY.questions[1:], identifier="forty")
    assert compared(a_result(), a_result(), golden_set=other).splits == ()
    assert compared(a_result(), a_result(), golden_set=None).splits == ()
