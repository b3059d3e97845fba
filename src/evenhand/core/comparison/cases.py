"""Which questions are behind a difference, and in which groups of them does it lie?

Equal labels mean the same judged questions on both sides, in the same order. Unjudged ones are
in no labels digest: either side may have others, so they shift positions and are passed over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from evenhand.core.comparison.graded import graded_pair_difference
from evenhand.core.comparison.paired import PairedDifference
from evenhand.core.comparison.pairing import hit_differences
from evenhand.core.errors import Invalid
from evenhand.core.retrieval.golden import Form, GoldenQuestion, GoldenSet
from evenhand.core.scoring.measures import Measure
from evenhand.core.scoring.outcome import Outcome, OutcomeState

Pairs: TypeAlias = Sequence[tuple[Outcome, Outcome]]
"""Judged questions in byte order of their ids: the current side's outcome, the candidate's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """Where the first target of a question stood on one side.

    Attributes:
        rank: among the distinct documents, from 1; None where no target came back, where
            nothing answers the question, and where it failed.
        retrieved: distinct documents that came back; None where it failed.
        error_class: what failed, None otherwise.
    """

    rank: int | None
    retrieved: int | None
    error_class: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A question whose top-1 hit was won or lost between two comparable results.

    Attributes:
        index: among the judged questions in byte order of their ids, from 0; by it the golden
            set gives name and text.
        position: of the candidate's outcome.
        won: True when it is a hit for the candidate and was none.
        is_no_answer: nothing answers it, so a hit is that nothing came back.
        current, candidate: where the first target stood.
    """

    index: int
    position: int
    won: bool
    is_no_answer: bool
    current: Placing
    candidate: Placing

    @property
    def by_failure(self) -> bool:
        """Whether it flips only because a side failed, which counts as a miss."""
        return self.current.error_class is not None or self.candidate.error_class is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankMoves:
    """What became of the first target of the answerable questions that failed on neither side.

    Attributes:
        nearer: it stands at a smaller rank for the candidate, or comes back at all.
        further: it stands at a greater rank, or does not come back.
        equal: neither.
    """

    nearer: int
    further: int
    equal: int


class Group(StrEnum):
    """By what a split groups questions."""

    FORM = "form"
    HARD_CLASS = "hard_class"


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitDifference:
    """The primary measure within one group of questions; descriptive, no verdict is drawn.

    Attributes:
        group: by what is grouped.
        name: of the group, with escapes for bytes that are not UTF-8.
        difference: within the group.
    """

    group: Group
    name: str
    difference: PairedDifference


def pair_outcomes(current: Sequence[Outcome], candidate: Sequence[Outcome]) -> Pairs:
    """The judged questions of two results over equal labels, pair by pair.

    Raises:
        Invalid: outcomes that cannot be those of equal labels, such as an edited file has.
    """
    before, after = _judged(current), _judged(candidate)
    if [one.targets for one in before] != [one.targets for one in after]:
        raise Invalid("outcomes: the two sides state equal labels and have other questions")
    return list(zip(before, after, strict=True))


def flips_of(pairs: Pairs) -> tuple[Flip, ...]:
    """Questions whose top-1 hit changed, in byte order of their ids."""
    return tuple(
        Flip(
            index=index,
            position=after.position,
            won=after.is_hit(1),
            is_no_answer=after.is_no_answer,
            current=_placing(before),
            candidate=_placing(after),
        )
        for index, (before, after) in enumerate(pairs)
        if before.is_hit(1) != after.is_hit(1)
    )


def rank_moves(pairs: Pairs) -> RankMoves:
    """How often the first target came nearer, went further off, or stayed."""
    nearer = further = equal = 0
    for before, after in pairs:
        if not before.is_answerable or OutcomeState.FAILED in (before.state, after.state):
            continue
        was, is_now = before.target_rank, after.target_rank
        if was == is_now:
            equal += 1
        elif was is None or (is_now is not None and is_now < was):
            nearer += 1
        else:
            further += 1
    return RankMoves(nearer=nearer, further=further, equal=equal)


def ranks_of(pairs: Pairs) -> Counter[tuple[int | None, int | None]]:
    """How many questions stand where, by rank of the first target before and after.

    Of the questions that `rank_moves` counts; None where no target came back.
    """
    return Counter(
        (before.target_rank, after.target_rank)
        for before, after in pairs
        if before.is_answerable and OutcomeState.FAILED not in (before.state, after.state)
    )


def split_differences(
    golden_set: GoldenSet, pairs: Pairs, measure: str | Measure, *, alpha: float
) -> tuple[SplitDifference, ...]:
    """One measure by form, then by hard class; groups in which it occurs.

    Args:
        golden_set: the set whose labels both results state.
        pairs: as `pair_outcomes` gives them.
        measure: a rate of the hits protocol by its name, or a graded measure.
        alpha: significance level.

    Raises:
        ValueError: the set has not as many judged questions as there are pairs.
    """
    asked = list(zip(judged_questions(golden_set), pairs, strict=True))
    by_form = {
        form.value: [pair for question, pair in asked if question.form is form] for form in Form
    }
    # Grouped by bytes: two classes that are no UTF-8 may read alike and are still two (BP-01).
    classes = sorted({q.hard_class for q, _ in asked if q.hard_class is not None})
    groups = [(Group.FORM, name, members) for name, members in by_form.items()]
    groups += [
        (
            Group.HARD_CLASS,
            held.decode("utf-8", "backslashreplace"),
            [pair for question, pair in asked if question.hard_class == held],
        )
        for held in classes
    ]
    return tuple(
        SplitDifference(group=group, name=name, difference=difference)
        for group, name, members in groups
        for difference in _differences(members, measure, alpha)
        if difference.measure == str(measure)
    )


def judged_questions(golden_set: GoldenSet) -> tuple[GoldenQuestion, ...]:
    """The judged questions in byte order of their ids; a `Flip` names one by its index."""
    return tuple(question for question in golden_set.by_position if not question.unjudged)


def _differences(
    pairs: Pairs, measure: str | Measure, alpha: float
) -> tuple[PairedDifference, ...]:
    current, candidate = [before for before, _ in pairs], [after for _, after in pairs]
    if isinstance(measure, str):
        return hit_differences(current, candidate, alpha=alpha)
    found = graded_pair_difference(measure, current, candidate, alpha=alpha)
    return () if found is None else (found,)


def _judged(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.state is not OutcomeState.UNJUDGED]


def _placing(outcome: Outcome) -> Placing:
    return Placing(
        rank=outcome.target_rank,
        retrieved=outcome.retrieved,
        error_class=outcome.error_class,
    )
