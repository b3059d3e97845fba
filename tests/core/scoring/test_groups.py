"""Means by class: both overall means, each under its name."""

import pytest

from evenhand.core.scoring.groups import GroupMean, grouped_means


def test_the_mean_over_questions_and_that_over_classes_differ_and_are_named() -> None:
    found = grouped_means([0.0, 1.0, 1.0, 1.0], ["hard", "easy", "easy", "easy"])
    assert found.groups == (
        GroupMean(name="easy", questions=3, mean=1.0),
        GroupMean(name="hard", questions=1, mean=0.0),
    )
    assert found.over_questions == 0.75
    assert found.over_classes == 0.5


def test_a_question_without_a_class_counts_over_questions_only() -> None:
    found = grouped_means([0.5, 1.0], ["easy", None])
    assert found.over_questions == 0.75
    assert found.over_classes == 0.5


def test_without_questions_there_is_no_mean() -> None:
    found = grouped_means([], [])
    assert (found.groups, found.over_questions, found.over_classes) == ((), None, None)


def test_without_classes_there_is_no_mean_over_them() -> None:
    assert grouped_means([0.5], [None]).over_classes is None


def test_as_many_values_as_classes_are_needed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        grouped_means([0.5, 0.5], ["easy"])
