"""The role table: who gets which status on which route. A route that is missing here fails."""

import pytest
from starlette.routing import Route

from evenhand.core.access.roles import NEEDED, Capability
from evenhand.hub.app import TABLE
from tests.hub.conftest import Hub, only_sqlite

#: Who calls: nobody, a viewer, an operator, a service client with the capability that the route
#: asks for, and one with every other.
CALLERS = (None, "viewer", "operator", "client", "other-client")
#: Method and path → statuses of `CALLERS`. The path that is called names nothing that is there
#: and no body is sent, so whoever may call gets a later refusal.
EXPECTED = {
    ("GET", "/healthz"): (200, 200, 200, 200, 200),
    ("GET", "/readyz"): (200, 200, 200, 200, 200),
    ("GET", "/metrics"): (200, 200, 200, 200, 200),
    ("GET", "/api/v1/openapi.json"): (200, 200, 200, 200, 200),
    ("GET", "/api/v1/credentials"): (401, 403, 200, 403, 403),
    ("POST", "/api/v1/credentials"): (401, 403, 415, 403, 403),
    ("POST", "/api/v1/credentials/{credential_id}/rotate"): (401, 403, 404, 403, 403),
    ("POST", "/api/v1/credentials/{credential_id}/revoke"): (401, 403, 404, 403, 403),
    ("GET", "/api/v1/audit"): (401, 403, 200, 403, 403),
    ("GET", "/api/v1/projects"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/projects"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/projects/{project_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/projects/{project_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/bindings"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/bindings"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/bindings/{binding_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/bindings/{binding_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/service-clients"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/service-clients"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/service-clients/{service_client_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/service-clients/{service_client_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/artifacts"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/artifacts"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/artifacts/{artifact_id}"): (401, 404, 404, 403, 403),
    ("GET", "/api/v1/runtimes"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/runtimes"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/runtimes/{runtime_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/runtimes/{runtime_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/deployments"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/deployments"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/deployments/{deployment_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/deployments/{deployment_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/routes"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/routes"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/routes/{route_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/routes/{route_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/evaluations"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/evaluations"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/evaluations/{evaluation_id}"): (401, 404, 404, 404, 404),
    ("GET", "/api/v1/evaluations/{evaluation_id}/outcomes"): (401, 404, 404, 404, 404),
    ("GET", "/api/v1/suites"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/suites"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/suites/{suite_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/suites/{suite_id}"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/suites/{suite_id}/revisions"): (401, 404, 404, 403, 403),
    ("POST", "/api/v1/suites/{suite_id}/revisions"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/suite-revisions/{revision_id}"): (401, 404, 404, 403, 403),
    ("GET", "/api/v1/suite-revisions/{revision_id}/cases"): (401, 404, 404, 403, 403),
    ("POST", "/v1/embeddings"): (401, 403, 415, 415, 403),
    ("GET", "/v1/models"): (401, 403, 200, 200, 403),
    ("POST", "/api/v1/comparisons"): (401, 415, 415, 403, 403),
    ("GET", "/api/v1/selected-model-comparisons/assigned"): (401, 403, 403, 200, 403),
    ("POST", "/api/v1/selected-model-comparisons/{comparison_id}/claim"): (
        401,
        403,
        403,
        404,
        403,
    ),
    ("POST", "/api/v1/selected-model-comparisons/{comparison_id}/progress"): (
        *(401, 403, 403, 415, 403),
    ),
    ("POST", "/api/v1/selected-model-comparisons/{comparison_id}/result"): (
        *(401, 403, 403, 415, 403),
    ),
    ("POST", "/api/v1/selected-model-comparisons/{comparison_id}/finish"): (
        *(401, 403, 403, 415, 403),
    ),
    ("POST", "/api/v1/selected-model-comparisons"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/selected-model-comparisons"): (401, 200, 200, 403, 403),
    ("GET", "/api/v1/selected-model-comparisons/{comparison_id}"): (401, 404, 404, 403, 403),
    ("POST", "/api/v1/selected-model-comparisons/{comparison_id}/cancel"): (
        *(401, 403, 415, 403, 403),
    ),
    ("POST", "/api/v1/events"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/event-contract"): (401, 200, 200, 200, 200),
    ("GET", "/api/v1/events/{event_id}"): (401, 422, 422, 404, 404),
    ("GET", "/api/v1/event-questions/{question}"): (401, 422, 422, 403, 403),
    ("POST", "/api/v1/event-deletions"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/baselines"): (401, 200, 200, 403, 403),
    ("GET", "/api/v1/baselines/{baseline_id}"): (401, 404, 404, 403, 403),
    ("POST", "/api/v1/baselines"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/practices"): (401, 200, 200, 403, 403),
    ("POST", "/api/v1/practices"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/practices/{practice_id}"): (401, 404, 404, 403, 403),
    ("PATCH", "/api/v1/practices/{practice_id}"): (401, 403, 415, 403, 403),
    ("POST", "/api/v1/practices/{practice_id}/revisions"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/practices/{practice_id}/revisions"): (401, 404, 404, 403, 403),
    ("GET", "/api/v1/practices/{practice_id}/revisions/{revision_id}"): (
        401,
        404,
        404,
        403,
        403,
    ),
    ("POST", "/api/v1/agent-jobs"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/agent-jobs"): (401, 200, 200, 200, 200),
    ("POST", "/api/v1/agent-jobs/claim"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/agent-jobs/{job_id}"): (401, 404, 404, 404, 404),
    ("POST", "/api/v1/agent-jobs/{job_id}/cancel"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/agent-jobs/{job_id}/prepare"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/agent-jobs/{job_id}/start"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/agent-jobs/{job_id}/observations"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/agent-jobs/{job_id}/complete"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/agent-jobs/{job_id}/requeue"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/feedback"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/feedback/{feedback_id}"): (401, 404, 404, 404, 404),
    ("PATCH", "/api/v1/feedback/{feedback_id}"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/feedback/{feedback_id}/placements"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/feedback/{feedback_id}/dispatches"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/reactions"): (401, 403, 415, 415, 403),
    ("POST", "/api/v1/answers/{answer_id}/acceptance"): (401, 403, 415, 415, 403),
    ("GET", "/api/v1/answers/{answer_id}/acceptance"): (401, 422, 422, 200, 200),
    ("GET", "/api/v1/reviews/strata"): (401, 422, 422, 403, 403),
    ("POST", "/api/v1/reviews/labels"): (401, 403, 415, 403, 403),
    ("POST", "/api/v1/reviews/agreements"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/reviews/agreements"): (401, 422, 422, 403, 403),
    ("POST", "/api/v1/reviews/waivers"): (401, 403, 415, 403, 403),
    ("GET", "/api/v1/reviews/waivers"): (401, 422, 422, 403, 403),
    ("GET", "/api/v1/reviews/rates"): (401, 422, 422, 403, 403),
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
    for capability in Capability:
        hub.add_client(f"client-{capability.name.lower()}", capability)
        others = [one for one in Capability if one is not capability]
        hub.add_client(f"other-client-{capability.name.lower()}", *others)

    found = {
        (method, path): tuple(hub_status(hub, method, path, caller) for caller in CALLERS)
        for method, path in EXPECTED
    }

    assert found == EXPECTED


def hub_status(hub: Hub, method: str, path: str, caller: str | None) -> int:
    if caller is not None and caller.endswith("client"):
        # Where a route asks for no capability, any client will do.
        action = next(
            one.action for one in TABLE.entries if (one.method, one.path) == (method, path)
        )
        needed = NEEDED.get(action) if action is not None else None
        caller = f"{caller}-{(needed or Capability.EMBEDDING).name.lower()}"
    called: int = hub.call(method, path.replace("{", "").replace("}", ""), caller).status_code
    return called
