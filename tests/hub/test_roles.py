"""The role table: who gets which status on which route. A route that is missing here fails."""

import pytest
from starlette.routing import Route

from evenhand.core.access.roles import Role
from evenhand.hub.app import TABLE
from evenhand.hub.problems import problem_response
from tests.hub.conftest import Hub, only_sqlite

#: Method and path → statuses of nobody, a viewer and an operator. The path that is called names
#: nothing that is there and no body is sent, so whoever may call gets a later refusal.
EXPECTED = {
    ("GET", "/healthz"): (200, 200, 200),
    ("GET", "/readyz"): (200, 200, 200),
    ("GET", "/metrics"): (200, 200, 200),
    ("GET", "/api/v1/openapi.json"): (200, 200, 200),
    ("GET", "/api/v1/credentials"): (401, 403, 200),
    ("POST", "/api/v1/credentials"): (401, 403, 415),
    ("POST", "/api/v1/credentials/{credential_id}/rotate"): (401, 403, 404),
    ("POST", "/api/v1/credentials/{credential_id}/revoke"): (401, 403, 404),
    ("GET", "/api/v1/evaluations"): (401, 200, 200),
    ("GET", "/api/v1/evaluations/{evaluation_id}"): (401, 404, 404),
    ("GET", "/api/v1/evaluations/{evaluation_id}/outcomes"): (401, 404, 404),
    ("GET", "/api/v1/suites"): (401, 200, 200),
    ("POST", "/api/v1/suites"): (401, 403, 415),
    ("GET", "/api/v1/suites/{suite_id}"): (401, 404, 404),
    ("PATCH", "/api/v1/suites/{suite_id}"): (401, 403, 415),
    ("GET", "/api/v1/suites/{suite_id}/revisions"): (401, 404, 404),
    ("POST", "/api/v1/suites/{suite_id}/revisions"): (401, 403, 415),
    ("GET", "/api/v1/suite-revisions/{revision_id}"): (401, 404, 404),
    ("GET", "/api/v1/suite-revisions/{revision_id}/cases"): (401, 404, 404),
}


@only_sqlite
def test_the_role_table_holds_every_route_of_the_application(hub: Hub) -> None:
    served = {
        (method, route.path)
        for route in hub.app.routes
        if isinstance(route, Route)
        for method in route.methods or ()
    }

    assert len(hub.app.routes) == len(TABLE.entries)
    assert served == {(entry.method, entry.path) for entry in TABLE.entries} == set(EXPECTED)


@only_sqlite
@pytest.mark.proves("G-58")
def test_each_role_gets_what_the_table_says(hub: Hub) -> None:
    found = {
        (method, path): tuple(
            hub.call(method, path.replace("{", "").replace("}", ""), role).status_code
            for role in (None, "viewer", "operator")
        )
        for method, path in EXPECTED
    }

    assert found == EXPECTED


def test_a_service_client_is_refused_where_people_read() -> None:
    from evenhand.core.access.roles import Principal, require
    from evenhand.core.errors import Forbidden

    client = Principal(credential_id="x", role=Role.SERVICE_CLIENT, client_id="c", project_id="p")
    for entry in TABLE.entries:
        if entry.action is not None:
            with pytest.raises(Forbidden) as refused:
                require(client, entry.action)
            assert problem_response(refused.value).status_code == 403
