"""Labels, agreements and waivers over HTTP: operators record, and every count shows what it rests on."""

from typing import Any

import pytest

from tests.hub.conftest import Hub, only_sqlite
from tests.hub.test_reviews import Reviews


@pytest.fixture
def reviews(hub: Hub) -> Reviews:
    return Reviews(hub)


def labels_of(reviews: Reviews, *cases: str, **stated: Any) -> dict[str, Any]:
    one = {"labeller": "p1", "label": "bad", "labelled_at": "2026-09-01T10:00:00+02:00"} | stated
    return {
        "practice_revision_id": reviews.revision_id,
        "cohort": {"kind": "cases", "name": "release-1"},
        "labels": [one | {"case_id": case} for case in cases],
    }


def test_a_count_shows_by_what_it_may_be_told_as_grounded(reviews: Reviews) -> None:
    cases = ("c1", "c2")
    for case in cases:
        reviews.review(case_id=case)
    strata = f"reviews/strata?project_id={reviews.project_id}"
    (item,) = reviews.call("GET", strata, "viewer")["items"]
    assert item["grounding"] == {
        "basis": None,
        "refusal": "no_agreement",
        "agreement": None,
        "waiver": None,
    }

    body = labels_of(reviews, *cases)
    assert reviews.call("POST", "reviews/labels", "operator", **body) == {"stored": 2, "known": 0}
    assert reviews.call("POST", "reviews/labels", "operator", **body) == {"stored": 0, "known": 2}
    other = reviews.ask(
        "POST", "reviews/labels", "operator", labels_of(reviews, "c1", label="good")
    )
    assert (other.status_code, other.json()["code"]) == (409, "labels_conflict")
    wanted = {"project_id": reviews.project_id, "stratum": item["stratum"]}
    made = reviews.ask("POST", "reviews/agreements", "operator", wanted)
    again = reviews.ask("POST", "reviews/agreements", "operator", wanted)
    assert (made.status_code, again.status_code) == (201, 200)
    assert made.json() == again.json()
    # Both call both cases bad: alike, and no more is known of it than chance.
    assert (made.json()["n"], made.json()["raw_agreement"], made.json()["kappa"]) == (2, 1.0, None)

    why = {"practice_revision_id": reviews.revision_id, "reason": "a trial"}
    waiver = reviews.call("POST", "reviews/waivers", "operator", **why)
    rates = f"reviews/rates?project_id={reviews.project_id}&stratum={item['stratum']}"
    shown = reviews.call("GET", rates, "viewer")["rates"]["grounding"]
    assert shown == {
        "basis": "waived",
        "refusal": None,
        "agreement": made.json(),
        "waiver": waiver,
    }
    of_revision = f"practice_revision_id={reviews.revision_id}"
    for noun, one in (("agreements", made.json()), ("waivers", waiver)):
        listed = reviews.call("GET", f"reviews/{noun}?{of_revision}", "viewer")
        assert listed == {"items": [one], "next_cursor": None}


@only_sqlite
def test_what_breaks_a_rule_is_refused_and_nothing_is_recorded(reviews: Reviews) -> None:
    good = labels_of(reviews, "c1")
    for body in (
        good | {"labels": []},
        good | {"cohort": {"kind": "named", "name": "release-1"}},
        labels_of(reviews, "c1", labeller="ada@example.org"),
        labels_of(reviews, "c1", label="maybe"),
        labels_of(reviews, "c1", labelled_at="2026-09-01T10:00:00"),
        labels_of(reviews, ""),
    ):
        answer = reviews.ask("POST", "reviews/labels", "operator", body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
    unknown = {"practice_revision_id": "01990000-0000-7000-a000-00000000ffff"}
    for path, body in (
        ("labels", good | unknown),
        ("waivers", unknown | {"reason": "a trial"}),
    ):
        answer = reviews.ask("POST", f"reviews/{path}", "operator", body)
        assert (answer.status_code, answer.json()["code"]) == (404, "practice_revision_not_found")
    # A zero-width space is no blank, and says as little.
    unseen = {"practice_revision_id": reviews.revision_id, "reason": "\u200b"}
    assert reviews.ask("POST", "reviews/waivers", "operator", unseen).status_code == 422
    blank = {"practice_revision_id": reviews.revision_id, "reason": "  "}
    answer = reviews.ask("POST", "reviews/waivers", "operator", blank)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_value")
    assert reviews.call("POST", "reviews/labels", "operator", **good) == {"stored": 1, "known": 0}
