"""Several retrievers in one go: who is asked what, and in which order."""

from collections.abc import Sequence

import pytest

from evenhand.core.errors.evaluation import EvaluationFailed
from evenhand.core.scoring.evaluation import Basis, Evaluation
from evenhand.usecases.evaluate import EvaluateOptions, evaluate, evaluate_together
from tests.builders import MACHINE, FakeClock, a_question, a_set

SIX = a_set(*(a_question(f"q{number}", f"d{number}") for number in range(6)))


class Diarist:
    """Writes into a diary that several share."""

    def __init__(self, identifier: str, diary: list[str]) -> None:
        self.identifier = identifier
        self._diary = diary

    def retrieve(self, question: str, limit: int) -> list[str]:
        del limit
        self._diary.append(f"{self.identifier}{question[1:]}")
        return [f"d{question[1:]}"]


class BatchDiarist(Diarist):
    """Takes several questions a call."""

    def retrieve_many(self, questions: Sequence[str], limit: int) -> list[list[str]]:
        return [self.retrieve(question, limit) for question in questions]


def together(
    *retrievers: Diarist, options: EvaluateOptions | None = None
) -> tuple[Evaluation, ...]:
    return evaluate_together(
        SIX,
        [(retriever, Basis.LOCAL) for retriever in retrievers],
        clock=FakeClock(),
        machine=MACHINE,
        options=options,
    )


def test_questions_alternate_and_so_does_who_goes_first() -> None:
    diary: list[str] = []
    together(Diarist("a", diary), Diarist("b", diary))
    assert diary == ["a0", "b0", "b1", "a1", "a2", "b2", "b3", "a3", "a4", "b4", "b5", "a5"]


def test_three_take_turns_at_going_first() -> None:
    diary: list[str] = []
    together(*(Diarist(name, diary) for name in "abc"))
    assert diary[:9] == ["a0", "b0", "c0", "b1", "c1", "a1", "c2", "a2", "b2"]


def test_batches_alternate_as_a_whole() -> None:
    diary: list[str] = []
    results = together(
        BatchDiarist("a", diary), BatchDiarist("b", diary), options=EvaluateOptions(batch=4)
    )
    assert diary == ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3", "b4", "b5", "a4", "a5"]
    assert [one.conditions.batch for one in results] == [4, 4]


def test_with_several_jobs_each_turn_is_as_many_questions() -> None:
    diary: list[str] = []
    together(Diarist("a", diary), Diarist("b", diary), options=EvaluateOptions(jobs=2))
    turns = [diary[start : start + 2] for start in range(0, 12, 2)]
    assert [sorted(turn) for turn in turns] == [
        ["a0", "a1"],
        ["b0", "b1"],
        ["b2", "b3"],
        ["a2", "a3"],
        ["a4", "a5"],
        ["b4", "b5"],
    ]


def test_each_result_is_the_one_that_an_evaluation_alone_gives() -> None:
    results = together(Diarist("a", []), Diarist("b", []))
    assert [one.retriever for one in results] == ["a", "b"]
    alone = evaluate(SIX, Diarist("a", []), clock=FakeClock(), machine=MACHINE)
    assert (results[0].outcomes, results[0].counts) == (alone.outcomes, alone.counts)


def test_a_strict_failure_of_one_ends_both() -> None:
    class Broken(Diarist):
        def retrieve(self, question: str, limit: int) -> list[str]:
            raise TimeoutError

    with pytest.raises(EvaluationFailed):
        together(Diarist("a", []), Broken("b", []), options=EvaluateOptions(strict=True))
