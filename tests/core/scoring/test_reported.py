"""Reported rankings: scored as if they had been retrieved here, and exactly one for each question."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.errors import InvalidText
from evenhand.core.errors.evaluation import NothingScored
from evenhand.core.errors.publication import InvalidReport
from evenhand.core.retrieval.golden import GoldenSet, QueryId
from evenhand.core.retrieval.ranking import Answer, Failed, Retrieved, build_retrieved
from evenhand.core.scoring.evaluation import UNKNOWN_MACHINE, Basis
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.core.scoring.reported import ReportedAnswer, Stated, score_answers
from tests.builders import START, a_provenance, a_question, a_set, an_evaluation

TARGETS = ("d1", "d2", "d3", "d4", "x", "y")


def stated(**changed: Any) -> Stated:
    fields: dict[str, Any] = {
        "retriever": "fake",
        "provenance": a_provenance(),
        "protocol": SCORING_VERSION,
        "depth": 12,
    }
    return Stated(**(fields | changed))


def answers(asked: GoldenSet, rankings: dict[str, list[str] | None]) -> list[ReportedAnswer]:
    """What is reported; None failed."""
    found = []
    for question in asked.questions:
        ranking = rankings[question.text]
        answer: Answer = Failed(error_class="TIMEOUT")
        if ranking is not None:
            answer = build_retrieved(ranking, depth=12, scored=False, latency_ms=None)
        found.append(ReportedAnswer(question_id=question.id, answer=answer))
    return found


@given(
    st.fixed_dictionaries(
        {
            q: st.none() | st.lists(st.sampled_from(TARGETS), max_size=15)
            for q in ("q1", "q2", "q3")
        }
    ),
    st.randoms(use_true_random=False),
)
def test_a_report_scores_as_the_same_rankings_do_where_they_are_retrieved(
    rankings: dict[str, list[str] | None], order: Any
) -> None:
    asked = a_set(*a_set().questions, a_question("q0", unjudged=True))
    whole = {**rankings, "q4": [], "q0": ["x"]}
    reported = answers(asked, whole)
    order.shuffle(reported)
    here = an_evaluation(
        asked,
        {q: OSError("x") if ranking is None else ranking for q, ranking in whole.items()},
        provenance=a_provenance(),
    )

    there = score_answers(asked, stated(), reported, at=START)

    assert there.counts == here.counts
    assert there.identity == here.identity
    assert [(o.judged_hits, o.retrieved, o.window, o.state) for o in there.outcomes] == [
        (o.judged_hits, o.retrieved, o.window, o.state) for o in here.outcomes
    ]


def test_what_is_reported_says_who_saw_it_and_nothing_of_the_machine() -> None:
    asked = a_set()

    found = score_answers(
        asked, stated(), answers(asked, {q: ["d1"] for q in ("q1", "q2", "q3", "q4")}), at=START
    )

    assert found.basis is Basis.REPORTED
    assert found.conditions.machine == UNKNOWN_MACHINE
    assert (found.started_at, found.finished_at) == (START, START)


def entry(question_id: str) -> ReportedAnswer:
    return ReportedAnswer(
        question_id=QueryId(question_id.encode()), answer=Retrieved(documents=())
    )


@pytest.mark.parametrize(
    ("ids", "code", "field"),
    [
        (("q1", "q2", "q3"), "question_missing", "questions"),
        (("q1", "q2", "q3", "q4", "q5"), "question_unknown", "questions.4.question_id"),
        (("q1", "q2", "q2", "q4"), "question_repeated", "questions.2.question_id"),
        (("q1", "q2", "q3", "Q4"), "question_unknown", "questions.3.question_id"),
    ],
)
def test_each_question_of_the_set_has_exactly_one_entry(
    ids: tuple[str, ...], code: str, field: str
) -> None:
    with pytest.raises(InvalidReport) as refused:
        score_answers(a_set(), stated(), list(map(entry, ids)), at=START)

    assert (refused.value.code, refused.value.field) == (code, field)
    assert "q5" not in str(refused.value)


def test_ids_are_the_same_only_where_their_bytes_are() -> None:
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    asked = a_set(a_question(composed, composed), a_question(decomposed, "007"))

    found = score_answers(
        asked,
        stated(),
        answers(asked, {composed: [decomposed], decomposed: ["7", "007"]}),
        at=START,
    )

    # Positions go by bytes: the decomposed spelling is the smaller one.
    assert [o.judged_hits for o in found.outcomes] == [((2, 1),), ()]


def test_nothing_but_failures_is_no_result() -> None:
    asked = a_set()
    with pytest.raises(NothingScored):
        score_answers(
            asked, stated(), answers(asked, dict.fromkeys(("q1", "q2", "q3", "q4"))), at=START
        )


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"protocol": "mine-v1"}, "unknown_protocol"),
        ({"depth": 0}, "invalid_report"),
        ({"retriever": ""}, "invalid_text"),
        ({"retriever": "a\0b"}, "invalid_text"),
        ({"retriever": "\udc80"}, "invalid_text"),
        ({"retriever": "x" * 256}, "invalid_text"),
    ],
)
def test_what_is_stated_beside_the_results_has_rules_of_its_own(
    changed: dict[str, Any], code: str
) -> None:
    with pytest.raises((InvalidReport, InvalidText)) as refused:
        stated(**changed)
    assert refused.value.code == code
