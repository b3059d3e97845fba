"""At which score should a dense retriever answer at all? One rule, stated and repeatable.

The best score of each fitting question is at hand, and whether the corpus answers that question.
A threshold answers a question whose best score reaches it. The rule takes the threshold with the
best balanced accuracy: the mean of the share of answerable questions that are answered and the
share of the others that are not. Of equally good ones it takes the lowest.

Only thresholds halfway between two neighbouring scores are tried, and one below all of them: a
score that a machine rounds otherwise then still falls on the same side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

RULE: Final = (
    "halfway between two neighbouring scores, with the best mean of the share of answerable "
    "questions answered and the share of no-answer questions left alone; the lowest of equals"
)
#: Decimal places of a threshold; far more than a score tells, few enough to be read.
PLACES: Final = 4

_BELOW_ALL: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """A fitted threshold and how it does on the questions that fitted it.

    Attributes:
        value: lowest score that is an answer, rounded to `PLACES` places.
        answered: of ``answerable`` questions, how many reach it.
        answerable: fitting questions that the corpus answers.
        abstained: of ``unanswerable`` questions, how many stay below it.
        unanswerable: fitting questions that it does not answer.
    """

    value: float
    answered: int
    answerable: int
    abstained: int
    unanswerable: int

    @property
    def balanced_accuracy(self) -> Fraction:
        """Mean of both shares, in [0, 1]."""
        answered = Fraction(self.answered, self.answerable)
        return (answered + Fraction(self.abstained, self.unanswerable)) / 2


def fit_threshold(answerable: Sequence[float], unanswerable: Sequence[float]) -> Threshold:
    """The threshold that the rule of this module takes.

    Args:
        answerable: best scores of questions that the corpus answers, finite, at least one.
        unanswerable: best scores of questions that it does not answer, finite, at least one.

    Raises:
        ValueError: either is empty.
    """
    if not answerable or not unanswerable:
        raise ValueError("both kinds of question are needed to fit a threshold")
    scores = sorted({*answerable, *unanswerable})
    middles = ((low + high) / 2 for low, high in pairwise(scores))
    tried = (round(one, PLACES) for one in (scores[0] - _BELOW_ALL, *middles))
    # `max` keeps the first of equals, and the thresholds ascend.
    return max(
        (_judge(value, answerable, unanswerable) for value in tried),
        key=lambda one: one.balanced_accuracy,
    )


def _judge(value: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Threshold:
    return Threshold(
        value=value,
        answered=sum(score >= value for score in answerable),
        answerable=len(answerable),
        abstained=sum(score < value for score in unanswerable),
        unanswerable=len(unanswerable),
    )
