"""Two results: the verdict and its reasons first, and no number where they are not comparable."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from evenhand.console.addresses import COMPARE, compare_address
from evenhand.core.scoring.evaluation import EvaluationRecord
from tests.builders import (
    Given,
    a_baseline,
    a_provenance,
    a_question,
    a_record,
    a_set,
    an_evaluation,
)
from tests.console.conftest import Console, only_sqlite

SIXTY = a_set(*(a_question(f"q{n:02d}", f"d{n:02d}", text=f"text {n}") for n in range(60)))
NUMBER = re.compile(r"[+-]?\d\.\d{3}")


def answers(right: int) -> Mapping[str, Given]:
    """Right ones for the first questions, wrong ones for the others."""
    return {
        one.text: one.expected_document_ids if place < right else ["wrong"]
        for place, one in enumerate(SIXTY.questions)
    }


def add(console: Console, number: int, right: int, **labels: str) -> EvaluationRecord:
    fresh = an_evaluation(SIXTY, answers(right), provenance=a_provenance(**labels))
    return console.add(fresh, number=number)


def test_comparable_results_have_a_verdict_then_an_answer_with_its_interval(
    console: Console,
) -> None:
    console.keep(SIXTY)
    one, other = add(console, 1, 20), add(console, 2, 40)
    page = console.get(compare_address(one.id, other.id))
    verdict, answer = page.text.index("Verdict: Comparable"), page.text.index("Answer: Better")

    assert verdict < answer
    assert "+0.333 (+20)" in page.text
    assert "95 % interval +0." in page.text
    assert "Won, lost, alike 20, 0, 40" in page.text
    assert "Won at top 1 20" in page.text
    assert "text 20" in page.text
    assert "First target nearer for 20 questions" in page.text


@only_sqlite
@pytest.mark.proves("BP-23")
@pytest.mark.parametrize("labels", [{"corpus": "corpus-2"}, None])
def test_results_that_are_not_comparable_have_reasons_and_no_number(
    console: Console, labels: dict[str, str] | None
) -> None:
    one = add(console, 1, 20)
    fresh = an_evaluation(
        SIXTY, answers(40), provenance=None if labels is None else a_provenance(**labels)
    )
    other = console.add(fresh, number=2)
    page = console.get(compare_address(one.id, other.id))

    assert re.search("Verdict: (Mismatch|Unknown)", page.text)
    assert "evenhand ab" in page.text
    assert NUMBER.findall(page.text) == []
    assert "Answer" not in page.text
    assert page.all("svg", class_="chart-row") == []


@only_sqlite
def test_failed_questions_that_decide_make_the_answer_incomplete(console: Console) -> None:
    given = {**answers(20), **{f"text {n}": TimeoutError() for n in range(20, 40)}}
    one = console.add(an_evaluation(SIXTY, given, provenance=a_provenance()), number=1)
    other = add(console, 2, 40)
    page = console.get(compare_address(one.id, other.id))

    assert "Answer: Incomplete" in page.text
    assert "Bounds" in page.text


@only_sqlite
def test_pinned_baseline_is_the_current_side_under_its_word(console: Console) -> None:
    pinned = an_evaluation(SIXTY, answers(20), provenance=a_provenance())
    console.parts.database.run(lambda uow: uow.baselines.add(a_baseline(pinned)))
    other = add(console, 2, 40)
    page = console.get(compare_address("baseline", other.id))

    assert "Answer: Better" in page.text
    assert f"evenhand compare baseline {other.id}" in page.text


@only_sqlite
def test_current_side_is_chosen_by_the_verdict_on_it(console: Console) -> None:
    add(console, 1, 20, corpus="corpus-0")
    console.add(an_evaluation(SIXTY, answers(9)), number=2)
    near = add(console, 3, 20)
    other = add(console, 4, 40)
    first = console.get(COMPARE)
    page = console.get(compare_address(None, other.id))

    assert compare_address(None, other.id) in first.links()
    assert compare_address(near.id, other.id) in page.links()
    assert "fake Comparable" in page.text
    assert "fake Unknown provenance" in page.text
    assert "fake Mismatch corpus" in page.text
    assert NUMBER.findall(page.text) == []


@only_sqlite
def test_difference_of_a_held_out_part_is_left_to_the_command_that_counts_it(
    console: Console,
) -> None:
    held = a_set(holdout=SIXTY.questions, identifier="set").holdout_part
    assert held is not None
    one, other = (
        console.add(an_evaluation(held, answers(right), provenance=a_provenance()), number=number)
        for number, right in ((1, 20), (2, 40))
    )
    page = console.get(compare_address(one.id, other.id))

    assert "Verdict: Comparable" in page.text
    assert f"evenhand compare {one.id} {other.id}" in page.text
    assert NUMBER.findall(page.text) == []


@only_sqlite
def test_looking_counts_no_decision(console: Console) -> None:
    one, other = add(console, 1, 20), add(console, 2, 40)
    console.get(compare_address(one.id, other.id))
    uses = console.parts.database.read(lambda uow: uow.set_uses.count(SIXTY.labels_fingerprint))

    assert uses.total == 0


@only_sqlite
@pytest.mark.parametrize("sides", [("nothing", ""), ("baseline", ""), ("", "nothing")])
def test_side_that_is_not_there_is_named(console: Console, sides: tuple[str, str]) -> None:
    other = add(console, 2, 40)
    page = console.get(compare_address(sides[0], sides[1] or other.id))

    assert page.status == 404


@only_sqlite
def test_outcomes_that_contradict_their_labels_are_told_where_the_answer_would_stand(
    console: Console,
) -> None:
    one = add(console, 1, 20)
    fewer = a_set(*SIXTY.questions[:30])
    fresh = an_evaluation(fewer, provenance=a_provenance())
    # As an edited file may state it: the benchmark of the sixty, and the outcomes of thirty.
    stated = replace(a_record(fresh, number=2), identity=one.identity)
    console.parts.database.run(
        lambda uow: uow.evaluations.add(stated, outcomes=fresh.outcomes, rankings=(), details=None)
    )
    page = console.get(compare_address(one.id, stated.id))

    assert "Verdict: Comparable" in page.text
    assert "This part cannot be shown: outcomes:" in page.text
    assert "What was run" in page.text
