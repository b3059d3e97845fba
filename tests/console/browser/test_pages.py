"""Every page in a real browser: quiet, at home, in its window, and accessible in both themes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.console.browser.conftest import Site
from tests.console.browser.crawl import page_routes, pages_of
from tests.console.browser.hub_site import HubSite, fill_hub, opened_hub_site
from tests.console.browser.looking import TOO_WIDE, Complaints, violations

SCHEMES = ("light", "dark")
DESK, TELEPHONE = 1280, 360
UNFOLD = "document.querySelectorAll('main details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def hub_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubSite]:
    with opened_hub_site(tmp_path_factory.mktemp("hub")) as made:
        fill_hub(made)
        yield made


@pytest.fixture(scope="module")
def pages(site: Site, hub_site: HubSite) -> dict[str, tuple[str, str]]:
    """Site and path by route: the laptop's console, a hub's where that has no such page."""
    of_hub = {route: (hub_site.address, one) for route, one in pages_of(hub_site.get).items()}
    return of_hub | {
        route: (site.address, one) for route, one in pages_of(site.console.get).items()
    }


@pytest.fixture(scope="module", params=SCHEMES)
def windows(
    request: pytest.FixtureRequest, browser: Any, site: Site, hub_site: HubSite
) -> Iterator[dict[str, Any]]:
    """A window for all pages of a site in a theme; each has cookies of its own."""
    opened = {}
    for one in (site, hub_site):
        context = browser.new_context(color_scheme=request.param, reduced_motion="reduce")
        opened[one.address] = context.new_page()
        one.enter(opened[one.address])
    yield opened
    for page in opened.values():
        page.context.close()


@pytest.mark.parametrize("route", page_routes())
def test_a_page_is_quiet_fits_and_can_be_used_by_everybody(
    route: str, windows: dict[str, Any], site: Site, pages: dict[str, tuple[str, str]]
) -> None:
    assert route in pages, "no link of the console leads to it"
    address, path = pages[route]
    window = windows[address]
    complaints = Complaints(window, address)
    window.set_viewport_size({"width": DESK, "height": 900})
    window.goto(address + path)
    window.evaluate(UNFOLD)
    at_the_desk = violations(window)
    too_wide = window.evaluate(TOO_WIDE)
    window.set_viewport_size({"width": TELEPHONE, "height": 800})

    assert (at_the_desk, too_wide) == ([], [])
    assert (_at_the_telephone(window), window.evaluate(TOO_WIDE)) == ([], [])
    assert complaints.end() == []
    assert site.console.failures == []


def _at_the_telephone(window: Any) -> list[Any]:
    # Other boxes in the same colours: what a theme changes was looked at on the desk.
    is_dark = window.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    return [] if is_dark else violations(window)


def test_axe_notices_what_is_wrong(browser: Any, site: Site) -> None:
    page = browser.new_page()
    site.enter(page)
    page.evaluate(
        "document.querySelector('main').innerHTML = '<img src=\"/x.png\"><a href=\"/\"></a>'"
    )

    found = {rule for rule, _ in violations(page)}
    page.close()

    assert {"image-alt", "link-name"} <= found
