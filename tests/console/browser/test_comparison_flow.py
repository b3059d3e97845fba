"""An operator's whole way with a comparison in a browser: prepared, carried out, looked at, cancelled."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.console.browser.hub_site import HubSite, opened_hub_site
from tests.console.browser.looking import Complaints

#: Longer than a page waits until it asks again.
POLLED_MS = 10_000
#: How long an answer may take before the page is made to ask again, and how often that may be.
ANSWER_MS = 1_000
MOST_ASKED = 60


@pytest.fixture(scope="module")
def hub_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubSite]:
    with opened_hub_site(tmp_path_factory.mktemp("flow")) as made:
        yield made


@pytest.fixture
def operator(browser: Any, hub_site: HubSite) -> Iterator[Any]:
    """A window in which time passes when the test says so."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.clock.install()
    hub_site.enter(page)
    yield page
    context.close()


def prepare(page: Any, site: HubSite) -> str:
    """Prepare a comparison by its form; its id."""
    page.goto(f"{site.address}/console/comparisons")
    page.click("a.button.primary")
    link = page.locator("tr[data-row] th a")
    if link.count():
        link.first.click()
    page.select_option("[name=client]", site.hub.world.client.id)
    page.fill("[name=current_index_ref]", "index-current")
    page.fill("[name=candidate_index_ref]", "index-candidate")
    page.click("main form button.primary")
    page.wait_for_url("**/console/comparisons/0*")
    return str(page.url.rpartition("/")[2].partition("?")[0])


def state(page: Any) -> str:
    return str(page.get_attribute("#standing", "data-state"))


def pass_time(page: Any, until: str) -> None:
    """Let the page ask for how far it has come, until it shows a state."""
    pass_time_for(page, f"#standing[data-state={until}]")


def pass_time_for(page: Any, shown: str) -> None:
    """Let time pass in the page until something is shown; its next question waits for an answer."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    for _ in range(MOST_ASKED):
        page.clock.run_for(POLLED_MS)
        with suppress(PlaywrightTimeoutError):
            page.wait_for_selector(shown, timeout=ANSWER_MS)
            return
    page.wait_for_selector(shown, timeout=ANSWER_MS)


def test_a_comparison_runs_and_is_cancelled_before_an_operators_eyes(
    operator: Any, hub_site: HubSite
) -> None:
    complaints = Complaints(operator, hub_site.address)
    comparing = hub_site.hub.comparing

    told = comparing.get(f"/{prepare(operator, hub_site)}").json()
    assert state(operator) == "pending"

    claimed = comparing.claim(told).json()
    pass_time(operator, "running")
    assert comparing.progress(claimed, 1, 0).status_code == 200
    pass_time_for(operator, "#standing progress[value='1']")

    operator.click("details.change summary")
    operator.click("details.change button")
    operator.wait_for_load_state()
    assert state(operator) == "cancel_requested"
    assert comparing.progress(claimed, 1, 1).json()["cancel_requested"] is True

    assert comparing.finish(claimed, "cancelled").status_code == 200
    pass_time(operator, "cancelled")
    assert complaints.found == []


def test_what_was_published_is_shown_with_both_legs_and_its_evidence(
    operator: Any, hub_site: HubSite
) -> None:
    comparing = hub_site.hub.comparing
    told = comparing.get(f"/{prepare(operator, hub_site)}").json()
    claimed = comparing.claim(told).json()
    assert comparing.publish(claimed, comparing.result(claimed)).status_code == 200

    pass_time(operator, "completed")
    words = operator.locator("main").inner_text()

    assert "candidate" in words.lower()
    assert operator.locator("a[href*='/console/evaluations/']").count() == 2


def test_a_viewer_reads_and_has_no_form(browser: Any, hub_site: HubSite) -> None:
    context = browser.new_context()
    page = context.new_page()
    hub_site.enter(page, "viewer")
    page.goto(f"{hub_site.address}/console/comparisons")

    assert page.locator("a.button.primary").count() == 0
    page.goto(f"{hub_site.address}/console/comparisons/new")
    assert "You may not do this" in page.locator("main").inner_text()
    context.close()
