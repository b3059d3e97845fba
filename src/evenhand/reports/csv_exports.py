"""Which columns has a CSV export? Questions of an evaluation, flips of a comparison, answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from evenhand.contracts.trusted import TrustedAnswer
from evenhand.core.comparison.cases import Flip, Placing, judged_questions
from evenhand.core.comparison.comparison import Comparison
from evenhand.core.retrieval.golden import GoldenQuestion, GoldenSet
from evenhand.core.scoring.outcome import Outcome, OutcomeState
from evenhand.reports.csv_table import Cell

#: What is known of a question where its set is at hand.
NAMES: Final = ("question_id", "question", "form", "hard_class")
_MEASURED: Final = (
    "position",
    "state",
    "targets",
    "retrieved",
    "first_target_rank",
    "hit_at_1",
    "hit_at_3",
    "latency_ms",
    "error_class",
)
_FLIPPED: Final = (
    "position",
    "change",
    "answerable",
    "current_first_target_rank",
    "current_error_class",
    "candidate_first_target_rank",
    "candidate_error_class",
)
_NONE: Final = "none"


def question_header(golden_set: GoldenSet | None) -> tuple[str, ...]:
    """The columns of :func:`question_rows`."""
    return _MEASURED if golden_set is None else (*_MEASURED, *NAMES)


def question_rows(
    outcomes: Iterable[Outcome], golden_set: GoldenSet | None
) -> Iterator[tuple[Cell, ...]]:
    """One row a question, in order of position.

    Args:
        outcomes: of one evaluation, in order of position.
        golden_set: with the very labels that it was scored with; None where it is not at hand.
    """
    questions = None if golden_set is None else golden_set.by_position
    for outcome in outcomes:
        names = () if questions is None else _names(questions[outcome.position])
        yield (*_measured(outcome), *names)


def flip_header(golden_set: GoldenSet | None) -> tuple[str, ...]:
    """The columns of :func:`flip_rows`."""
    return _FLIPPED if golden_set is None else (*_FLIPPED, *NAMES)


def flip_rows(comparison: Comparison, golden_set: GoldenSet | None) -> Iterator[tuple[Cell, ...]]:
    """One row a question that was won or lost at top 1, in byte order of the ids.

    Args:
        comparison: without ``comparable`` it has no flip.
        golden_set: with the labels of both sides; None where it is not at hand.
    """
    questions = None if golden_set is None else judged_questions(golden_set)
    for flip in comparison.flips:
        names = () if questions is None else _names(questions[flip.index])
        yield (*_flipped(flip), *names)


def answer_header(answer: TrustedAnswer) -> tuple[str, ...]:
    """The columns of :func:`answer_rows`: what makes a group, then its numbers."""
    stated = answer.question.stated
    return (
        "window_start",
        "window_end",
        *answer.question.columns,
        *(r.name for r in stated.rates),
    )


def answer_rows(answer: TrustedAnswer) -> Iterator[tuple[Cell, ...]]:
    """One row a group, in the answer's order; there is no total."""
    start, end = (one.isoformat() for one in (answer.window.start, answer.window.end))
    for group in answer.groups:
        yield (start, end, *_values(group.of), *_values(group.measures), *_values(group.rates))


def _values(of: Mapping[str, str | float | None]) -> Sequence[Cell]:
    return tuple(of.values())


def _measured(outcome: Outcome) -> tuple[Cell, ...]:
    # Nobody has looked for targets of an unjudged question, so nothing of it is a hit or a miss.
    is_judged = outcome.state is not OutcomeState.UNJUDGED
    return (
        outcome.position,
        outcome.state.value,
        outcome.targets,
        _known_or_none(outcome.retrieved, outcome),
        _NONE if outcome.target_rank is None else outcome.target_rank,
        outcome.is_hit(1) if is_judged else None,
        outcome.is_hit(3) if is_judged else None,
        _known_or_none(outcome.latency_ms, outcome),
        outcome.error_class or _NONE,
    )


def _known_or_none(value: int | None, outcome: Outcome) -> Cell:
    # A failed question has none; of another it was not measured.
    return _NONE if value is None and outcome.error_class is not None else value


def _flipped(flip: Flip) -> tuple[Cell, ...]:
    return (
        flip.position,
        "won" if flip.won else "lost",
        not flip.is_no_answer,
        *_placed(flip.current),
        *_placed(flip.candidate),
    )


def _placed(placing: Placing) -> tuple[Cell, Cell]:
    return _NONE if placing.rank is None else placing.rank, placing.error_class or _NONE


def _names(question: GoldenQuestion) -> tuple[Cell, ...]:
    held = question.hard_class
    return (
        question.id,
        question.question,
        question.form.value,
        _NONE if held is None else held,
    )
