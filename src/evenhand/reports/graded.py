"""How do graded values of an evaluation read? Means with what they cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from evenhand.core.scoring.graded import Score
from evenhand.core.scoring.measure_names import parse_measure
from evenhand.reports import numbers
from evenhand.reports.view import GradedView

#: What the means are over; the protocol and the depth stand in JSON.
GRADED: Final = (
    "Graded measures: means over questions with a relevant document, a failed question as 0"
)


def graded_views(scores: Sequence[Score]) -> tuple[GradedView, ...]:
    """One row a measure, in the order given."""
    return tuple(
        GradedView(
            name=score.value.measure,
            mean=numbers.decimal(Fraction(score.value.mean)),
            scope=_scope(score),
        )
        for score in scores
    )


def graded_lines(scores: Sequence[Score]) -> Iterator[str]:
    """The same as aligned lines."""
    views = graded_views(scores)
    names = max((len(one.name) for one in views), default=0)
    means = max((len(one.mean) for one in views), default=0)
    for one in views:
        yield f"{one.name:<{names}}  {one.mean:>{means}}  {one.scope}"


def shallow_measures(scores: Sequence[Score]) -> Iterator[str]:
    """That a measure looks further than results were asked for, where one does."""
    for score in scores:
        cutoff = parse_measure(score.value.measure).cutoff
        if cutoff is not None and cutoff > score.depth:
            yield (
                f"{score.value.measure} looks at {cutoff} documents, and "
                f"{numbers.count(score.depth, 'result')} were asked for each question."
            )


def _scope(score: Score) -> str:
    failed = f", {score.value.failed} of them failed" if score.value.failed else ""
    return f"over {numbers.count(score.value.questions, 'question')}{failed}"
