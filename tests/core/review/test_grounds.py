"""What may be told as grounded: by agreement, by a waiver that is shown, or not."""

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.errors import InvalidValue
from evenhand.core.review.agreement import Agreement, agree, judged_digest
from evenhand.core.review.grounds import (
    GroundingBasis,
    GroundingRefusal,
    RecordedAgreement,
    Waiver,
    may_feed_grounded,
)
from evenhand.core.review.observation import Assessment
from tests.builders import START
from tests.review_builders import REVISION, a_row, identities

GOOD, BAD = Assessment.GOOD, Assessment.BAD
OPERATOR = Actor(kind=ActorKind.OPERATOR, id="01990000-0000-7000-c000-000000000009")


def counted(*counts: int, excluded: int = 0) -> Agreement:
    both_good, both_bad, only_reviewer_good, only_human_good = counts
    return Agreement(
        revision_id=REVISION,
        both_good=both_good,
        both_bad=both_bad,
        only_reviewer_good=only_reviewer_good,
        only_human_good=only_human_good,
        excluded=excluded,
    )


def recorded(n: int = 50, number: int = 1, **stated: Any) -> RecordedAgreement:
    values: dict[str, Any] = {
        "id": f"01990000-0000-7000-b100-{number:012d}",
        "created_at": START + timedelta(days=number),
        "made_by": OPERATOR,
        "identities": identities(),
        "agreement": counted(n, 0, 0, 0),
        "divided": 0,
        "labels": n,
        "labellers": 1,
        "labels_digest": "3" * 64,
        "observations_digest": "4" * 64,
    }
    return RecordedAgreement(**values | stated)


def waived(number: int = 1, **stated: Any) -> Waiver:
    values: dict[str, Any] = {
        "id": f"01990000-0000-7000-b200-{number:012d}",
        "created_at": START + timedelta(days=number),
        "made_by": OPERATOR,
        "practice_revision_id": REVISION,
        "reason": "labels come next week",
    }
    return Waiver(**values | stated)


class TestAgreement:
    @pytest.mark.parametrize(
        ("counts", "raw", "kappa"),
        [
            # Cohen's table by hand: raw 35/50; reviewer good 25/50, human good 30/50; chance
            # 15/50 + 10/50 = 1/2; (7/10 - 1/2) / (1/2) = 2/5.
            ((20, 15, 5, 10), Fraction(7, 10), Fraction(2, 5)),
            # Chance agrees as often as they do.
            ((1, 1, 1, 1), Fraction(1, 2), Fraction(0)),
            # Never alike: raw 0, chance 1/2.
            ((0, 0, 2, 2), Fraction(0), Fraction(-1)),
            ((3, 2, 0, 0), Fraction(1), Fraction(1)),
            # Both say the same of every case: nothing is known of what they share beyond chance.
            ((9, 0, 0, 0), Fraction(1), None),
            ((0, 9, 0, 0), Fraction(1), None),
            # One says the same of every case: raw is chance itself.
            ((6, 0, 3, 0), Fraction(2, 3), Fraction(0)),
            ((0, 0, 0, 0), None, None),
        ],
    )
    def test_it_is_what_a_hand_finds(
        self, counts: tuple[int, ...], raw: Fraction | None, kappa: Fraction | None
    ) -> None:
        found = counted(*counts)
        assert (found.raw, found.kappa) == (raw, kappa)

    @given(st.lists(st.tuples(st.sampled_from((GOOD, BAD)), st.sampled_from((GOOD, BAD)))))
    def test_kappa_is_in_its_range_and_the_same_from_either_side(
        self, pairs: list[tuple[Assessment, Assessment]]
    ) -> None:
        mine = {str(n): one for n, (one, _) in enumerate(pairs)}
        theirs = {str(n): other for n, (_, other) in enumerate(pairs)}
        found, turned = agree(REVISION, mine, theirs), agree(REVISION, theirs, mine)
        assert found.n == len(pairs)
        assert (found.raw, found.kappa) == (turned.raw, turned.kappa)
        assert found.kappa is None or -1 <= found.kappa <= 1

    def test_the_digest_covers_which_review_found_what(self) -> None:
        row = a_row()
        plain = judged_digest("5" * 64, {"c1": row})
        for other in (
            replace(row, assessment=BAD),
            replace(row, assessment=None),
            replace(row, attempt=2),
            replace(row, job_id="01990000-0000-7000-b000-000000000002"),
        ):
            assert judged_digest("5" * 64, {"c1": other}) != plain
        assert judged_digest("6" * 64, {"c1": row}) != plain
        assert judged_digest("5" * 64, {"c2": row}) != plain


class TestMayFeedGrounded:
    def test_fifty_cases_are_enough_and_forty_nine_are_not(self) -> None:
        enough = may_feed_grounded(identities(), [recorded(50)], [])
        assert (enough.basis, enough.agreement) == (GroundingBasis.AGREED, recorded(50))
        few = may_feed_grounded(identities(), [recorded(49)], [])
        assert (few.basis, few.refusal) == (None, GroundingRefusal.TOO_FEW_LABELS)
        assert few.agreement == recorded(49)

    def test_cases_that_only_one_labelled_do_not_count(self) -> None:
        one = recorded(agreement=counted(49, 0, 0, 0, excluded=400), labels=449)
        assert may_feed_grounded(identities(), [one], []).basis is None

    def test_without_anything_it_is_refused(self) -> None:
        found = may_feed_grounded(identities(), [], [])
        assert (found.basis, found.refusal) == (None, GroundingRefusal.NO_AGREEMENT)

    @pytest.mark.proves("R-12", "R-26")
    @pytest.mark.parametrize(
        "other",
        [
            {"config_digest": "9" * 64},
            {"prompt_digest": "9" * 64},
            {"practice_revision_id": "01990000-0000-7000-a000-000000000002"},
        ],
    )
    def test_the_agreement_of_another_judge_permits_nothing(self, other: dict[str, str]) -> None:
        found = may_feed_grounded(identities(**other), [recorded(500)], [])
        assert (found.basis, found.agreement) == (None, None)

    def test_an_agreement_over_other_cases_is_of_this_judge(self) -> None:
        found = may_feed_grounded(identities(cohort="release-2"), [recorded(50)], [])
        assert found.basis is GroundingBasis.AGREED

    @pytest.mark.proves("G-26")
    @pytest.mark.parametrize("unknown", ["config_digest", "prompt_digest", "practice_revision_id"])
    def test_an_unknown_judge_is_nobody(self, unknown: str) -> None:
        like = recorded(identities=identities(**{unknown: None}))
        found = may_feed_grounded(identities(**{unknown: None}), [like], [waived()])
        assert (found.basis, found.refusal) == (None, GroundingRefusal.JUDGE_UNKNOWN)

    def test_a_waiver_permits_and_is_shown_with_the_agreement_that_is_too_small(self) -> None:
        found = may_feed_grounded(identities(), [recorded(10)], [waived(1), waived(2)])
        assert (found.basis, found.waiver) == (GroundingBasis.WAIVED, waived(2))
        assert found.agreement == recorded(10)

    def test_a_waiver_of_other_criteria_permits_nothing(self) -> None:
        other = waived(practice_revision_id="01990000-0000-7000-a000-000000000002")
        assert may_feed_grounded(identities(), [], [other]).basis is None

    def test_an_agreement_stands_before_a_waiver(self) -> None:
        found = may_feed_grounded(identities(), [recorded(50)], [waived()])
        assert (found.basis, found.waiver) == (GroundingBasis.AGREED, None)

    def test_of_several_the_one_over_most_cases_is_told(self) -> None:
        several = [recorded(60, 1), recorded(50, 2), recorded(60, 3)]
        found = may_feed_grounded(identities(), several, [])
        assert found.agreement == several[2]


@pytest.mark.parametrize("reason", ["", " \n", "x" * 2001])
def test_a_waiver_says_why(reason: str) -> None:
    with pytest.raises(InvalidValue, match="reason"):
        waived(reason=reason)
