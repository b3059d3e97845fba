"""The one value that carries comparability: it cannot say no without a reason."""

import pytest

from evenhand.core.verdict import Dimension, Reason, ReasonCode, Verdict, VerdictState

A_REASON = Reason(code=ReasonCode.CORPUS_CHANGED, dimension=Dimension.CORPUS)
NOT_COMPARABLE = [state for state in VerdictState if state is not VerdictState.COMPARABLE]


def test_comparable_needs_no_reason() -> None:
    assert Verdict(state=VerdictState.COMPARABLE).is_comparable


def test_comparable_with_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="comparable"):
        Verdict(state=VerdictState.COMPARABLE, reasons=(A_REASON,))


@pytest.mark.parametrize("state", NOT_COMPARABLE)
def test_every_other_state_needs_a_reason(state: VerdictState) -> None:
    with pytest.raises(ValueError, match=state.value):
        Verdict(state=state)
    assert not Verdict(state=state, reasons=(A_REASON,)).is_comparable


def test_the_states_and_dimensions_have_stable_names() -> None:
    assert [state.value for state in VerdictState] == [
        "comparable",
        "baseline",
        "unknown",
        "mismatch",
    ]
    assert [dimension.value for dimension in Dimension] == [
        "corpus",
        "labels",
        "scoring",
        "provenance",
        "configuration",
        "prompt",
        "cohort",
        "practice",
    ]
