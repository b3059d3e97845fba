"""Texts of somebody who means harm, on every page: shown as they are, and never carried out (B-121)."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from evenhand.core.scoring.evaluation import Evaluation
from tests.builders import Given, a_provenance, a_question, a_set, an_evaluation
from tests.cases_runner import load
from tests.console.browser.conftest import Site, opened_site
from tests.console.browser.crawl import pages_of
from tests.console.browser.looking import TOO_WIDE, Complaints
from tests.console.rows import fill_trail
from tests.usecases.reviews.conftest import World

PAYLOADS: list[str] = load("B-121")["given"]["payloads"]
#: As a reader sees it: what turns the reading direction round is spelt out.
SHOWN = [one.replace("\u202e", "<U+202E>") for one in PAYLOADS]
EVERYTHING = " ".join(PAYLOADS)
TOUCH_ALL = """
() => {
  for (const one of document.querySelectorAll('main *')) {
    for (const kind of ['mouseover', 'focus', 'mouseenter', 'click']) {
      if (kind === 'click' && one.closest('a, button, form')) continue;
      one.dispatchEvent(new MouseEvent(kind, {bubbles: true}));
    }
  }
}
"""
BAD_LINKS = """
() => [...document.querySelectorAll('[href], [src], [action], [formaction]')]
  .map((one) => one.getAttribute('href') || one.getAttribute('src') || one.getAttribute('action')
    || one.getAttribute('formaction') || '')
  .filter((one) => /^\\s*(javascript|data|vbscript):/i.test(one))
"""


def hostile_evaluation(corpus: str, *, fails: bool = False) -> Evaluation:
    """Every payload as id, text, target, class and name of the set, the retriever and a failure."""
    golden_set = a_set(
        *(
            a_question(f"{number} {text}", f"target {text}", text=text, hard_class=text)
            for number, text in enumerate(PAYLOADS)
        ),
        name=EVERYTHING,
    )
    given: dict[str, Given] = {
        one.text: ("x", *one.expected_document_ids) if fails else one.expected_document_ids
        for one in golden_set.questions
    }
    if fails:
        given[PAYLOADS[1]] = type(PAYLOADS[0], (Exception,), {})("late")
    provenance = a_provenance(corpus=corpus, pipeline="new" if fails else "old")
    return an_evaluation(golden_set, given, provenance=provenance, identifier=PAYLOADS[0])


def harm(site: Site) -> None:
    """Put the payloads wherever a text of somebody else's may come from."""
    for number, evaluation in enumerate(
        (hostile_evaluation("c1"), hostile_evaluation("c1", fails=True)), 1
    ):
        site.console.add(evaluation, number=number)
    site.console.keep(hostile_evaluation("c1").golden_set)
    trail = fill_trail(site.console.parts.database)
    _harm_reviews(trail.world)


def _harm_reviews(world: World) -> None:
    from tests.review_builders import a_candidate

    candidate = a_candidate(summary=PAYLOADS[0], rationale=EVERYTHING)
    reviewed = world.review(
        candidates=[candidate],
        config={"upstreamModelId": PAYLOADS[1]},
        artifact_id=PAYLOADS[2],
        subject_id=PAYLOADS[4],
        cohort=PAYLOADS[5],
        case_id=PAYLOADS[6],
    )
    world.compose(reviewed, recipient=PAYLOADS[7], body=EVERYTHING)


@pytest.fixture(scope="module")
def harmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with opened_site(tmp_path_factory.mktemp("harmed")) as made:
        harm(made)
        yield made


@pytest.fixture(scope="module")
def pages(harmed: Site) -> dict[str, str]:
    return pages_of(harmed.console.get)


def test_no_page_carries_out_what_a_text_says(
    browser: Any, harmed: Site, pages: dict[str, str]
) -> None:
    expected = load("B-121")["expected"]
    window = browser.new_page(viewport={"width": 360, "height": 800})
    harmed.enter(window)
    complaints = Complaints(window, harmed.address)
    seen = ""
    for address in pages.values():
        window.goto(harmed.address + address)
        window.evaluate(TOUCH_ALL)
        assert window.evaluate("window.__xss ?? null") == expected["window.__xss"], address
        assert len(window.evaluate(BAD_LINKS)) == expected["javascript_links"], address
        assert window.evaluate(TOO_WIDE) == [], address
        words = window.evaluate("document.title + ' ' + document.body.textContent")
        assert "\u202e" not in words, address
        seen += words
    window.close()

    assert complaints.found == []
    assert harmed.console.failures == []
    missing = [one for one in SHOWN if one not in seen]
    assert (missing == []) is expected["literal_text_visible"]
    assert len(pages) > 8


def test_every_page_says_what_a_browser_may_do(harmed: Site, pages: dict[str, str]) -> None:
    for address in pages.values():
        policy = harmed.console.get(address).response.headers["Content-Security-Policy"]
        assert "script-src 'self'" in policy
        assert "unsafe-inline" not in policy


def test_a_text_in_an_address_is_never_carried_out(browser: Any, harmed: Site) -> None:
    window = browser.new_page()
    harmed.enter(window)
    names = ("kind", "object", "actor")
    for text in PAYLOADS:
        asked = "&".join(f"{name}={quote(text, safe='')}" for name in names)
        window.goto(f"{harmed.address}/console/audit?{asked}")
        assert window.evaluate("window.__xss ?? null") is None
        assert {window.input_value(f"[name={name}]") for name in names} == {text}
    window.close()
