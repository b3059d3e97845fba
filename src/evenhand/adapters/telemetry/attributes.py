"""What is told of a request to the gateway, by the names of OpenTelemetry's GenAI conventions?

Numbers, ids of rows and names that an operator gave; never a text, a token, a digest of a text, a
name that a client asked for, nor a word of an upstream.

Source: OpenTelemetry semantic conventions for generative AI, version 1.44: spans and metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from evenhand.core.gateway.call import Target
from evenhand.core.gateway.request import RequestState
from evenhand.core.registry.upstream import parse_upstream
from evenhand.usecases.ports import Ending

Attributes: TypeAlias = Mapping[str, str | int]

OPERATION: Final = "embeddings"
#: Of a server that speaks OpenAI's API, whoever runs it, as the conventions have it; and of ours.
_OVER_HTTP, _IN_PROCESS = "openai", "evenhand"


def span_name(ending: Ending) -> str:
    """Operation and model, such as ``embeddings text-embedding-3-small``."""
    model = None if ending.target is None else _model(ending.target)
    return OPERATION if model is None else f"{OPERATION} {model}"


def metric_attributes(ending: Ending) -> Attributes:
    """What a number is told by: few values each, whatever clients send."""
    target, outcome = ending.target, ending.facts.outcome
    told: dict[str, str | int] = {"gen_ai.operation.name": OPERATION}
    if target is not None:
        told |= _of_target(target)
    if outcome.code is not None:
        told["error.type"] = outcome.code
    return told


def span_attributes(ending: Ending) -> Attributes:
    """All that is told of one request."""
    facts, target = ending.facts, ending.target
    stated: dict[str, str | int | None] = {
        **metric_attributes(ending),
        "gen_ai.usage.input_tokens": facts.outcome.prompt_tokens,
        "evenhand.request.id": facts.public_id,
        "evenhand.request.state": facts.outcome.state.value,
        "evenhand.client.id": facts.caller.client_id,
        "evenhand.upstream.calls": len(facts.attempts),
        "http.response.status_code": facts.outcome.status,
    }
    if facts.asked is not None:
        stated |= {
            "evenhand.input.count": facts.asked.count,
            "evenhand.input.kind": facts.asked.kind.value,
            "evenhand.input.purpose": facts.asked.purpose.value,
        }
    if target is not None:
        stated |= {
            "evenhand.route.name": target.served.route_name,
            "evenhand.deployment.id": target.served.deployment_id,
            "evenhand.project.id": target.served.project_id,
        }
    if target is not None and facts.outcome.state is RequestState.COMPLETED:
        stated["gen_ai.embeddings.dimension.count"] = ending.dimension or target.dimension
    return {name: value for name, value in stated.items() if value is not None}


def _of_target(target: Target) -> dict[str, str | int]:
    told: dict[str, str | int] = {
        "gen_ai.provider.name": _IN_PROCESS if target.is_in_process else _OVER_HTTP
    }
    model = _model(target)
    if model is not None:
        told["gen_ai.request.model"] = model
    if target.base_url is not None:
        upstream = parse_upstream(target.base_url)
        told |= {"server.address": upstream.host, "server.port": upstream.port}
    return told


def _model(target: Target) -> str | None:
    return target.embedder if target.is_in_process else target.upstream_model
