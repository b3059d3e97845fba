"""A project, service clients of it, and bodies that publish, for the tests of publications."""

from typing import Any

from evenhand.core.access.roles import Actor, ActorKind, Capability, Role
from evenhand.core.identity.legacy_bytes import encode_text
from evenhand.core.identity.provenance import RetrievalProvenance
from evenhand.core.registry.binding import Stage
from evenhand.core.retrieval.golden import GoldenSet
from evenhand.core.scoring.protocols import SCORING_VERSION
from evenhand.usecases import access
from evenhand.usecases.registry import bindings, projects, service_clients
from tests.builders import a_provenance, a_set
from tests.hub.conftest import Hub

PATH = "/api/v1/evaluations"
SOMEBODY = Actor(kind=ActorKind.COMMAND_LINE)


def add_project(hub: Hub, name: str = "search") -> str:
    """The id of a new project."""
    return hub.parts.database.run(
        lambda uow: projects.create(uow, name=name, actor=SOMEBODY, ids=hub.parts.ids)
    ).id


def add_client(
    hub: Hub,
    project_id: str,
    name: str = "consumer",
    capability: Capability = Capability.EVALUATION,
) -> str:
    """The id of a new service client; its token is that of the role of its name."""
    parts = hub.parts
    binding = parts.database.run(
        lambda uow: bindings.create(
            uow,
            project_id=project_id,
            name=f"{name}-binding",
            capability=capability,
            stage=Stage.STABLE,
            actor=SOMEBODY,
            ids=parts.ids,
        )
    )
    client = parts.database.run(
        lambda uow: service_clients.create(
            uow,
            binding_id=binding.id,
            name=name,
            capabilities=[capability],
            actor=SOMEBODY,
            ids=parts.ids,
        )
    )
    issued = parts.database.run(
        lambda uow: access.create(
            uow,
            name=name,
            role=Role.SERVICE_CLIENT,
            client_id=client.id,
            actor=SOMEBODY,
            ids=parts.ids,
            secrets=parts.secrets,
        )
    )
    hub.tokens[name] = issued.token
    return client.id


def set_body(asked: GoldenSet) -> dict[str, Any]:
    """A set that is sent along."""
    return {
        "format": "evenhand.golden/1",
        "identifier": asked.identifier,
        "name": asked.name,
        "questions": [
            {
                "id": encode_text(one.id),
                "question": encode_text(one.question),
                "form": one.form.value,
                "unjudged": one.unjudged,
                "expected_document_ids": list(map(encode_text, one.expected_document_ids)),
                "hard_class": None if one.hard_class is None else encode_text(one.hard_class),
            }
            for one in asked.questions
        ],
    }


def a_body(
    asked: GoldenSet | None = None,
    rankings: dict[str, Any] | None = None,
    *,
    provenance: RetrievalProvenance | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """A body that publishes rankings: by default each question gets its own targets."""
    whole = asked or a_set()
    given = rankings or {}
    declared = provenance or a_provenance()
    body: dict[str, Any] = {
        "project_id": "search",
        "idempotency_key": "K1",
        "golden_set": set_body(whole),
        "retriever": "fake",
        "provenance": declared.to_dict(),
        "protocol": SCORING_VERSION,
        "depth": 12,
        "questions": [
            {
                "question_id": encode_text(one.id),
                "ranking": given.get(one.text, list(map(encode_text, one.expected_document_ids))),
                "error_code": None,
                "latency_ms": 4.4,
            }
            for one in whole.questions
        ],
    }
    return body | changed


def publish(hub: Hub, body: Any = None, role: str = "operator", **changed: Any) -> Any:
    """The answer to a publication."""
    return hub.call("POST", PATH, role, json={**(a_body() if body is None else body), **changed})


def stored(hub: Hub) -> int:
    """How many evaluations are stored."""
    return len(
        hub.parts.database.read(
            lambda uow: uow.evaluations.list_latest(set_identifier=None, retriever=None, limit=999)
        )
    )
