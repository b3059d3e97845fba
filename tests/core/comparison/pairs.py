"""Pairs of results over one golden set, for what is said about two sides."""

from collections.abc import Iterable
from typing import Any

from evenhand.core.comparison.comparison import Comparison, compare_sides
from evenhand.core.comparison.side import Side, fresh_side
from evenhand.core.retrieval.golden import Form, GoldenSet
from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import Given, a_provenance, a_question, a_record, a_set, an_evaluation

#: Forty answerable questions and four that nothing answers.
FORTY = a_set(
    *(
        a_question(
            f"q{number:02}",
            f"d{number:02}",
            form=Form.GAP if number % 4 == 0 else Form.MATCH,
            hard_class="normal" if number % 2 else None,
            critical=number == 7,
        )
        for number in range(40)
    ),
    *(a_question(f"r{number}") for number in range(4)),
    identifier="forty",
)
ANSWERABLE = [f"q{number:02}" for number in range(40)]


def answers(
    missed: Iterable[int] = (),
    *,
    failed: Iterable[int] = (),
    second: Iterable[int] = (),
    noisy: Iterable[int] = (),
) -> dict[str, Given]:
    """Answers in which every question is a hit but for those named by number.

    Args:
        missed: the target does not come back.
        failed: the retrieval raises.
        second: the target is at rank 2.
        noisy: of the questions that nothing answers, those for which something comes back.
    """
    given: dict[str, Given] = {name: [f"d{name[1:]}", "x1", "x2"] for name in ANSWERABLE}
    given |= {f"q{number:02}": ["x1", "x2"] for number in missed}
    given |= {f"q{number:02}": ["x1", f"d{number:02}", "x2"] for number in second}
    given |= {f"q{number:02}": TimeoutError() for number in failed}
    given |= {f"r{number}": ["x1"] for number in noisy}
    return given


def a_result(
    given: dict[str, Given] | None = None,
    *,
    golden_set: GoldenSet = FORTY,
    identifier: str = "fake",
    depth: int = 12,
    **labels: Any,
) -> Evaluation:
    """The evaluation of a retriever that declares what it runs; labels may be given."""
    return an_evaluation(
        golden_set,
        answers() if given is None else given,
        provenance=a_provenance(**labels),
        identifier=identifier,
        depth=depth,
    )


def a_side(evaluation: Evaluation, number: int | None = None) -> Side:
    """A fresh side, stored as row *number* where one is given."""
    return fresh_side(evaluation, None if number is None else a_record(evaluation, number=number))


def compared(
    current: Evaluation, candidate: Evaluation, *, golden_set: GoldenSet | None = FORTY, **how: Any
) -> Comparison:
    """Two stored evaluations, compared."""
    return compare_sides(a_side(current, 1), a_side(candidate, 2), golden_set=golden_set, **how)


#: What makes two results not comparable: what the current side has, what the candidate has.
REFUSED: dict[str, tuple[Evaluation, Evaluation]] = {
    "another corpus": (a_result(answers(range(20))), a_result(corpus="corpus-2")),
    "other labels": (
        a_result(answers(range(20))),
        a_result(golden_set=a_set(*FORTY.questions[1:], identifier="forty")),
    ),
    "current unknown": (an_evaluation(FORTY, answers(range(20))), a_result()),
    "candidate unknown": (a_result(answers(range(20))), an_evaluation(FORTY, answers())),
    "both unknown": (
        an_evaluation(FORTY, answers(range(20))),
        an_evaluation(FORTY, answers()),
    ),
}
