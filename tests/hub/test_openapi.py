"""The API describes itself: OpenAPI 3.1, every route, every problem; and does as it says."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from evenhand.hub.app import TABLE
from evenhand.hub.table import Form
from tests.builders import an_evaluation
from tests.hub.conftest import Hub, only_sqlite

EXAMPLES = 60
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)


@only_sqlite
def test_every_route_is_described_with_its_problems_and_its_credential(hub: Hub) -> None:
    document = hub.call("GET", "/api/v1/openapi.json").json()

    assert document["openapi"].startswith("3.1")
    described = {
        (method.upper(), path): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }
    assert set(described) == {(entry.method, entry.path) for entry in TABLE.entries}
    for entry in TABLE.entries:
        operation = described[entry.method, entry.path]
        assert operation["summary"] == entry.summary
        assert operation.get("security") == (None if entry.is_open else [{"bearer": []}])
        assert set(operation["responses"]) == {
            str(status) for status in (entry.status, *entry.also, *entry.possible_problems)
        }
        for status in entry.possible_problems:
            is_openai = entry.form is Form.OPENAI
            assert set(operation["responses"][str(status)]["content"]) == {
                "application/json" if is_openai else "application/problem+json"
            }
    assert document["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"


def described(found: Any) -> Any:
    """The operation, which must be described well enough to be called."""
    return found.ok()


@pytest.mark.parametrize("instances", ["one"], indirect=True)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_hub_answers_as_it_describes_itself(hub: Hub) -> None:
    hub.add(an_evaluation())
    hub.add_client("client")
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", hub.app)
    cases = st.one_of(
        [
            operation.as_strategy(generation_mode=mode)
            for operation in map(described, schema.get_all_operations())
            for mode in schemathesis.GenerationMode
        ]
    )
    shown = {"Authorization": f"Bearer {hub.tokens['operator']}"}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def holds(case: schemathesis.Case[Any]) -> None:
        # A token that is being revoked or rotated here is none of the caller's.
        case.call_and_validate(headers=shown, checks=list(CHECKS))

    holds()
