"""The hits protocol: counts, denominators, splits."""

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.core.retrieval.golden import DocId, Form, GoldenSet
from evenhand.core.retrieval.ranking import Answer, Failed, Retrieved
from evenhand.core.scoring.outcome import Outcome, build_outcomes
from evenhand.core.scoring.protocols import (
    GRADER,
    OVERFETCH,
    SCORING_VERSION,
    TOP_K,
    WINDOW,
    HitCounts,
    count_hits,
    rate,
    split_by_form,
    split_by_hard_class,
)
from tests.builders import a_question, a_set

FAILED = Failed(error_class="TimeoutError")


def got(*documents: str) -> Retrieved:
    return Retrieved(documents=tuple(DocId(document.encode()) for document in documents))


def outcomes_of(golden_set: GoldenSet, answers: Mapping[str, Answer]) -> tuple[Outcome, ...]:
    in_order = tuple(answers[question.text] for question in golden_set.questions)
    return build_outcomes(golden_set, in_order, window=WINDOW)


MIXED = a_set(
    a_question("a1", "t", hard_class="normal"),
    a_question("a2", "t", form=Form.GAP, hard_class="normal"),
    a_question("a3", "t", form=Form.GAP),
    a_question("a4", "t", form=Form.GAP),
    a_question("n1"),
    a_question("n2", form=Form.GAP, hard_class="boilerplate"),
    a_question("n3"),
    a_question("u1", unjudged=True, hard_class="normal"),
    a_question("u2", unjudged=True),
)
MIXED_ANSWERS: dict[str, Answer] = {
    "a1": got("t"),
    "a2": got("x", "t"),
    "a3": got(),
    "a4": FAILED,
    "n1": got(""),
    "n2": got("x"),
    "n3": FAILED,
    "u1": got("x"),
    "u2": FAILED,
}


@pytest.mark.proves("BP-08", "G-08")
def test_the_protocol_and_its_version_are_published_constants() -> None:
    assert SCORING_VERSION == "distinct-documents-top1-top3-no-result-v1"
    assert (TOP_K, OVERFETCH, WINDOW) == (3, 4, 12)


@pytest.mark.proves("BP-12")
def test_retrieval_has_a_grader_of_its_own() -> None:
    assert GRADER == "retrieval_hit_rate"


@pytest.mark.proves("BP-09", "G-17")
def test_counts_of_a_mixed_set() -> None:
    assert count_hits(outcomes_of(MIXED, MIXED_ANSWERS)) == HitCounts(
        questions=7,
        answerable=4,
        no_answer=3,
        failed=2,
        unjudged=2,
        top1_hits=2,
        top3_hits=3,
        answerable_top1_hits=1,
        answerable_top3_hits=2,
        abstained=1,
        false_abstained=1,
    )


def test_failed_questions_stay_in_every_denominator_and_unjudged_ones_are_in_none() -> None:
    counts = count_hits(outcomes_of(MIXED, MIXED_ANSWERS))
    assert counts.attempted == 9
    assert counts.scored == 5
    assert rate(counts.top1_hits, counts.questions) == Fraction(2, 7)


def test_a_failure_is_a_miss_and_not_a_right_abstention() -> None:
    both = a_set(a_question("a", "t"), a_question("n"))
    counts = count_hits(outcomes_of(both, {"a": FAILED, "n": FAILED}))
    assert (counts.top1_hits, counts.abstained, counts.false_abstained) == (0, 0, 0)
    assert (counts.questions, counts.failed, counts.scored) == (2, 2, 0)


@pytest.mark.proves("BP-10")
def test_a_rate_of_nothing_is_zero() -> None:
    assert rate(0, 0) == 0
    assert count_hits(()).questions == 0


def test_rates_are_exact() -> None:
    assert rate(2, 3) == Fraction(2, 3)


@pytest.mark.proves("BP-09")
def test_no_answer_questions_keep_their_own_denominator() -> None:
    # Case B-035: three different numbers, each with its own n.
    asked = a_set(a_question("q1", "a"), a_question("q2", "b"), a_question("q3"), a_question("q4"))
    answers = {"q1": got("a"), "q2": got("b"), "q3": got("z"), "q4": got()}
    counts = count_hits(outcomes_of(asked, answers))
    assert rate(counts.top1_hits, counts.questions) == Fraction(3, 4)
    assert rate(counts.answerable_top1_hits, counts.answerable) == 1
    assert rate(counts.abstained, counts.no_answer) == Fraction(1, 2)


@pytest.mark.proves("BP-11", "BP-02")
def test_the_breakdown_by_form_has_the_groups_that_occur() -> None:
    match, gap = split_by_form(MIXED, outcomes_of(MIXED, MIXED_ANSWERS))
    assert (match.name, match.counts.questions, match.counts.top1_hits) == ("match", 3, 2)
    assert (gap.name, gap.counts.questions, gap.counts.top3_hits) == ("gap", 4, 1)
    assert match.counts.failed == 1

    only_gap = a_set(a_question("q", "t", form=Form.GAP), a_question("u", unjudged=True))
    (one,) = split_by_form(only_gap, outcomes_of(only_gap, {"q": got("t"), "u": got("t")}))
    assert (one.name, one.counts.questions, one.counts.unjudged) == ("gap", 1, 0)


@pytest.mark.proves("BP-11", "BP-03")
def test_the_breakdown_by_hard_class_leaves_questions_without_one_out() -> None:
    boilerplate, normal = split_by_hard_class(MIXED, outcomes_of(MIXED, MIXED_ANSWERS))
    assert (boilerplate.name, boilerplate.counts.questions) == ("boilerplate", 1)
    assert (normal.name, normal.counts.questions) == ("normal", 2)
    assert (normal.counts.top1_hits, normal.counts.top3_hits) == (1, 2)
    assert normal.counts.unjudged == 0


@pytest.mark.proves("BP-01", "BP-11")
def test_hard_classes_that_only_read_alike_stay_apart() -> None:
    asked = a_set(
        a_question("q1", "t", hard_class=b"\xfe"), a_question("q2", "t", hard_class=b"\xff")
    )
    one, other = split_by_hard_class(asked, outcomes_of(asked, {"q1": got("t"), "q2": got()}))
    assert (one.name, one.counts.top1_hits) == (r"\xfe", 1)
    assert (other.name, other.counts.top1_hits) == (r"\xff", 0)


# Properties -------------------------------------------------------------------------------

KINDS = ("answerable", "no_answer", "unjudged")
answers = st.one_of(
    st.just(FAILED),
    st.lists(st.sampled_from(["t", "x", "y", "z", ""]), max_size=14).map(
        lambda names: got(*names)
    ),
)


@st.composite
def measured(draw: st.DrawFn) -> tuple[GoldenSet, tuple[Outcome, ...]]:
    questions = []
    given_answers: dict[str, Answer] = {}
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(KINDS))
        questions.append(
            a_question(
                f"q{number}",
                *(["t"] if kind == "answerable" else []),
                form=draw(st.sampled_from(Form)),
                hard_class=draw(st.sampled_from([None, "a", "b"])),
                unjudged=kind == "unjudged",
            )
        )
        given_answers[f"q{number}"] = draw(answers)
    golden_set = a_set(*questions)
    return golden_set, outcomes_of(golden_set, given_answers)


def added(counts: list[HitCounts]) -> HitCounts:
    names = HitCounts.__slots__
    return HitCounts(**{name: sum(getattr(one, name) for one in counts) for name in names})


@pytest.mark.proves("BP-09")
@given(measured())
def test_the_whole_numbers_are_consistent(case: tuple[GoldenSet, tuple[Outcome, ...]]) -> None:
    counts = count_hits(case[1])
    assert counts.questions == counts.answerable + counts.no_answer
    assert counts.attempted == len(case[1])
    assert counts.top1_hits == counts.answerable_top1_hits + counts.abstained
    assert counts.top3_hits == counts.answerable_top3_hits + counts.abstained
    assert counts.answerable_top1_hits <= counts.answerable_top3_hits
    assert counts.answerable_top3_hits + counts.false_abstained <= counts.answerable
    assert counts.abstained <= counts.no_answer
    assert counts.top3_hits + counts.failed <= counts.questions
    assert counts.scored == counts.questions - counts.failed
    assert all(
        0 <= rate(hits, counts.questions) <= 1 for hits in (counts.top1_hits, counts.failed)
    )


@given(measured(), st.data())
def test_counts_do_not_depend_on_order(
    case: tuple[GoldenSet, tuple[Outcome, ...]], data: st.DataObject
) -> None:
    assert count_hits(data.draw(st.permutations(case[1]))) == count_hits(case[1])


@pytest.mark.proves("BP-11")
@given(measured())
def test_the_groups_of_a_breakdown_add_up(case: tuple[GoldenSet, tuple[Outcome, ...]]) -> None:
    golden_set, outcomes = case
    judged = [one for one in outcomes if one.targets is not None]
    by_form = [split.counts for split in split_by_form(golden_set, outcomes)]
    assert added(by_form) == count_hits(judged)
    assert all(counts.questions for counts in by_form)

    classed = [
        outcome
        for question, outcome in zip(golden_set.by_position, outcomes, strict=True)
        if question.hard_class is not None and not question.unjudged
    ]
    by_class = split_by_hard_class(golden_set, outcomes)
    assert added([split.counts for split in by_class]) == count_hits(classed)
    assert [split.name for split in by_class] == sorted(split.name for split in by_class)
