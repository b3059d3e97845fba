"""May a result be compared with the one before it? States, and the dimensions that moved."""

from itertools import pairwise, product

import pytest

from evenhand.core.comparison.baseline import baseline_state, baseline_verdict
from evenhand.core.identity.provenance import build_fingerprints
from evenhand.core.identity.stored import StoredIdentity
from evenhand.core.verdict import Dimension, ReasonCode, VerdictState
from tests.builders import a_provenance

COMPARABLE, BASELINE, UNKNOWN, MISMATCH = (
    VerdictState.COMPARABLE,
    VerdictState.BASELINE,
    VerdictState.UNKNOWN,
    VerdictState.MISMATCH,
)
LABELS = "v1:" + "a" * 64
OTHER_LABELS = "v1:" + "b" * 64


def identity(
    *, labels: str = LABELS, scoring: str = "scoring-v1", **provenance: str | None
) -> StoredIdentity:
    declared = a_provenance(**provenance)  # type: ignore[arg-type]
    return StoredIdentity(
        provenance=declared, fingerprints=build_fingerprints(declared, labels, scoring)
    )


@pytest.mark.proves("BP-22")
@pytest.mark.parametrize(
    ("current", "previous", "has_previous", "state"),
    [
        (None, None, False, UNKNOWN),
        (None, None, True, UNKNOWN),
        (None, "a", True, UNKNOWN),
        ("a", None, False, BASELINE),
        ("a", None, True, UNKNOWN),
        ("a", "a", True, COMPARABLE),
        ("a", "b", True, MISMATCH),
    ],
)
def test_state_of_a_result_against_the_one_before(
    current: str | None, previous: str | None, has_previous: bool, state: VerdictState
) -> None:
    assert baseline_state(current, previous, has_previous=has_previous) is state


@pytest.mark.proves("P-08", "G-09")
def test_two_unknowns_are_never_equal() -> None:
    verdict = baseline_verdict(None, None, has_previous=True)
    assert verdict.state is UNKNOWN
    assert [reason.code for reason in verdict.reasons] == [
        ReasonCode.CURRENT_UNKNOWN,
        ReasonCode.PREVIOUS_UNKNOWN,
    ]
    assert {reason.dimension for reason in verdict.reasons} == {Dimension.PROVENANCE}


MOVES: dict[str, tuple[dict[str, str | None], ReasonCode | None, Dimension | None]] = {
    "corpus": ({"corpus": "corpus-2"}, ReasonCode.CORPUS_CHANGED, Dimension.CORPUS),
    "labels": ({"labels": OTHER_LABELS}, ReasonCode.LABELS_CHANGED, Dimension.LABELS),
    "scoring": ({"scoring": "scoring-v2"}, ReasonCode.SCORING_CHANGED, Dimension.SCORING),
    "model": ({"model": "model-2"}, None, None),
    "chunking": ({"chunking": "not-applicable"}, None, None),
    "pipeline": ({"pipeline": "pipeline-2"}, None, None),
    "execution": ({"execution": "commit-2"}, None, None),
}


@pytest.mark.proves("P-34", "P-42", "P-43", "P-44")
@pytest.mark.parametrize("moved", MOVES)
def test_what_moved_is_the_reason(moved: str) -> None:
    changes, code, dimension = MOVES[moved]
    verdict = baseline_verdict(identity(**changes), identity(), has_previous=True)  # type: ignore[arg-type]
    if code is None:
        assert verdict.state is COMPARABLE
        return
    assert verdict.state is MISMATCH
    assert [(reason.code, reason.dimension) for reason in verdict.reasons] == [(code, dimension)]


def test_a_reason_shows_both_sides_of_what_moved() -> None:
    (reason,) = baseline_verdict(
        identity(corpus="corpus-2"), identity(), has_previous=True
    ).reasons
    assert (reason.current, reason.previous) == ("corpus-2", "corpus-1")
    (reason,) = baseline_verdict(
        identity(labels=OTHER_LABELS), identity(), has_previous=True
    ).reasons
    assert (reason.current, reason.previous) == (OTHER_LABELS, LABELS)


def test_every_dimension_that_moved_is_named() -> None:
    moved = identity(corpus="corpus-2", labels=OTHER_LABELS, scoring="scoring-v2")
    verdict = baseline_verdict(moved, identity(), has_previous=True)
    assert [reason.dimension for reason in verdict.reasons] == [
        Dimension.CORPUS,
        Dimension.LABELS,
        Dimension.SCORING,
    ]


@pytest.mark.proves("P-42", "P-44")
def test_the_variant_fingerprint_covers_model_chunking_and_pipeline_and_nothing_else() -> None:
    def variant(changes: dict[str, str | None]) -> str | None:
        return identity(**changes).fingerprints.variant  # type: ignore[arg-type]

    changed = {name for name, (changes, *_) in MOVES.items() if variant(changes) != variant({})}
    assert changed == {"model", "chunking", "pipeline"}


@pytest.mark.parametrize(
    ("current", "previous", "has_previous", "codes"),
    [
        (False, False, False, [ReasonCode.CURRENT_UNKNOWN]),
        (False, True, True, [ReasonCode.CURRENT_UNKNOWN]),
        (True, False, True, [ReasonCode.PREVIOUS_UNKNOWN]),
        (True, False, False, [ReasonCode.NO_PREVIOUS]),
    ],
)
def test_what_is_missing_is_the_reason(
    current: bool, previous: bool, has_previous: bool, codes: list[ReasonCode]
) -> None:
    verdict = baseline_verdict(
        identity() if current else None,
        identity() if previous else None,
        has_previous=has_previous,
    )
    assert [reason.code for reason in verdict.reasons] == codes


def test_every_combination_has_a_verdict_that_says_why() -> None:
    sides = [None, identity(), identity(corpus="corpus-2"), identity(model="model-2")]
    for current, previous in product(sides, sides):
        verdict = baseline_verdict(current, previous, has_previous=True)
        assert verdict.is_comparable is not bool(verdict.reasons)
        swapped = baseline_verdict(previous, current, has_previous=True)
        assert swapped.state is verdict.state


@pytest.mark.proves("G-11")
def test_alternating_between_two_corpora_always_says_mismatch() -> None:
    series = [identity(corpus=f"corpus-{number % 2}") for number in range(6)]
    states = [
        baseline_verdict(current, previous, has_previous=True).state
        for previous, current in pairwise(series)
    ]
    assert states == [MISMATCH] * 5
