"""What people say, case by case, and what of it is no label."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidValue
from evenhand.core.review.labels import LabelledCohort, SaidLabel, people_say
from evenhand.core.review.observation import Assessment
from evenhand.core.review.states import CohortKind
from tests.builders import START
from tests.review_builders import REVISION

GOOD, BAD = Assessment.GOOD, Assessment.BAD
COHORT = LabelledCohort(practice_revision_id=REVISION, kind=CohortKind.CASES, name="release-1")


def said(case: str = "c1", labeller: str = "p1", label: Assessment = GOOD, **by: Any) -> SaidLabel:
    return SaidLabel(
        case_id=case, labeller=labeller, label=label, labelled_at=START + timedelta(**by)
    )


def test_more_than_half_decide_and_a_tie_is_no_label() -> None:
    found = people_say(
        COHORT,
        [
            *(said("two-of-three", labeller) for labeller in ("p1", "p2")),
            said("two-of-three", "p3", BAD),
            said("tie", "p1"),
            said("tie", "p2", BAD),
            said("alone", "p1", BAD),
        ],
    )
    assert found.cases == {"two-of-three": GOOD, "alone": BAD}
    assert (found.divided, found.labels, found.labellers) == (1, 6, 3)


def test_of_one_persons_labels_of_a_case_the_newest_stands() -> None:
    found = people_say(COHORT, [said(label=BAD, minutes=1), said(label=GOOD)])
    assert found.cases == {"c1": BAD}
    assert found.labels == 1


@given(order=st.permutations(range(6)))
def test_the_digest_is_of_the_labels_that_stand_in_any_order(order: list[int]) -> None:
    labels = [said(f"c{n // 2}", f"p{n % 2}", minutes=n) for n in range(6)]
    plain = people_say(COHORT, labels).digest
    assert people_say(COHORT, [labels[n] for n in order]).digest == plain
    older = said("c0", "p0", BAD, minutes=-1)
    assert people_say(COHORT, [*labels, older]).digest == plain
    newer = said("c0", "p0", BAD, minutes=9)
    assert people_say(COHORT, [*labels, newer]).digest != plain


def test_the_digest_names_the_criteria_and_the_cohort_and_no_zone_of_the_labeller() -> None:
    other = LabelledCohort(practice_revision_id=REVISION, kind=CohortKind.CASES, name="release-2")
    assert people_say(COHORT, [said()]).digest != people_say(other, [said()]).digest
    there = SaidLabel(
        case_id="c1",
        labeller="p1",
        label=GOOD,
        labelled_at=START.astimezone(timezone(timedelta(hours=5))),
    )
    assert people_say(COHORT, [there]).digest == people_say(COHORT, [said()]).digest


def test_nobody_said_anything() -> None:
    found = people_say(COHORT, [])
    assert (found.cases, found.divided, found.labels, found.labellers) == ({}, 0, 0, 0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("case_id", ""),
        ("case_id", "c" * 191),
        ("labeller", ""),
        ("labeller", "ada@example.org"),
        ("labeller", "Ada Lovelace"),
        ("labeller", "p1\n"),
        ("labeller", "p" * 129),
        ("labelled_at", datetime(2026, 9, 1)),  # noqa: DTZ001 -- a naive one is the case
    ],
)
def test_a_label_that_breaks_a_rule_names_its_member(field: str, value: Any) -> None:
    stated: dict[str, Any] = {
        "case_id": "c1",
        "labeller": "p1",
        "label": GOOD,
        "labelled_at": datetime(2026, 9, 1, tzinfo=UTC),
    }
    with pytest.raises(InvalidValue) as error:
        SaidLabel(**stated | {field: value})
    assert error.value.field == field
    assert not isinstance(value, str) or not value.strip() or value not in str(error.value)
