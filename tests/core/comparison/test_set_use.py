from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.comparison.set_use import SetUseCounts, SetUseKind
from evenhand.core.errors import Invalid
from tests.builders import a_set_use


@pytest.mark.parametrize("conclusion", ["pass", "fail", "incomparable", "a_b2", "x" * 64])
def test_a_conclusion_is_a_lowercase_word(conclusion: str) -> None:
    assert a_set_use(conclusion=conclusion).conclusion == conclusion


@pytest.mark.parametrize("conclusion", ["", "Pass", "two words", "2", "pass\n", "x" * 65, "é"])
def test_a_sentence_is_no_conclusion(conclusion: str) -> None:
    with pytest.raises(Invalid):
        a_set_use(conclusion=conclusion)


@pytest.mark.parametrize("labels", ["", "v1:x", "0" * 64, "v1:" + "A" * 64])
def test_an_entry_needs_a_fingerprint_of_labels(labels: str) -> None:
    changed: dict[str, Any] = {"labels_fingerprint": labels}
    with pytest.raises(Invalid):
        replace(a_set_use(), **changed)


def test_counts_add_up_over_kinds() -> None:
    counts = SetUseCounts(by_kind={SetUseKind.GATE: 2, SetUseKind.AB: 1})
    assert (counts.total, counts.of(SetUseKind.GATE), counts.of(SetUseKind.HOLDOUT)) == (3, 2, 0)
    assert SetUseCounts(by_kind={}).total == 0
