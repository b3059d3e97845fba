"""What is the mean of a measure in each class of questions, and over all of them?

Two overall means exist and differ: over questions, where a large class weighs more, and over
classes, where each weighs the same. Both carry their name; the first is the default everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """The mean of one class.

    Attributes:
        name: of the class.
        questions: how many it has, at least 1.
        mean: over them.
    """

    name: str
    questions: int
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedMeans:
    """Means by class, and both overall means.

    Attributes:
        groups: the classes that occur, by name.
        over_questions: mean over all questions, those without a class too; None without any.
        over_classes: mean of the classes' means; None without any class.
    """

    groups: tuple[GroupMean, ...]
    over_questions: float | None
    over_classes: float | None


def grouped_means(values: Sequence[float], classes: Sequence[str | None]) -> GroupedMeans:
    """Means of a measure by class of question.

    Args:
        values: one per question.
        classes: of the questions, in the same order; None for one without a class.

    Raises:
        ValueError: not as many values as classes.
    """
    members: dict[str, list[float]] = {}
    for value, name in zip(values, classes, strict=True):
        if name is not None:
            members.setdefault(name, []).append(value)
    groups = tuple(
        GroupMean(name=name, questions=len(members[name]), mean=_mean(members[name]))
        for name in sorted(members)
    )
    return GroupedMeans(
        groups=groups,
        over_questions=_mean(values) if values else None,
        over_classes=_mean([group.mean for group in groups]) if groups else None,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
