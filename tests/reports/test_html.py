import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest
from jinja2 import UndefinedError

from evenhand.core.privacy import PrivacyLevel
from evenhand.reports.event_chart import build_answer_view
from evenhand.reports.html import (
    environment,
    render_answer_html,
    render_collection_html,
    render_evaluation_html,
)
from evenhand.reports.question_lists import LISTED
from evenhand.reports.subject import fresh_subject, stored_subject
from evenhand.reports.verdict_view import Hints
from tests.builders import a_provenance, a_question, a_record, a_set, an_evaluation
from tests.reports import hostile
from tests.reports.rendering import against, read_page
from tests.reports.test_event_chart import an_answer

HARMLESS = {
    *("html", "head", "meta", "link", "title", "style", "body", "div", "a", "header", "main"),
    *("footer", "section", "h1", "h2", "h3", "h4", "p", "span", "strong", "em", "small", "bdi"),
    *("code", "pre", "dl", "dt", "dd", "ul", "ol", "li", "details", "summary"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "rect", "line", "circle", "path"),
}


def hostile_evaluation() -> str:
    subject, comparison = against(
        hostile.an_evaluation_of_it(fails=True), hostile.an_evaluation_of_it()
    )
    hints = Hints(command=hostile.EVERYTHING, declaration=hostile.EVERYTHING)
    return render_evaluation_html(subject, comparison=comparison, hints=hints)


def unknown() -> str:
    subject, comparison = against(an_evaluation(), an_evaluation())
    return render_evaluation_html(
        subject, comparison=comparison, hints=Hints(declaration="[tool.evenhand]\na = 1")
    )


def mismatch() -> str:
    subject, comparison = against(
        an_evaluation(provenance=a_provenance(corpus="now")),
        an_evaluation(provenance=a_provenance(corpus="then")),
    )
    return render_evaluation_html(subject, comparison=comparison)


def stored() -> str:
    record = a_record(an_evaluation(), privacy=PrivacyLevel.NONE)
    return render_evaluation_html(stored_subject(record))


PAGES: dict[str, Callable[[], str]] = {
    "hostile evaluation": hostile_evaluation,
    "hostile collection": lambda: render_collection_html(hostile.a_hostile_collection()),
    "unknown": unknown,
    "mismatch": mismatch,
    "stored without outcomes": stored,
    "events": lambda: render_answer_html(build_answer_view(an_answer())),
    "not stored": lambda: render_evaluation_html(fresh_subject(an_evaluation())),
}


@pytest.fixture(params=PAGES)
def html(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


def test_only_elements_of_our_own_are_in_the_page(html: str) -> None:
    page = read_page(html)

    assert {element.tag for element in page.elements} <= HARMLESS
    handlers = [
        name for element in page.elements for name in element.attributes if name.startswith("on")
    ]
    assert handlers == []


def test_nothing_is_fetched_from_anywhere(html: str) -> None:
    page = read_page(html)
    links = [
        value
        for element in page.elements
        for name, value in element.attributes.items()
        if name in ("href", "src", "srcset", "action", "data", "xlink:href")
    ]

    assert all(link == "data:," or (link or "").startswith("#") for link in links)
    assert "url(" not in html
    assert "@import" not in html
    [policy] = [e for e in page.of("meta") if e.attributes.get("http-equiv")]
    assert (policy.attributes["content"] or "").startswith("default-src 'none'")


def test_hostile_texts_are_shown_as_text() -> None:
    for name in ("hostile evaluation", "hostile collection"):
        html = PAGES[name]()
        text = read_page(html).text

        assert hostile.SCRIPT in text
        assert hostile.IMAGE in text
        assert "{{ 7 * 7 }}" in text
        assert "<U+001B>[2J" in text
        assert "safe<U+202E>gnp.exe" in text
        assert "caf<0xE9><0xFF>" in text
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\udc80-\udcff]", html)
        html.encode("utf-8")


def test_ids_are_distinct_and_every_reference_finds_one(html: str) -> None:
    page = read_page(html)
    ids = Counter(e.attributes["id"] for e in page.elements if "id" in e.attributes)
    labelled = {e.attributes.get("aria-labelledby") for e in page.elements} - {None}
    anchors = {(e.attributes.get("href") or "#")[1:] for e in page.of("a")}

    assert [name for name, number in ids.items() if number > 1] == []
    assert (labelled | anchors) - {""} <= ids.keys()


def test_every_table_has_a_caption_and_every_heading_cell_a_scope(html: str) -> None:
    page = read_page(html)

    assert len(list(page.of("table"))) == len(list(page.of("caption")))
    assert {cell.attributes.get("scope") for cell in page.of("th")} <= {"col", "row"}


def test_every_region_that_scrolls_can_be_reached_by_keyboard(html: str) -> None:
    page = read_page(html)
    scrolls = [
        e
        for e in page.elements
        if e.attributes.get("class") in ("scroll", "command") or e.tag == "pre"
    ]

    assert all(element.attributes.get("tabindex") == "0" for element in scrolls)
    assert all(
        element.attributes.get("aria-labelledby") or element.attributes.get("aria-label")
        for element in scrolls
    )


def test_heading_levels_begin_at_one_and_skip_none(html: str) -> None:
    levels = [int(e.tag[1]) for e in read_page(html).of("h1", "h2", "h3", "h4")]

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_drawing_says_in_words_what_it_shows_or_is_hidden(html: str) -> None:
    drawings = read_page(html).of("svg")

    assert all(
        drawing.attributes.get("aria-hidden") == "true"
        or (drawing.attributes.get("role") == "img" and drawing.attributes.get("aria-label"))
        for drawing in drawings
    )


@pytest.mark.parametrize("name", PAGES)
def test_equal_results_give_equal_pages(name: str) -> None:
    assert PAGES[name]() == PAGES[name]()


def test_an_undefined_value_is_an_error_and_not_an_empty_place() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ missing }}").render()


def test_every_template_compiles_and_escapes() -> None:
    made = environment()

    for name in made.list_templates():
        made.get_template(name)
    assert made.from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"


def test_the_verdict_is_a_word_and_a_shape_and_never_colour_alone() -> None:
    text = read_page(mismatch()).text

    assert "Verdict: Mismatch" in text
    assert mismatch().count('class="icon"') == 1


def test_the_pooled_rate_comes_after_the_headline_the_verdict_and_the_splits() -> None:
    text = read_page(mismatch()).text
    places = [
        text.index(part)
        for part in ("Success@1", "attempted", "Privacy", "Verdict", "Splits", "Pooled rates")
    ]

    assert places == sorted(places)


def test_a_list_of_thousands_is_cut_and_says_so() -> None:
    many = a_set(*(a_question(f"q{number:04d}", "d1") for number in range(LISTED + 20)))

    text = read_page(render_evaluation_html(fresh_subject(an_evaluation(many, {})))).text

    assert f"q{LISTED - 1:04d}" in text
    assert f"q{LISTED:04d}" not in text
    assert f"The first {LISTED} in order of their ids; 20 more are not listed." in text
