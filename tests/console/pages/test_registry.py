"""Deployments and routes in the console: where each name leads, and what an operator may change."""

import pytest

from evenhand.core.registry.route import RouteKind
from tests.console.conftest import Page, only_sqlite
from tests.console.hub_console import Browser, HubConsole, forms_of

DEPLOYMENTS, ROUTES = "/console/deployments", "/console/routes"


def sent(browser: Browser, address: str, what: str, **typed: str) -> Page:
    """The answer to a form of the page at an address."""
    return browser.submit(browser.get(address), f"{address}/{what}", **typed)


def test_where_a_route_points_is_seen_from_both_ends(hub_console: HubConsole) -> None:
    viewer, world = hub_console.browser("viewer"), hub_console.world
    shop = world.shop
    live, small = f"{ROUTES}/{shop.route.id}", f"{DEPLOYMENTS}/{shop.deployment.id}"

    deployments, routes = viewer.get(DEPLOYMENTS), viewer.get(ROUTES)

    assert small in routes.links()
    assert live in deployments.links()
    assert live in viewer.get(small).links()
    assert small in viewer.get(live).links()
    for page in (deployments, routes, viewer.get(small), viewer.get(live)):
        assert "production" in page.text
    assert "production" not in viewer.get(f"{DEPLOYMENTS}/{world.candidate.id}").text
    assert viewer.get(f"{ROUTES}?binding={shop.binding.id}").all("tr", data_row="")


@only_sqlite
def test_a_viewer_is_offered_no_form(hub_console: HubConsole) -> None:
    viewer, shop = hub_console.browser("viewer"), hub_console.world.shop
    for address in (f"{ROUTES}/{shop.route.id}", f"{DEPLOYMENTS}/{shop.deployment.id}"):
        assert list(forms_of(viewer.get(address))) == ["/console/sign-out", ""]


@pytest.mark.proves("C-10", "G-60")
def test_production_changes_by_pointing_a_stable_route_elsewhere(hub_console: HubConsole) -> None:
    operator, world = hub_console.browser("operator"), hub_console.world
    address = f"{ROUTES}/{world.shop.route.id}"
    stale = operator.get(address)

    answer = sent(operator, address, "point", deployment=world.candidate.id)

    assert (answer.status, answer.response.headers["Location"]) == (303, address)
    found = hub_console.hub.parts.database.read(lambda uow: uow.routes.get(world.shop.route.id))
    assert (found.deployment_id, found.version) == (world.candidate.id, 2)
    late = operator.submit(stale, f"{address}/point", deployment=world.shop.deployment.id)
    assert (late.status, "version_conflict" in late.text) == (409, True)
    [entry, *_] = hub_console.hub.parts.database.read(
        lambda uow: uow.audit.list_latest(object_kind="route", object_id=found.id, limit=9)
    )
    assert (entry.action, entry.actor.kind.value, entry.related_id) == (
        *("change", "operator", world.candidate.id),
    )


@only_sqlite
def test_an_experiment_cannot_be_pointed_elsewhere(hub_console: HubConsole) -> None:
    operator, world = hub_console.browser("operator"), hub_console.world
    assert world.trial.kind is RouteKind.EXPERIMENT
    address = f"{ROUTES}/{world.trial.id}"
    page = operator.get(address)
    assert f"{address}/point" not in forms_of(page)

    use = forms_of(page)[f"{address}/use"]
    refused = operator.post(f"{address}/point", use | {"deployment": world.shop.deployment.id})

    assert (refused.status, "invalid_value" in refused.text) == (422, True)


@only_sqlite
def test_what_is_taken_out_of_use_stays_listed_and_comes_back(hub_console: HubConsole) -> None:
    operator, world = hub_console.browser("operator"), hub_console.world
    for address in (f"{ROUTES}/{world.trial.id}", f"{DEPLOYMENTS}/{world.candidate.id}"):
        assert sent(operator, address, "use").status == 303
        out = operator.get(address)
        assert "out of use" in out.text
        assert "out of use" in operator.get(address.rsplit("/", 1)[0]).text
        assert sent(operator, address, "use").status == 303
        assert "in use" in operator.get(address).text
    page = operator.get(f"{ROUTES}/{world.trial.id}")
    bad = sent(operator, f"{ROUTES}/{world.trial.id}", "use", active="maybe")
    assert (page.status, bad.status) == (200, 422)


@only_sqlite
def test_a_cutoff_is_a_number_or_none(hub_console: HubConsole) -> None:
    operator, one = hub_console.browser("operator"), hub_console.world.candidate
    address = f"{DEPLOYMENTS}/{one.id}"

    found = []
    for given in ("0.25", "", "nan", "much"):
        answer = sent(operator, address, "cutoff", score_cutoff=given)
        kept = hub_console.hub.parts.database.read(lambda uow: uow.deployments.get(one.id))
        found.append((answer.status, kept.score_cutoff, kept.version))

    assert found == [(303, 0.25, 2), (303, None, 3), (422, None, 3), (422, None, 3)]
