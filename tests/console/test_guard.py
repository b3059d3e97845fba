"""The role table of the console: who gets which status on which page. A page that is missing fails."""

import asyncio
from typing import Any

import pytest
from starlette.routing import Route

from evenhand.console.app import GUARDED
from evenhand.console.guard import Page
from evenhand.console.pages import sign_in
from tests.console.conftest import only_sqlite
from tests.console.hub_console import HubConsole

#: Who looks: nobody, a viewer, an operator. A service client cannot sign in, so it is nobody.
LOOKERS = (None, "viewer", "operator")
#: Method and path → statuses of `LOOKERS`. The path that is asked for names nothing that is there,
#: and what is sent is no form, so whoever may send one gets a later refusal.
EXPECTED = {
    ("GET", "/console/sign-in"): (200, 303, 303),
    ("POST", "/console/sign-in"): (422, 422, 422),
    ("GET", "/console/enter"): (401, 401, 401),
    ("POST", "/console/sign-out"): (401, 422, 422),
    ("GET", "/console/"): (303, 200, 200),
    ("GET", "/console/sets"): (303, 200, 200),
    ("GET", "/console/sets/{identifier}"): (303, 404, 404),
    ("GET", "/console/evaluations"): (303, 200, 200),
    ("GET", "/console/evaluations/{evaluation_id}"): (303, 404, 404),
    ("GET", "/console/evaluations/{evaluation_id}/questions"): (303, 404, 404),
    ("GET", "/console/evaluations/{evaluation_id}/questions.csv"): (303, 404, 404),
    ("GET", "/console/compare"): (303, 200, 200),
    ("GET", "/console/compare.csv"): (303, 422, 422),
    ("GET", "/console/comparisons"): (303, 200, 200),
    ("GET", "/console/comparisons/new"): (303, 403, 200),
    ("POST", "/console/comparisons/new"): (401, 403, 422),
    ("GET", "/console/comparisons/{intent_id}"): (303, 404, 404),
    ("GET", "/console/comparisons/{intent_id}/progress"): (303, 404, 404),
    ("POST", "/console/comparisons/{intent_id}/cancel"): (401, 403, 422),
    ("GET", "/console/gateway-requests"): (303, 200, 200),
    ("GET", "/console/gateway-requests/{public_id}"): (303, 404, 404),
    ("GET", "/console/reviews"): (303, 200, 200),
    ("GET", "/console/reviews/{job_id}"): (303, 404, 404),
    ("GET", "/console/review-strata"): (303, 200, 200),
    ("GET", "/console/events"): (303, 200, 200),
    ("GET", "/console/event-questions/{question}.csv"): (303, 404, 404),
    ("GET", "/console/event-questions/{question}"): (303, 404, 404),
    ("GET", "/console/audit"): (303, 403, 200),
    ("GET", "/console/deployments"): (303, 200, 200),
    ("GET", "/console/deployments/{deployment_id}"): (303, 404, 404),
    ("POST", "/console/deployments/{deployment_id}/use"): (401, 403, 422),
    ("POST", "/console/deployments/{deployment_id}/cutoff"): (401, 403, 422),
    ("GET", "/console/routes"): (303, 200, 200),
    ("GET", "/console/routes/{route_id}"): (303, 404, 404),
    ("POST", "/console/routes/{route_id}/use"): (401, 403, 422),
    ("POST", "/console/routes/{route_id}/point"): (401, 403, 422),
}


def listed() -> list[tuple[str, str]]:
    return [
        (method, route.path)
        for route in (*sign_in.ROUTES, *GUARDED)
        for method in sorted((route.methods or set()) - {"HEAD"})
    ]


def test_the_role_table_holds_every_page() -> None:
    assert sorted(listed()) == sorted(EXPECTED)
    # Only the sign-in is a route without a guard before it: its form is asked for by itself.
    assert [route.path for route in sign_in.ROUTES if not isinstance(route, Page)] == [
        "/console/sign-in"
    ]


@only_sqlite
@pytest.mark.proves("C-32", "C-33", "C-35", "G-58")
def test_every_page_is_shown_to_whom_it_may_be(hub_console: HubConsole) -> None:
    browsers = [hub_console.browser(role) for role in LOOKERS]
    found = {
        (method, path): tuple(
            browser.send(method, path.replace("{", "").replace("}", "")).status_code
            for browser in browsers
        )
        for method, path in listed()
    }

    assert found == EXPECTED


@only_sqlite
def test_no_page_is_without_a_guard(hub_console: HubConsole) -> None:
    beside: Any = hub_console.hub.app
    app = asyncio.run(beside.console())._app
    open_pages = [
        route.path
        for route in app.routes
        if isinstance(route, Route) and not isinstance(route, Page)
    ]

    # Two that lead to the overview, and the form of the sign-in.
    assert open_pages == ["/", "/console", "/console/sign-in"]
