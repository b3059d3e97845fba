"""A console in the hands of people: keys, the theme that stays, copying, and no script at all."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.console.browser.conftest import Site
from tests.console.browser.crawl import pages_of


@pytest.fixture
def window(browser: Any, site: Site) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    site.enter(page)
    yield page
    context.close()


def test_keys_lead_to_places_and_move_through_rows(window: Any, site: Site) -> None:
    window.goto(f"{site.address}/console/")
    window.keyboard.press("g")
    window.keyboard.press("e")
    window.wait_for_url("**/console/evaluations")

    window.keyboard.press("j")
    first = window.evaluate("document.activeElement.closest('[data-row]').rowIndex")
    window.keyboard.press("j")
    second = window.evaluate("document.activeElement.closest('[data-row]').rowIndex")
    window.keyboard.press("k")
    back = window.evaluate("document.activeElement.closest('[data-row]').rowIndex")
    assert (first, second, back) == (1, 2, 1)

    window.keyboard.press("/")
    assert window.evaluate("document.activeElement.matches('[data-filter]')")
    window.keyboard.type("g")
    assert window.url.endswith("/console/evaluations")


def test_the_list_of_keys_opens_and_closes(window: Any, site: Site) -> None:
    window.goto(f"{site.address}/console/")
    window.keyboard.press("?")
    assert window.locator("dialog#shortcuts").is_visible()
    window.keyboard.press("Escape")
    assert not window.locator("dialog#shortcuts").is_visible()


def test_a_chosen_theme_stays_from_page_to_page(window: Any, site: Site) -> None:
    window.goto(f"{site.address}/console/")
    window.keyboard.press("t")
    window.keyboard.press("t")
    window.goto(f"{site.address}/console/evaluations")

    assert window.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_the_first_stop_of_the_keyboard_skips_to_the_content(window: Any, site: Site) -> None:
    window.goto(f"{site.address}/console/evaluations")
    window.keyboard.press("Tab")
    assert window.evaluate("document.activeElement.className") == "skip"
    assert window.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    window.keyboard.press("Enter")
    assert window.evaluate("document.activeElement.id") == "main"


def test_every_page_reads_the_same_without_script(browser: Any, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    site.enter(page)
    without: dict[str, str] = {}
    for route, address in pages_of(site.console.get).items():
        page.goto(site.address + address)
        without[route] = page.locator("main").inner_text()
    context.close()

    assert len(without) > 5
    assert [route for route, words in without.items() if len(words) < 40] == []


def test_a_form_filters_without_script(browser: Any, site: Site) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    site.enter(page)
    page.goto(f"{site.address}/console/gateway-requests")
    page.select_option("select[name=state]", "failed")
    page.click("form.filters button")

    assert "state=failed" in page.url
    assert page.locator("tr[data-row]").count() == 1
    context.close()
