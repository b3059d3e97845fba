"""What a window shows without scrolling sideways: where somebody is, and both verdicts."""

from typing import Any

from tests.console.browser.conftest import Site

RIGHT_EDGE = "(one) => Math.ceil(one.getBoundingClientRect().right)"


def test_a_telephone_shows_which_page_it_is(browser: Any, site: Site) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740})
    page = context.new_page()
    site.enter(page)
    page.goto(f"{site.address}/console/audit")

    assert page.locator(".menu a[aria-current]").evaluate(RIGHT_EDGE) <= 360
    context.close()


def test_the_overview_shows_both_verdicts_on_a_usual_screen(browser: Any, site: Site) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    site.enter(page)
    box = page.locator(".box").first

    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") == 0
    context.close()
