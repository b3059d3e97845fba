"""Everything that a selected model comparison needs, registered in a database, and its reports."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any, Final

from evenhand.core.access.credential import token_digest
from evenhand.core.comparison.admission import IntentRequest, Targets, admit
from evenhand.core.comparison.admission import Served as ServedBy
from evenhand.core.comparison.concluded import Conclusion
from evenhand.core.comparison.holder import complete as complete_intent
from evenhand.core.comparison.intent import Intent, claim, prepare
from evenhand.core.comparison.pins import LegName, Pins
from evenhand.core.comparison.summary import summarise
from evenhand.core.gateway.inputs import read_inputs
from evenhand.core.gateway.request import Caller, Facts, Served, asked_of, complete, public_id
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.deployment import Deployment
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import Route, RouteKind
from evenhand.core.registry.runtime import Runtime
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase
from evenhand.usecases.ports import UnitOfWork
from tests.builders import START, a_credential, an_evaluation
from tests.gateway_builders import DONE, an_attempt
from tests.registry_builders import (
    Shop,
    a_client,
    a_deployment,
    a_route,
    add_all,
    add_shop,
    an_artifact,
    an_embedder,
)
from tests.suite_builders import a_frozen_suite, a_suite

REVISION: Final = "c" * 64
TOKEN: Final = "t" * 43
_NUMBERS: Final = count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a comparison names: a shop with a stable route, a candidate, and a frozen suite."""

    shop: Shop = field(default_factory=lambda: Shop(deployment=a_deployment(score_cutoff=None)))
    runtime: Runtime = field(default_factory=an_embedder)
    artifact: Artifact = field(default_factory=lambda: an_artifact(2))
    candidate: Deployment = field(
        default_factory=lambda: a_deployment(
            2,
            artifact_id=an_artifact(2).id,
            runtime_id=an_embedder().id,
            upstream_model=None,
            embedding_identity="other",
            dimension=768,
            score_cutoff=None,
        )
    )
    trial: Route = field(
        default_factory=lambda: a_route(
            2, name="trial", kind=RouteKind.EXPERIMENT, deployment_id=a_deployment(2).id
        )
    )
    suite: FrozenSuite = field(default_factory=a_frozen_suite)

    @property
    def client(self) -> ServiceClient:
        """Who is to carry it out."""
        return self.shop.client

    @property
    def cases(self) -> tuple[SuiteCase, ...]:
        """What is asked."""
        return self.suite.cases

    @property
    def request(self) -> IntentRequest:
        """A comparison that may be prepared."""
        revision = self.suite.revision
        return IntentRequest(
            binding_id=self.shop.binding.id,
            client_id=self.shop.client.id,
            suite_revision_id=revision.id,
            current_deployment_id=self.shop.deployment.id,
            candidate_deployment_id=self.candidate.id,
            candidate_route_id=self.trial.id,
            corpus_sha256=revision.corpus_sha256,
            retrieval_config_sha256=revision.retrieval_config_sha256,
            current_index_ref="index-1",
            candidate_index_ref="index-2",
        )

    @property
    def targets(self) -> Targets:
        """What the request names."""
        shop = self.shop
        return Targets(
            project=shop.project,
            binding=shop.binding,
            client=shop.client,
            revision=self.suite.revision,
            current=ServedBy(
                deployment=shop.deployment, artifact=shop.artifact, runtime=shop.runtime
            ),
            candidate=ServedBy(
                deployment=self.candidate, artifact=self.artifact, runtime=self.runtime
            ),
            candidate_route=self.trial,
            routes=(shop.route, self.trial),
        )

    @property
    def pins(self) -> Pins:
        """What is pinned of it."""
        return admit(self.request, self.targets)

    def served(self, leg: LegName) -> Served:
        """Through what a side is called."""
        is_current = leg is LegName.CURRENT
        route = self.shop.route if is_current else self.trial
        return Served(
            route_id=route.id,
            route_name=route.name,
            deployment_id=route.deployment_id,
            project_id=route.project_id,
            binding_id=route.binding_id,
        )


def add_world(uow: UnitOfWork, world: World | None = None, *more: Registered) -> World:
    """Keep everything that a comparison names, and a credential to call with."""
    kept = world or World()
    uow.credentials.add(a_credential())
    add_shop(uow, kept.shop)
    add_all(uow, kept.runtime, kept.artifact, kept.candidate, kept.trial, *more)
    uow.suites.add(a_suite())
    uow.suites.add_revision(kept.suite)
    return kept


def another_client(world: World) -> ServiceClient:
    """A second client of the same binding."""
    return a_client(2, of=world.shop.binding)


def a_body(world: World, key: str = "K1", **changed: Any) -> dict[str, Any]:
    """The body that prepares a comparison."""
    asked = world.request
    stated = {
        "project_binding_id": asked.binding_id,
        "consumer_client_id": asked.client_id,
        **{
            name: getattr(asked, name)
            for name in asked.__slots__
            if name not in ("binding_id", "client_id")
        },
        "idempotency_key": key,
    }
    return stated | changed


def add_requests(
    uow: UnitOfWork,
    world: World,
    leg: LegName,
    *,
    at: datetime = START,
    cases: Iterable[SuiteCase] | None = None,
    elapsed: float = 0.0,
    **stated: Any,
) -> dict[str, str]:
    """Keep a gateway request for each case of a side that ended then; their ids by case."""
    client = world.client
    requests = {}
    for case in world.cases if cases is None else cases:
        number = next(_NUMBERS)
        values: dict[str, Any] = {
            "public_id": public_id(number.to_bytes(16, "big")),
            "caller": Caller(
                credential_id=a_credential().id, client_id=client.id, project_id=client.project_id
            ),
            "served": world.served(leg),
            "asked": asked_of(read_inputs(case.question.question.decode())),
            "outcome": DONE,
            "attempts": (an_attempt(),),
        }
        made = complete(
            Facts(**values | stated),
            row_id=f"01990000-0000-7000-f100-{number:012d}",
            now=at,
            elapsed=elapsed,
        )
        uow.gateway_requests.add_all([made])
        requests[case.case_id] = made.public_id
    return requests


def case_results(
    world: World, rankings: dict[str, list[str]] | None = None
) -> list[dict[str, Any]]:
    """A result for each case: by default its first target, and nothing where there is none."""
    results = []
    for case in world.cases:
        question = case.question
        found = [one.decode() for one in question.expected_document_ids[:1]]
        if rankings is not None:
            found = rankings.get(question.id.decode(), found)
        results.append(
            {
                "case_id": case.case_id,
                "ranked_results": [
                    {"chunk_id": f"{one}#0", "document_id": one, "score": 0.5} for one in found
                ],
                "latency_ms": 12.5,
            }
        )
    return results


def a_result(
    world: World,
    token: str,
    pins_digest: str,
    requests: dict[LegName, dict[str, str]],
    **changed: Any,
) -> dict[str, Any]:
    """The body that publishes both sides."""
    return {
        "claim_token": token,
        "pins_digest": pins_digest,
        "consumer_revision_sha256": REVISION,
        "current": {"results": case_results(world)},
        "candidate": {"results": case_results(world)},
        "current_gateway_requests": requests[LegName.CURRENT],
        "candidate_gateway_requests": requests[LegName.CANDIDATE],
    } | changed


def an_intent(world: World, number: int = 1, *, now: datetime = START) -> Intent:
    """A comparison that waits; number *n* has the key *Kn*."""
    return prepare(
        world.pins,
        id=f"01990000-0000-7000-b000-{number:012d}",
        idempotency_key=f"K{number}",
        body_digest=world.request.digest,
        now=now,
    )


def a_claim_of(intent: Intent, token: str = TOKEN, *, now: datetime = START) -> Intent:
    """It under a claim with this token."""
    return claim(intent, token_digest=token_digest(token), now=now)


def add_concluded(uow: UnitOfWork, world: World, evaluation_ids: dict[LegName, str]) -> Intent:
    """Keep a completed comparison of which some evaluations are the sides; nothing proves it."""
    intent = an_intent(world)
    claimed = a_claim_of(intent)
    done = complete_intent(claimed, result_digest="d" * 64, now=START)
    measured = an_evaluation()
    uow.intents.add(intent)
    uow.intents.save(intent, claimed)
    uow.intents.conclude(
        claimed,
        Conclusion(
            evaluation_ids=evaluation_ids,
            consumer_revision_sha256=REVISION,
            requests=(),
            summary=summarise(measured, measured),
        ),
    )
    uow.intents.save_held(claimed, done, now=START)
    return done
