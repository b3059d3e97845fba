"""Golden sets: those that are imported and those that are only known from results."""

import pytest

from evenhand.console.addresses import set_address
from tests.builders import a_provenance, a_question, a_set, a_set_use, an_evaluation
from tests.console.conftest import Console, only_sqlite


def test_list_holds_sets_that_are_imported_or_have_a_result(console: Console) -> None:
    console.keep(a_set(identifier="alpha", name="Alpha <i>set</i>"))
    console.add(an_evaluation(a_set(identifier="beta", name="Beta set")))
    page = console.get("/console/sets")

    assert [one for one in page.links() if one.startswith("/console/sets/")] == [
        "/console/sets/alpha",
        "/console/sets/beta",
    ]
    assert "Alpha <i>set</i> 4 0 imported none none" in page.text
    assert "Beta set unknown unknown known from results" in page.text


def test_questions_are_paged_in_the_order_of_the_set_without_those_held_out(
    console: Console,
) -> None:
    questions = [a_question(f"q{n}", "d", text=f"text{n}") for n in range(40, 10, -1)]
    console.keep(a_set(*questions, holdout=[a_question("h1", "d", text="held text")]))
    first = console.get(set_address("tiny"))
    [onward] = first.all("a", rel="next")
    second = console.get(onward["href"])
    seen = [w for page in (first, second) for w in page.text.split() if w.startswith("text")]

    assert seen == [f"text{n}" for n in range(40, 10, -1)]
    assert "questions 30 unjudged 0 held out 1" in first.text
    assert "held text" not in first.text + second.text


def test_set_tells_its_decisions_its_results_and_what_lint_finds(console: Console) -> None:
    console.keep(a_set())
    record = console.add(an_evaluation(provenance=a_provenance()))
    console.parts.database.run(
        lambda uow: uow.set_uses.add(a_set_use(evaluation_ids=(record.id,)))
    )
    page = console.get(set_address("tiny"))

    assert "1 decision rested on these labels so far" in page.text
    assert "gate pass" in page.text
    assert f"/console/evaluations/{record.id}" in page.links()
    assert "unreviewed: 4 of 4 judged questions are not reviewed" in page.text
    assert "Smallest difference of Success@1 that 3 answerable questions" in page.text


@only_sqlite
def test_set_that_is_not_imported_says_how_to_import_it(console: Console) -> None:
    console.add()
    page = console.get(set_address("tiny"))

    assert page.status == 200
    assert "evenhand sets import SET" in page.text
    assert "Not known: its labels are unknown." in page.text


@only_sqlite
def test_set_that_nobody_knows_is_not_there(console: Console) -> None:
    assert console.get(set_address("none")).status == 404


@only_sqlite
@pytest.mark.parametrize("after", ["x", "-2", "9" * 10, "1.5"])
def test_place_that_is_no_number_is_refused(console: Console, after: str) -> None:
    console.keep(a_set())

    assert console.get(f"{set_address('tiny')}?after={after}").status == 422


@only_sqlite
def test_import_in_place_of_a_set_is_seen_at_once(console: Console) -> None:
    console.keep(a_set())
    before = console.get(set_address("tiny"))
    console.parts.database.run(
        lambda uow: uow.golden_sets.save(a_set(a_question("z1", "d")), imported_at=uow.now())
    )
    after = console.get(set_address("tiny"))

    assert "4 of 4 judged questions are not reviewed" in before.text
    assert "1 of 1 judged" in after.text
