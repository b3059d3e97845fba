"""Requests to the gateway for tests; number *n* ended *n* seconds after `START`."""

from datetime import timedelta
from typing import Any

from evenhand.core.gateway.call import Target
from evenhand.core.gateway.inputs import read_inputs
from evenhand.core.gateway.request import (
    Asked,
    Attempt,
    Caller,
    Facts,
    GatewayRequest,
    Outcome,
    RequestState,
    Served,
    asked_of,
    complete,
    public_id,
)
from tests.builders import START, a_credential
from tests.registry_builders import Shop

DONE = Outcome(state=RequestState.COMPLETED, status=200, prompt_tokens=3)
REFUSED = Outcome(state=RequestState.REFUSED, status=400, code="invalid_input")
SERVED = Served(
    route_id="r", route_name="stable", deployment_id="d", project_id="p", binding_id="b"
)


def a_target(**stated: Any) -> Target:
    values: dict[str, Any] = {
        "served": SERVED,
        "deployment_name": "dep",
        "runtime_id": "u",
        "dimension": 1,
        "base_url": "http://upstream.test/v1",
        "upstream_model": "upstream-1",
    }
    return Target(**values | stated)


def a_scope(token: str) -> dict[str, Any]:
    """What a server tells an application of a call of the gateway."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    return {
        "type": "http",
        "method": "POST",
        "path": "/v1/embeddings",
        "raw_path": b"/v1/embeddings",
        "query_string": b"",
        "http_version": "1.1",
        "scheme": "http",
        "headers": [(name.encode(), text.encode()) for name, text in headers.items()],
    }


def served_by(shop: Shop) -> Served:
    return Served(
        route_id=shop.route.id,
        route_name=shop.route.name,
        deployment_id=shop.deployment.id,
        project_id=shop.project.id,
        binding_id=shop.binding.id,
    )


def an_attempt(part: int = 0, number: int = 0, **stated: Any) -> Attempt:
    values: dict[str, Any] = {"count": 1, "milliseconds": 1.5, "upstream_status": 200}
    return Attempt(part=part, number=number, **values | stated)


def a_gateway_request(
    number: int = 1, *, shop: Shop | None = None, **stated: Any
) -> GatewayRequest:
    """A completed query of a person; whatever else is said by attributes of its facts."""
    values: dict[str, Any] = {
        "public_id": public_id(bytes([number]) * 16),
        "caller": Caller(credential_id=a_credential().id),
        "served": served_by(shop or Shop()),
        "asked": asked_of(read_inputs("Where is the office?")),
        "outcome": DONE,
        "attempts": (an_attempt(),),
    }
    return complete(
        Facts(**values | stated),
        row_id=f"01990000-0000-7000-f000-{number:012d}",
        now=START + timedelta(seconds=number),
        elapsed=0.25,
    )


def asked(value: object, **options: Any) -> Asked:
    return asked_of(read_inputs(value, **options))
