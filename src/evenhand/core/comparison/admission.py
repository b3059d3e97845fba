"""May this comparison be prepared, and what is pinned if it may?

Asked when an operator prepares one, and again, of what the registry says then, when the consumer
claims it and when it publishes: where the answer is another one, the target has changed (C-28).
That everything named is there, is the project's own and is in use is asked before, where it is
looked up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.core.comparison.pins import CAPABILITY, PinnedLeg, Pins
from evenhand.core.errors.comparison import IntentRefused
from evenhand.core.identity.canonical import json_ascii_v1_digest
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.binding import Binding, Stage
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.project import Project
from evenhand.core.registry.route import CandidateFault, Route, candidate_fault, production_of
from evenhand.core.registry.runtime import Runtime
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.retrieval.suite_revision import SuiteRevision

_ROUTE_FAULTS: Final = frozenset(
    {
        CandidateFault.ROUTE_INACTIVE,
        CandidateFault.NO_EXPERIMENT,
        CandidateFault.OTHER_DEPLOYMENT,
        CandidateFault.OTHER_BINDING,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRequest:
    """Which comparison is wanted (C-21), without its key.

    Attributes:
        binding_id: of which binding; its project is that of the comparison.
        client_id: who is to carry it out.
        suite_revision_id: which cases.
        current_deployment_id, candidate_deployment_id: what is compared.
        candidate_route_id: through which the candidate is called.
        corpus_sha256, retrieval_config_sha256: over which corpus, with which settings.
        current_index_ref, candidate_index_ref: what is searched.
    """

    binding_id: str
    client_id: str
    suite_revision_id: str
    current_deployment_id: str
    candidate_deployment_id: str
    candidate_route_id: str
    corpus_sha256: str
    retrieval_config_sha256: str
    current_index_ref: str
    candidate_index_ref: str

    @property
    def digest(self) -> str:
        """By which a retry is known, plain hex (the C-92 rule; G-44)."""
        return json_ascii_v1_digest({name: getattr(self, name) for name in self.__slots__})


def request_of(pins: Pins) -> IntentRequest:
    """What was asked for when these were pinned."""
    return IntentRequest(
        binding_id=pins.binding_id,
        client_id=pins.client_id,
        suite_revision_id=pins.suite_revision_id,
        current_deployment_id=pins.current.deployment_id,
        candidate_deployment_id=pins.candidate.deployment_id,
        candidate_route_id=pins.candidate.route_id,
        corpus_sha256=pins.corpus_sha256,
        retrieval_config_sha256=pins.retrieval_config_sha256,
        current_index_ref=pins.current.index_ref,
        candidate_index_ref=pins.candidate.index_ref,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A deployment with what it is made of.

    Attributes:
        deployment: of the project.
        artifact, runtime: of the deployment.
    """

    deployment: Deployment
    artifact: Artifact
    runtime: Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What a request names, as the registry says it at one moment; all of one project.

    Attributes:
        project, binding, client: active ones.
        revision: the frozen cases.
        current, candidate: the two deployments.
        candidate_route: through which the candidate is called.
        routes: every active route of the project.
    """

    project: Project
    binding: Binding
    client: ServiceClient
    revision: SuiteRevision
    current: Served
    candidate: Served
    candidate_route: Route
    routes: Sequence[Route]


def admit(request: IntentRequest, targets: Targets) -> Pins:
    """What is pinned.

    Args:
        request: what is wanted.
        targets: what it names.

    Raises:
        IntentRefused: a rule is broken; the code says which.

    Source: statements C-08 to C-13, C-16, C-19, C-22, C-24, C-25, G-47.
    """
    for field, rule, code in _faults(request, targets):
        raise IntentRefused(field, rule, code=code)
    stable = production_of(targets.binding.id, targets.routes)
    assert stable is not None  # noqa: S101 -- one of the rules above
    return Pins(
        project_id=targets.binding.project_id,
        binding_id=targets.binding.id,
        client_id=targets.client.id,
        suite_revision_id=targets.revision.id,
        suite_content_digest=targets.revision.content_digest,
        case_count=targets.revision.case_count,
        corpus_sha256=targets.revision.corpus_sha256,
        retrieval_config_sha256=targets.revision.retrieval_config_sha256,
        current=_leg(targets.current, stable, request.current_index_ref),
        candidate=_leg(targets.candidate, targets.candidate_route, request.candidate_index_ref),
    )


def _faults(request: IntentRequest, targets: Targets) -> Iterator[tuple[str, str, str]]:
    """Field, rule and code of each rule that is broken."""
    yield from _binding_faults(targets)
    yield from _deployment_faults(targets)
    if request.corpus_sha256 != targets.revision.corpus_sha256:
        rule = "is not the corpus that the cases of the suite are labelled against"
        yield "corpus_sha256", rule, "corpus_mismatch"
    if request.retrieval_config_sha256 != targets.revision.retrieval_config_sha256:
        rule = "is not the digest of the suite revision's retrieval settings"
        yield "retrieval_config_sha256", rule, "retrieval_config_mismatch"
    if request.current_index_ref == request.candidate_index_ref:
        rule = "must name another index than current_index_ref"
        yield "candidate_index_ref", rule, "index_refs_equal"


def _binding_faults(targets: Targets) -> Iterator[tuple[str, str, str]]:
    binding, client = targets.binding, targets.client
    if binding.capability is not CAPABILITY:
        rule = f"must be a binding to {CAPABILITY.value}"
        yield "project_binding_id", rule, "binding_of_other_capability"
    if binding.stage is not Stage.STABLE:
        yield "project_binding_id", "must be a stable binding", "binding_not_stable"
    if client.binding_id != binding.id:
        rule = "must be a service client of this very binding"
        yield "consumer_client_id", rule, "client_of_other_binding"
    if CAPABILITY not in client.capabilities:
        rule = f"must be a service client with {CAPABILITY.value}"
        yield "consumer_client_id", rule, "client_lacks_capability"


def _deployment_faults(targets: Targets) -> Iterator[tuple[str, str, str]]:
    stable = production_of(targets.binding.id, targets.routes)
    if stable is None or stable.deployment_id != targets.current.deployment.id:
        rule = "must be the one that the binding's active stable route points to"
        yield "current_deployment_id", rule, "current_not_in_production"
    fault = candidate_fault(
        targets.candidate.deployment,
        targets.candidate_route,
        binding_id=targets.binding.id,
        routes=targets.routes,
    )
    if fault is not None:
        is_route = fault in _ROUTE_FAULTS
        field = "candidate_route_id" if is_route else "candidate_deployment_id"
        rule = "must be a deployment outside production, through an active experiment route to it"
        yield field, rule, fault.value


def _leg(served: Served, route: Route, index_ref: str) -> PinnedLeg:
    deployment = served.deployment
    return PinnedLeg(
        deployment_id=deployment.id,
        runtime_identity=served.runtime.identity,
        artifact_digest=served.artifact.digest,
        embedding_identity=deployment.embedding_identity,
        embedding_dimension=deployment.dimension,
        route_id=route.id,
        route_name=route.name,
        index_ref=index_ref,
        score_cutoff=deployment.score_cutoff,
    )
