"""Outcomes: what one question contributes, without ids or text."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.retrieval.golden import DocId, GoldenQuestion
from evenhand.core.retrieval.ranking import Answer, Failed, Retrieved
from evenhand.core.scoring.outcome import JudgedHit, Outcome, OutcomeState, build_outcomes
from tests.builders import a_question, a_set

WINDOW = 12


def retrieved(*documents: str, latency_ms: int | None = 4) -> Retrieved:
    return Retrieved(
        documents=tuple(DocId(document.encode()) for document in documents), latency_ms=latency_ms
    )


def outcome(question: GoldenQuestion, answer: Answer, *, window: int = WINDOW) -> Outcome:
    (only,) = build_outcomes(a_set(question), (answer,), window=window)
    return only


ANSWERABLE = a_question("q", "t1", "t2")
NO_ANSWER = a_question("q")
UNJUDGED = a_question("q", unjudged=True)


@pytest.mark.proves("BP-09")
@pytest.mark.parametrize(
    ("documents", "top1", "top3"),
    [
        (("t1",), True, True),
        (("t2", "x"), True, True),
        (("x", "t1"), False, True),
        (("x", "y", "t2"), False, True),
        (("x", "y", "z", "t1"), False, False),
        (("x",), False, False),
        ((), False, False),
        # Repeats and blanks do not use up a place.
        (("x", "x", "x", "y", "t1"), False, True),
        (("", "t1"), True, True),
        (("", "", "x", "", "y", "x", "t2"), False, True),
        (("", ""), False, False),
    ],
)
def test_a_hit_is_a_target_among_the_first_distinct_documents(
    documents: tuple[str, ...], top1: bool, top3: bool
) -> None:
    made = outcome(ANSWERABLE, retrieved(*documents))
    assert (made.is_hit(1), made.is_hit(3)) == (top1, top3)


@pytest.mark.proves("BP-09")
@pytest.mark.parametrize(
    ("documents", "hit"), [((), True), (("", ""), True), (("x",), False), (("", "x"), False)]
)
def test_a_no_answer_question_is_a_hit_exactly_when_nothing_came_back(
    documents: tuple[str, ...], hit: bool
) -> None:
    made = outcome(NO_ANSWER, retrieved(*documents))
    assert (made.is_hit(1), made.is_hit(3)) == (hit, hit)


@pytest.mark.proves("BP-08", "G-17")
def test_of_a_longer_list_the_protocol_reads_the_first_twelve() -> None:
    thirteenth = retrieved(*["x"] * 12, "t1")
    assert not outcome(ANSWERABLE, thirteenth).is_hit(3)
    twelfth = retrieved(*["x"] * 11, "t1", "y")
    assert outcome(ANSWERABLE, twelfth).is_hit(3)
    # What came back only beyond the window did not come back for the protocol.
    assert outcome(NO_ANSWER, retrieved(*[""] * 12, "x")).is_hit(1)


def test_a_deeper_list_keeps_its_judged_hits_beyond_the_window() -> None:
    made = outcome(ANSWERABLE, retrieved(*[f"x{n}" for n in range(20)], "t2", "t1"))
    assert made.retrieved == 22
    assert made.window == 12
    assert made.judged_hits == (JudgedHit(21, 1), JudgedHit(22, 1))
    assert not made.is_hit(3)


@pytest.mark.proves("G-17")
@pytest.mark.parametrize("question", [ANSWERABLE, NO_ANSWER], ids=["answerable", "no-answer"])
def test_a_failed_question_is_a_miss_without_a_latency(question: GoldenQuestion) -> None:
    made = outcome(question, Failed(error_class="TimeoutError"))
    assert made.state is OutcomeState.FAILED
    assert (made.is_hit(1), made.is_hit(3)) == (False, False)
    assert (made.retrieved, made.window, made.latency_ms) == (None, None, None)
    assert made.error_class == "TimeoutError"


@pytest.mark.parametrize("answer", [retrieved("x"), retrieved(), Failed(error_class="E")])
def test_an_unjudged_question_is_kept_and_never_a_hit(answer: Answer) -> None:
    made = outcome(UNJUDGED, answer)
    assert made.state is OutcomeState.UNJUDGED
    assert made.targets is None
    assert not made.is_answerable
    assert not made.is_no_answer
    assert not made.is_hit(1)


def test_outcomes_stand_in_byte_order_of_the_ids_whatever_the_order_of_the_set() -> None:
    a, b, c = a_question("a", "t"), a_question("b", "t"), a_question(b"\xff", "t")
    answers: dict[GoldenQuestion, Answer] = {
        a: retrieved("t"),
        b: retrieved("x"),
        c: Failed(error_class="E"),
    }
    orders = [(a, b, c), (c, b, a), (b, c, a)]
    made = {
        build_outcomes(a_set(*order), tuple(answers[q] for q in order), window=WINDOW)
        for order in orders
    }
    (only,) = made
    assert [one.position for one in only] == [0, 1, 2]
    assert [one.is_hit(1) for one in only] == [True, False, False]


def test_as_many_answers_as_questions_are_needed() -> None:
    with pytest.raises(ValueError, match="shorter"):
        build_outcomes(a_set(ANSWERABLE), (), window=WINDOW)


def test_an_outcome_holds_no_id_and_no_text() -> None:
    made = outcome(a_question("secret-q", "secret-d"), retrieved("secret-d", "secret-x"))
    assert "secret" not in repr(made)
    assert {field.name for field in fields(Outcome)} == {
        "position",
        "state",
        "targets",
        "retrieved",
        "window",
        "judged_hits",
        "latency_ms",
        "error_class",
        "judged_grades",
    }


documents = st.lists(st.sampled_from(["", "t1", "t2", "x", "y", "z", "w"]), max_size=20)


@given(documents)
def test_hits_equal_a_plain_reading_of_the_protocol(raw: list[str]) -> None:
    distinct = list(dict.fromkeys(name for name in raw[:WINDOW] if name))
    made = outcome(ANSWERABLE, retrieved(*raw))
    assert made.is_hit(1) == (distinct[:1] in (["t1"], ["t2"]))
    assert made.is_hit(3) == bool({"t1", "t2"} & set(distinct[:3]))
    assert outcome(NO_ANSWER, retrieved(*raw)).is_hit(3) == (not distinct)


@given(documents, st.integers(1, 11))
def test_a_hit_stays_a_hit_at_a_greater_cutoff(raw: list[str], cutoff: int) -> None:
    made = outcome(ANSWERABLE, retrieved(*raw))
    assert made.is_hit(cutoff) <= made.is_hit(cutoff + 1)
