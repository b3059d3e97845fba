"""What does the demo's operator do at the hub? Register two models, freeze questions, compare.

Everything is a call of the API, as `curl` would make it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from evenhand.core.identity.canonical import sha256_hex
from evenhand.sdk.transport import Transport

_API: Final = "/api/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that the hub serves in its own process.

    Attributes:
        name: of the embedder, the deployment and the index.
        identity: label of the weights and of what moves a vector.
        dimension: of a vector.
        score_cutoff: a result below it is no answer; None for no cutoff.
    """

    name: str
    identity: str
    dimension: int
    score_cutoff: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A comparison that waits for its consumer.

    Attributes:
        comparison_id: of the hub.
        client_token: of the service client that is to carry it out.
    """

    comparison_id: str
    client_token: str


class Operator:
    """An operator at a hub.

    Args:
        transport: with the operator's token.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def prepare(
        self,
        *,
        current: Model,
        candidate: Model,
        questions: Mapping[str, Any],
        corpus_sha256: str,
        settings: Mapping[str, Any],
    ) -> Prepared:
        """Register everything from nothing, and ask for one comparison.

        Args:
            current: what the stable route points to.
            candidate: what an experiment route points to.
            questions: a golden set as the API takes it: at most 100 reviewed questions, with labels
                about this corpus.
            corpus_sha256: digest of the corpus.
            settings: by which the consumer searches.
        """
        project = self._create("projects", name="stdlib")["id"]
        binding = self._create(
            "bindings",
            project_id=project,
            name="search",
            capability="rag.embedding@1",
            stage="stable",
        )["id"]
        client = self._create("service-clients", binding_id=binding, name="consumer")["id"]
        deployments = {one.name: self._deployment(project, one) for one in (current, candidate)}
        self._route(binding, "stdlib-stable", "stable", deployments[current.name])
        route = self._route(binding, "stdlib-candidate", "experiment", deployments[candidate.name])
        suite = self._create("suites", project_id=project, name="questions")["id"]
        revision = self._create(
            f"suites/{suite}/revisions",
            corpus_sha256=corpus_sha256,
            retrieval_settings=dict(settings),
            golden_set=dict(questions),
        )
        comparison = self._create(
            "selected-model-comparisons",
            project_binding_id=binding,
            consumer_client_id=client,
            suite_revision_id=revision["id"],
            current_deployment_id=deployments[current.name],
            candidate_deployment_id=deployments[candidate.name],
            candidate_route_id=route,
            corpus_sha256=corpus_sha256,
            retrieval_config_sha256=revision["retrieval_config_sha256"],
            current_index_ref=current.name,
            candidate_index_ref=candidate.name,
            idempotency_key="demo",
        )["id"]
        token = self._create(
            "credentials", name="consumer", role="service_client", client_id=client
        )["token"]
        return Prepared(comparison_id=comparison, client_token=token)

    def _deployment(self, project: str, model: Model) -> str:
        # What is registered is what the operator states: here the label of what is installed.
        digest = sha256_hex(model.identity.encode())
        artifact = self._create("artifacts", name=model.name, digest=digest, model=model.identity)[
            "id"
        ]
        runtime = self._create(
            "runtimes",
            name=model.name,
            kind="in_process",
            identity=model.identity,
            embedder=model.name,
        )["id"]
        made = self._create(
            "deployments",
            project_id=project,
            name=model.name,
            artifact_id=artifact,
            runtime_id=runtime,
            embedding_identity=model.identity,
            dimension=model.dimension,
            score_cutoff=model.score_cutoff,
        )
        return str(made["id"])

    def _route(self, binding: str, name: str, kind: str, deployment: str) -> str:
        made = self._create(
            "routes", binding_id=binding, name=name, kind=kind, deployment_id=deployment
        )
        return str(made["id"])

    def _create(self, path: str, **members: Any) -> dict[str, Any]:
        answer = self._transport.ask("POST", f"{_API}/{path}", msgspec.json.encode(members))
        told: dict[str, Any] = msgspec.json.decode(answer.content)
        return told
