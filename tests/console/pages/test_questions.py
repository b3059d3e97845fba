"""Questions of an evaluation: failures and unjudged ones as such, names only where they are right."""

import pytest

from evenhand.console.addresses import questions_address, with_query
from evenhand.console.pages import questions as pages
from evenhand.core.privacy import PrivacyLevel
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation
from tests.console.conftest import Console, Page, only_sqlite

MANY = a_set(*(a_question(f"q{n:03d}", f"d{n}", text=f"text {n}") for n in range(60)))


def rows(page: Page) -> list[str]:
    """Ids of the questions of a page."""
    words = page.text.split()
    return list(dict.fromkeys(w for w in words if w.startswith("q") and w[1:].isdigit()))


def test_pages_hold_every_question_once_in_order_of_the_ids(console: Console) -> None:
    console.keep(MANY)
    record = console.add(an_evaluation(MANY, provenance=a_provenance()))
    page = console.get(questions_address(record.id))
    seen = rows(page)
    while onward := page.all("a", rel="next"):
        page = console.get(onward[0]["href"])
        seen += rows(page)

    assert seen == [f"q{n:03d}" for n in range(60)]


@pytest.mark.parametrize("level", [PrivacyLevel.FULL, PrivacyLevel.METADATA])
def test_fate_of_each_question_stands_beside_its_text(
    console: Console, level: PrivacyLevel
) -> None:
    asked = a_set(
        a_question("q1", "d1", text="first text"),
        a_question("q2", "d2", text="second <b>text</b>"),
        a_question("q3", text="third text"),
        a_question("q4", "d4", text="fourth text"),
    )
    given = {"first text": ["d1"], "second <b>text</b>": ["x"], "third text": ["x"]}
    fresh = an_evaluation(
        asked, {**given, "fourth text": TimeoutError()}, provenance=a_provenance()
    )
    console.keep(asked)
    record = console.add(fresh, privacy=level)
    page = console.get(questions_address(record.id))

    assert "first text q1 match hit at 1 rank 1 d1" in page.text
    assert "second <b>text</b> q2 match missed not among 1 document d2" in page.text
    assert "third text q3 match not abstained 1 document no answer in the corpus" in page.text
    assert "fourth text q4 match failed failed (TimeoutError) d4" in page.text
    assert "<b>text" not in page.response.text


@only_sqlite
def test_choice_of_questions_shows_no_other(console: Console) -> None:
    given: dict[str, Given] = {"q1": ["d1"], "q2": ["x"], "q3": TimeoutError(), "q4": []}
    console.keep(a_set())
    record = console.add(an_evaluation(given=given, provenance=a_provenance()))
    shown = {
        show: rows(console.get(with_query(questions_address(record.id), show=show)))
        for show in ("missed", "failed", "unjudged")
    }

    assert shown == {"missed": ["q2"], "failed": ["q3"], "unjudged": []}
    assert console.get(with_query(questions_address(record.id), show="best")).status == 422


@only_sqlite
def test_set_with_other_labels_names_no_question(console: Console) -> None:
    record = console.add(an_evaluation(provenance=a_provenance()), privacy=PrivacyLevel.METADATA)
    console.keep(a_set(a_question("q1", "other", text="another text")))
    page = console.get(questions_address(record.id))

    assert "its labels are not those of this result" in page.text
    assert "another text" not in page.text
    assert "position 0" in page.text


@only_sqlite
def test_unjudged_questions_shift_positions_so_none_is_named_by_position(console: Console) -> None:
    asked = a_set(a_question("q1", "d1"), a_question("q2", "d2"))
    more = a_set(a_question("a0", unjudged=True), *asked.questions)
    assert more.labels_fingerprint == asked.labels_fingerprint
    record = console.add(
        an_evaluation(asked, provenance=a_provenance()), privacy=PrivacyLevel.METADATA
    )
    console.keep(more)

    assert rows(console.get(questions_address(record.id))) == []


@only_sqlite
def test_page_looks_only_so_far_and_says_how_far_it_came(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_REACH", 20)
    monkeypatch.setattr(pages, "_TOGETHER", 10)
    record = console.add(an_evaluation(MANY))
    page = console.get(with_query(questions_address(record.id), show="missed"))

    assert "Looked at positions 0 to 19." in page.text
    assert page.all("a", rel="next")[0]["href"].endswith("show=missed&after=19")


@only_sqlite
def test_labels_that_nobody_stated_are_unknown_and_not_others(console: Console) -> None:
    asked = a_set()
    console.keep(asked)
    page = console.get(questions_address(console.add(an_evaluation(asked)).id))

    assert "this result does not say which labels it was scored with" in page.text
    assert "not those of this result" not in page.text
