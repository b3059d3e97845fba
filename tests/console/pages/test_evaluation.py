"""The page of one evaluation: the verdict before the difference, coverage beside every mean."""

from evenhand.console.addresses import compare_address, evaluation_address
from evenhand.core.privacy import PrivacyLevel
from tests.builders import (
    Given,
    a_baseline,
    a_provenance,
    a_question,
    a_set,
    an_evaluation,
    row_id,
)
from tests.console.conftest import Console, Page, only_sqlite

HOLDOUT = "tiny.holdout"


def page_of(console: Console, number: int) -> Page:

    return console.get(evaluation_address(row_id(number)))


@only_sqlite
def test_means_stand_beside_what_they_cover(console: Console) -> None:
    given: dict[str, Given] = {
        "q1": ["d1"],
        "q2": ["x"],
        "q3": RuntimeError("secret"),
        "q4": [],
    }
    console.add(an_evaluation(given=given))
    page = page_of(console, 1)

    assert "0.333" in page.text
    assert "1 of 3 answerable questions" in page.text
    assert "attempted 4 scored 3 failed 1 unjudged 0 no-answer 1" in page.text
    assert "secret" not in page.response.text


@only_sqlite
def test_first_result_says_that_there_is_nothing_to_compare_with(console: Console) -> None:
    console.add(an_evaluation(provenance=a_provenance()))
    page = page_of(console, 1)

    assert "Against the previous result: Baseline" in page.text
    assert "evenhand run SET fake" in page.text


@only_sqlite
def test_comparable_result_leads_to_its_difference(console: Console) -> None:
    one = console.add(an_evaluation(provenance=a_provenance()), number=1)
    other = console.add(an_evaluation(provenance=a_provenance(model="model-2")), number=2)
    page = page_of(console, 2)

    assert "Against the previous result: Comparable" in page.text
    assert compare_address(one.id, other.id) in page.links()


@only_sqlite
def test_other_corpus_is_named_and_no_difference_is_offered(console: Console) -> None:
    one = console.add(an_evaluation(provenance=a_provenance()), number=1)
    other = console.add(an_evaluation(provenance=a_provenance(corpus="corpus-2")), number=2)
    page = page_of(console, 2)

    assert "Against the previous result: Mismatch" in page.text
    assert "The two results state different corpora." in page.text
    assert "evenhand ab SET BEFORE fake" in page.text
    assert compare_address(one.id, other.id) not in page.links()
    assert "corpus changed" in page.text


@only_sqlite
def test_pinned_baseline_has_a_verdict_of_its_own(console: Console) -> None:
    fresh = an_evaluation(provenance=a_provenance(corpus="corpus-0"))
    console.parts.database.run(
        lambda uow: uow.baselines.add(a_baseline(fresh, note="release <12>"))
    )
    console.add(an_evaluation(provenance=a_provenance()), number=2)
    page = page_of(console, 2)

    assert "Against the pinned baseline: Mismatch" in page.text
    assert "release <12>" in page.text
    assert "<12>" not in page.response.text


@only_sqlite
def test_splits_are_told_where_the_set_is_the_one_that_was_asked(console: Console) -> None:
    console.keep(a_set())
    console.add(an_evaluation(provenance=a_provenance()), number=1)
    console.add(an_evaluation(), number=2)
    known, unknown = page_of(console, 1), page_of(console, 2)

    assert "By form (descriptive: no verdict is drawn from a part)" in known.text
    assert "By form" not in unknown.text
    assert "does not say which labels" in unknown.text


@only_sqlite
def test_what_was_not_kept_is_said_to_be_unknown(console: Console) -> None:
    console.add(privacy=PrivacyLevel.NONE)
    page = page_of(console, 1)

    assert "At this privacy level nothing is stored question by question." in page.text
    assert "Not known: nothing was measured." in page.text
    assert page.all("a", class_="button") == []


@only_sqlite
def test_held_out_part_shows_counts_and_no_question(console: Console) -> None:

    held = a_set(holdout=[a_question("h1", "d1", text="held text")]).holdout_part
    assert held is not None
    console.keep(a_set(holdout=held.questions))
    record = console.add(an_evaluation(held), privacy=PrivacyLevel.METADATA)
    page = console.get(evaluation_address(record.id))
    questions = console.get(f"{evaluation_address(record.id)}/questions")

    assert record.set_identifier == HOLDOUT
    assert "Held out" in page.text
    assert "By form" not in page.text
    assert questions.status == 422
    assert "held text" not in page.response.text + questions.response.text


@only_sqlite
def test_verdict_is_sent_before_what_rests_on_every_outcome(console: Console) -> None:
    record = console.add(an_evaluation(provenance=a_provenance()))
    with console.client.stream("GET", evaluation_address(record.id)) as answer:
        first = next(answer.iter_text())

    assert "Against the previous result" in first
    assert "Latency of the retrieval call" not in first


@only_sqlite
def test_id_that_is_not_stored_has_a_page_of_its_own(console: Console) -> None:
    page = console.get(evaluation_address("nothing\0 <x>"))

    assert page.status == 404
    assert "evaluation_not_found" in page.text
