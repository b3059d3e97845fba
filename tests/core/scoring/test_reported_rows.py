"""Rows by position: what a ranking would have scored, without an id; never more than the set says."""

from dataclasses import replace
from typing import Any

import pytest

from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.errors.publication import InvalidReport
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState
from evenhand.core.scoring.reported_rows import DescribedSet, ReportedRow, score_rows
from tests.builders import a_provenance, a_question, a_set, an_evaluation
from tests.core.scoring.test_reported import stated

ASKED = a_set(*a_set().questions, a_question("q0", unjudged=True))
WHOLE = an_evaluation(
    ASKED,
    {"q1": ["x", "d1"], "q2": OSError("x"), "q3": ["d4", "x", "x"], "q4": [], "q0": ["x"]},
    provenance=a_provenance(),
)
DESCRIBED = DescribedSet(
    identifier=ASKED.identifier,
    name=ASKED.name,
    labels_fingerprint=ASKED.labels_fingerprint,
    qrels_digest=ASKED.qrels_digest,
)


def row(outcome: Outcome, *, with_labels: bool) -> ReportedRow:
    return ReportedRow(
        position=outcome.position,
        state=outcome.state,
        retrieved=outcome.retrieved,
        judged_hits=outcome.judged_hits,
        error_code=outcome.error_class,
        latency_ms=outcome.latency_ms,
        targets=outcome.targets if with_labels else None,
        judged_grades=outcome.judged_grades if with_labels else None,
    )


def rows(*, with_labels: bool = False) -> list[ReportedRow]:
    return [row(outcome, with_labels=with_labels) for outcome in WHOLE.outcomes]


@pytest.mark.parametrize(
    ("asked", "with_labels"), [(ASKED, False), (ASKED, True), (DESCRIBED, True)]
)
def test_rows_say_all_that_the_rankings_said(
    asked: GoldenSet | DescribedSet, with_labels: bool
) -> None:
    found = score_rows(asked, stated(), rows(with_labels=with_labels)[::-1])

    assert found.outcomes == WHOLE.outcomes
    assert found.counts == WHOLE.counts
    assert found.identity == WHOLE.identity


def changed(position: int, **values: Any) -> list[ReportedRow]:
    given = rows(with_labels=True)
    given[position] = replace(given[position], **values)
    return given


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        (rows()[:-1], "question_missing", "outcomes"),
        (rows()[1:], "question_missing", "outcomes"),
        ([], "question_missing", "outcomes"),
        ([*rows(), replace(rows()[0], position=5)], "question_unknown", "outcomes.5.position"),
        ([*rows(), rows()[3]], "question_repeated", "outcomes.3.position"),
        (changed(1, targets=2), "set_contradicted", "outcomes.1.targets"),
        (changed(1, judged_grades=(2,)), "set_contradicted", "outcomes.1.judged_grades"),
        (changed(0, state=OutcomeState.SCORED), "set_contradicted", "outcomes.0.state"),
        (changed(1, state=OutcomeState.UNJUDGED), "set_contradicted", "outcomes.1.state"),
        (changed(1, window=1), "invalid_report", "outcomes.1.window"),
        (changed(1, retrieved=13), "invalid_report", "outcomes.1.retrieved"),
        (changed(1, judged_hits=(JudgedHit(3, 1),)), "invalid_report", "outcomes.1"),
        (changed(1, judged_hits=(JudgedHit(1, 7),)), "invalid_report", "outcomes.1"),
        (
            changed(1, judged_hits=(JudgedHit(1, 1), JudgedHit(2, 1))),
            "invalid_report",
            "outcomes.1",
        ),
        (changed(1, retrieved=None), "invalid_report", "outcomes.1"),
        (changed(2, error_code=None), "invalid_report", "outcomes.2"),
        (changed(2, latency_ms=4), "invalid_report", "outcomes.2"),
    ],
)
def test_rows_that_could_not_have_come_out_of_the_set_are_refused(
    given: list[ReportedRow], code: str, field: str
) -> None:
    with pytest.raises(InvalidReport) as refused:
        score_rows(ASKED, stated(), given)
    assert (refused.value.code, refused.value.field) == (code, field)


def test_of_more_than_twelve_results_it_must_be_said_how_many_of_the_first_are_distinct() -> None:
    with pytest.raises(InvalidReport) as refused:
        score_rows(ASKED, stated(depth=13), rows())
    assert refused.value.code == "window_missing"

    whole = [replace(one, window=one.retrieved) for one in rows()]
    assert score_rows(ASKED, stated(depth=13), whole).outcomes == WHOLE.outcomes


def test_of_a_set_that_is_only_described_each_judged_row_says_its_targets() -> None:
    with pytest.raises(InvalidReport) as refused:
        score_rows(DESCRIBED, stated(), rows())
    assert refused.value.field == "outcomes.1.targets"


def test_what_was_run_needs_labels_and_labels_need_not_be_known() -> None:
    unknown = replace(DESCRIBED, labels_fingerprint=None)
    with pytest.raises(InvalidReport) as refused:
        score_rows(unknown, stated(), rows(with_labels=True))
    assert refused.value.field == "described_set.labels_fingerprint"

    found = score_rows(unknown, stated(provenance=None), rows(with_labels=True))
    assert found.identity is None


@pytest.mark.parametrize(
    "values",
    [{"identifier": "tiny.holdout"}, {"labels_fingerprint": "x"}, {"qrels_digest": "v1:0"}],
)
def test_what_is_held_out_and_what_is_no_digest_describes_no_set(values: dict[str, str]) -> None:
    with pytest.raises(InvalidReport):
        replace(DESCRIBED, **values)


def test_nothing_but_failures_is_no_result() -> None:
    asked = a_set(a_question("q1", "d1"))
    failed = ReportedRow(position=0, state=OutcomeState.FAILED, error_code="TIMEOUT")
    with pytest.raises(NothingScored):
        score_rows(asked, stated(), [failed])
