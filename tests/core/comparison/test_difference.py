"""Differences of rates: exact, bounded by what failed questions could still change."""

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.comparison.difference import (
    DEFAULT_MAX_DROP,
    RateDifference,
    build_leg,
    parse_share,
    pooled_regression,
    rate_differences,
)
from evenhand.core.errors.retrieval import InvalidThreshold
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.protocols import HitCounts, count_hits

NOTHING = count_hits(())


def counts(**whole_numbers: int) -> HitCounts:
    return dataclasses.replace(NOTHING, **whole_numbers)


# Thresholds --------------------------------------------------------------------------------


@pytest.mark.proves("G-10")
@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.1", Fraction(1, 10)),
        (".05", Fraction(1, 20)),
        ("0", Fraction(0)),
        ("1", Fraction(1)),
        ("1.000", Fraction(1)),
        ("0.10000000000000000000000000000000000001", Fraction(10**37 + 1, 10**38)),
    ],
)
def test_a_share_is_read_exactly_from_its_decimal_text(text: str, share: Fraction) -> None:
    assert parse_share("max_drop", text) == share


@pytest.mark.proves("G-10", "BP-14", "BP-33")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "ten",
            "nan",
            "inf",
            "-0.1",
            "+0.1",
            "1.",
            "1e-1",
            "0,1",
            "1/10",
            "0.1 ",
            "10%",
        ),
        *("1.0000001", "2", "0x1", "0_1", "\u0661", "0." + "1" * 5000, "1" * 5000),
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_no_share_is_a_usage_error(text: str) -> None:
    with pytest.raises(InvalidThreshold, match=r"^max_drop: ") as refused:
        parse_share("max_drop", text)
    assert refused.value.code == "invalid_threshold"


# The pooled regression ---------------------------------------------------------------------


def regressed(
    before: tuple[int, int, int], after: tuple[int, int, int], drop: str
) -> tuple[bool, bool]:
    """Each side as (top-1 hits, top-3 hits, questions); both tolerances alike."""
    result = pooled_regression(
        counts(top1_hits=before[0], top3_hits=before[1], questions=before[2]),
        counts(top1_hits=after[0], top3_hits=after[1], questions=after[2]),
        max_top1_drop=parse_share("drop", drop),
        max_top3_drop=parse_share("drop", drop),
    )
    assert result.is_regression is (result.top1_regressed or result.top3_regressed)
    return result.top1_regressed, result.top3_regressed


@pytest.mark.proves("BP-14", "G-10", "BP-32")
@pytest.mark.parametrize(
    ("before", "after", "drop", "expected"),
    [
        # Binary subtraction makes 0.8 - 0.7 exceed 0.1.
        ((8, 8, 10), (7, 7, 10), "0.1", (False, False)),
        ((8, 8, 10), (7, 7, 10), "0.0999999999", (True, True)),
        # Four stored decimals make an unchanged 2/3 read as a drop.
        ((2, 2, 3), (2, 2, 3), "0", (False, False)),
        ((2, 2, 3), (4, 4, 6), "0", (False, False)),
        ((200_000, 200_000, 300_000), (199_999, 200_000, 300_000), "0", (True, False)),
        ((3, 9, 10), (3, 7, 10), "0.1", (False, True)),
        ((3, 9, 10), (1, 9, 10), "0.1", (True, False)),
        ((1, 1, 3), (0, 0, 3), "0.33", (True, True)),
        ((1, 1, 3), (0, 0, 3), "0.34", (False, False)),
        ((5, 5, 10), (9, 9, 10), "0", (False, False)),
        ((0, 0, 0), (0, 0, 0), "0", (False, False)),
        ((10, 10, 10), (0, 0, 10), "1", (False, False)),
    ],
)
def test_a_drop_regresses_only_when_strictly_greater_than_its_tolerance(
    before: tuple[int, int, int],
    after: tuple[int, int, int],
    drop: str,
    expected: tuple[bool, bool],
) -> None:
    assert regressed(before, after, drop) == expected


@pytest.mark.proves("BP-14")
def test_the_default_tolerance_is_a_tenth() -> None:
    assert Fraction(1, 10) == DEFAULT_MAX_DROP


# Differences with bounds -------------------------------------------------------------------


def scored(position: int, *, targets: int, rank: int | None, window: int = 5) -> Outcome:
    return Outcome(
        position=position,
        state=OutcomeState.SCORED,
        targets=targets,
        retrieved=window,
        window=window,
        judged_hits=() if rank is None else (JudgedHit(rank, 1),),
    )


def failed(position: int, *, targets: int) -> Outcome:
    return Outcome(
        position=position,
        state=OutcomeState.FAILED,
        targets=targets,
        retrieved=None,
        window=None,
        error_class="E",
    )


def differences(
    previous: list[Outcome], current: list[Outcome], *, with_outcomes: bool = True
) -> dict[str, RateDifference]:
    legs = [
        build_leg(count_hits(side), tuple(side) if with_outcomes else None)
        for side in (previous, current)
    ]
    return {one.measure: one for one in rate_differences(*legs)}


def test_the_measures_over_answerable_and_no_answer_questions_stand_side_by_side() -> None:
    previous = [
        scored(0, targets=1, rank=1),
        scored(1, targets=1, rank=3),
        scored(2, targets=0, rank=None, window=0),
        scored(3, targets=1, rank=None, window=0),
    ]
    current = [
        scored(0, targets=1, rank=2),
        scored(1, targets=1, rank=1),
        scored(2, targets=0, rank=None, window=1),
        scored(3, targets=1, rank=1),
    ]
    found = differences(previous, current)
    assert {name: (one.delta, one.total) for name, one in found.items()} == {
        "Success@1": (Fraction(1, 3), 3),
        "Success@3": (Fraction(1, 3), 3),
        "abstention": (Fraction(-1), 1),
        "false abstention": (Fraction(-1, 3), 3),
    }
    assert all(one.low == one.delta == one.high for one in found.values())
    assert not any(one.is_incomplete for one in found.values())


def test_a_measure_whose_kind_of_question_does_not_occur_is_not_there() -> None:
    only_no_answer = [scored(0, targets=0, rank=None, window=0)]
    assert list(differences(only_no_answer, only_no_answer)) == ["abstention"]
    only_answerable = [scored(0, targets=1, rank=1)]
    assert list(differences(only_answerable, only_answerable)) == [
        "Success@1",
        "Success@3",
        "false abstention",
    ]


def test_bounds_take_every_failed_question_as_miss_and_as_hit() -> None:
    previous = [
        scored(0, targets=1, rank=1),
        failed(1, targets=1),
        scored(2, targets=1, rank=None),
    ]
    current = [scored(0, targets=1, rank=1), scored(1, targets=1, rank=1), failed(2, targets=1)]
    found = differences(previous, current)["Success@1"]
    assert found.delta == Fraction(1, 3)
    # Against the current side: its failure missed, the previous one's hit.
    assert found.low == Fraction(0)
    # For it: its failure hit, the previous one's missed.
    assert found.high == Fraction(2, 3)


@pytest.mark.parametrize(
    ("low", "high", "incomplete"),
    [
        (Fraction(1, 10), Fraction(2, 10), False),
        (Fraction(-2, 10), Fraction(-1, 10), False),
        (Fraction(-1, 10), Fraction(1, 10), True),
        (Fraction(0), Fraction(1, 10), True),
        (Fraction(-1, 10), Fraction(0), True),
        (Fraction(0), Fraction(0), False),
    ],
)
def test_a_difference_whose_sign_hangs_on_failed_questions_is_incomplete(
    low: Fraction, high: Fraction, incomplete: bool
) -> None:
    found = RateDifference(
        measure="Success@1", previous_hits=1, current_hits=1, total=10, low=low, high=high
    )
    assert found.is_incomplete is incomplete


def test_without_outcomes_failed_questions_may_be_of_either_kind() -> None:
    previous = [scored(0, targets=1, rank=1), scored(1, targets=0, rank=None, window=0)]
    current = [scored(0, targets=1, rank=1), failed(1, targets=0)]
    known = differences(previous, current)
    assert known["Success@1"].low == known["Success@1"].high == 0
    guessed = differences(previous, current, with_outcomes=False)
    assert guessed["abstention"].low == known["abstention"].low == -1
    assert guessed["Success@1"].low <= known["Success@1"].low
    # More hits than questions there cannot be, whoever failed.
    assert guessed["Success@1"].high == 0


kinds = st.sampled_from([0, 1])


@st.composite
def legs(draw: st.DrawFn) -> tuple[list[Outcome], list[Outcome]]:
    targets = draw(st.lists(kinds, min_size=1, max_size=8))

    def side() -> list[Outcome]:
        outcomes = []
        for position, many in enumerate(targets):
            window = draw(st.integers(0, 4))
            rank = draw(st.none() | st.integers(1, window)) if many and window else None
            outcomes.append(
                failed(position, targets=many)
                if draw(st.booleans())
                else scored(position, targets=many, rank=rank, window=window)
            )
        return outcomes

    return side(), side()


def resolved(side: list[Outcome], *, hit: bool) -> list[Outcome]:
    """The side with each failed question decided."""
    return [
        scored(
            one.position,
            targets=one.targets or 0,
            rank=1 if hit and one.targets else None,
            window=0 if hit is not bool(one.targets) else 1,
        )
        if one.state is OutcomeState.FAILED
        else one
        for one in side
    ]


@given(legs())
def test_bounds_hold_and_are_reached(case: tuple[list[Outcome], list[Outcome]]) -> None:
    previous, current = case
    found = differences(previous, current)
    worst = differences(resolved(previous, hit=True), resolved(current, hit=False))
    best = differences(resolved(previous, hit=False), resolved(current, hit=True))
    for measure, one in found.items():
        assert -1 <= one.low <= one.delta <= one.high <= 1
        ends = [worst[measure].delta, best[measure].delta]
        # A miss of `resolved` abstains: that rate decides the other way round.
        assert [one.low, one.high] == (ends[::-1] if measure == "false abstention" else ends)


@given(legs())
def test_bounds_without_outcomes_hold_the_bounds_with_them(
    case: tuple[list[Outcome], list[Outcome]],
) -> None:
    exact = differences(*case)
    for measure, wide in differences(*case, with_outcomes=False).items():
        assert -1 <= wide.low <= exact[measure].low
        assert exact[measure].high <= wide.high <= 1
