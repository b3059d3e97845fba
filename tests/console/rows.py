"""A store in which each page of what happened elsewhere has something to show."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from evenhand.contracts.ingestion import Rejection
from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.roles import Actor, ActorKind
from evenhand.core.gateway.failure import Failure
from evenhand.core.gateway.request import Caller, GatewayRequest, Outcome, RequestState
from evenhand.core.identity.canonical import sha256_hex
from evenhand.core.review.feedback import FeedbackState
from evenhand.core.review.job import AgentJob
from evenhand.core.review.usage import Rates, Tokens, UsageSource
from evenhand.usecases.reviews.attempts import Spent
from tests.builders import START, a_credential
from tests.event_builders import an_event
from tests.gateway_builders import REFUSED, a_gateway_request, an_attempt
from tests.registry_builders import Shop, a_project, add_shop
from tests.review_builders import a_candidate
from tests.usecases.conftest import SettableClock
from tests.usecases.reviews.conftest import World, made_world

FAILED = Outcome(state=RequestState.FAILED, status=502, code="wrong_count")
BENCHMARK = f"v1:{sha256_hex(b'benchmark')}"
STRATUM = sha256_hex(b"stratum")


@dataclass(frozen=True, slots=True)
class Trail:
    """What was put into a store.

    Attributes:
        shop: what requests went through.
        requests: to the gateway, oldest first.
        world: of the reviews.
        reviewed: a review with everything that one can have.
    """

    shop: Shop
    requests: tuple[GatewayRequest, ...]
    world: World
    reviewed: AgentJob


def fill_gateway(database: Any, shop: Shop) -> tuple[GatewayRequest, ...]:
    """Requests 1 to 4: of a person, failed, refused, of a client."""
    database.run(lambda uow: uow.credentials.add(a_credential()))
    database.run(lambda uow: add_shop(uow, shop))
    caller = Caller(
        credential_id=a_credential().id, client_id=shop.client.id, project_id=shop.project.id
    )
    made = (
        a_gateway_request(1, shop=shop),
        a_gateway_request(
            2, shop=shop, outcome=FAILED, attempts=(an_attempt(failure=Failure.WRONG_COUNT),)
        ),
        a_gateway_request(3, shop=shop, outcome=REFUSED, served=None, asked=None, attempts=()),
        a_gateway_request(4, shop=shop, caller=caller),
    )
    for one in made:
        database.run(lambda uow, one=one: uow.gateway_requests.add_all([one]))
    return made


def fill_events(database: Any, project_id: str) -> None:
    """Three groups: two versions of one benchmark and stratum, one of which all is unknown."""
    known = {"benchmark": BENCHMARK, "review_stratum": STRATUM, "accepted": True}
    at = "2026-09-09T10:00:00.000000Z"
    events = [
        an_event(1, timestamp_utc=at, **known),
        an_event(2, timestamp_utc=at, **known | {"retrieval_version": "hybrid_v5"}),
        an_event(3, timestamp_utc=at, grounded=False),
    ]
    database.run(
        lambda uow: uow.events.take(
            events, project_id=project_id, client_id=None, received_at=START
        )
    )
    refused = [
        Rejection(
            id=f"01990000-0000-7000-f000-{number:012d}",
            project_id=project_id,
            client_id=None,
            received_at=START,
            place=0,
            code="invalid_event",
            field=field,
        )
        for number, field in enumerate(("grounded", "grounded", "release"), 900)
    ]
    database.run(lambda uow: uow.events.add_rejections(refused))


def fill_reviews(database: Any) -> tuple[World, AgentJob]:
    """One review with everything, one of another prompt, and one that waits."""
    world = made_world(database, SettableClock())
    spent = Spent(
        calls=2,
        tokens=Tokens(input=900, output=40),
        source=UsageSource.RUNNER,
        rates=Rates(input=Decimal(1), cached_input=Decimal(1), output=Decimal(4)),
    )
    found = [a_candidate(rationale="The passage says the contrary."), {"practice": "grounded"}]
    reviewed = world.review(candidates=found, spent=spent)
    world.review(
        prompt="c" * 64,
        candidates=[a_candidate(presence="present", assessment="good", severity=None)],
    )
    world.submit()
    composed = world.compose(reviewed)
    world.move(composed, FeedbackState.DELIVERED)
    return world, reviewed


def fill_audit(database: Any) -> None:
    """Two entries beside those that making the rest has left."""
    for number, (action, kind) in enumerate(
        (("rotate", "credential"), ("deactivate", "deployment")), 1
    ):
        entry = AuditEntry(
            id=f"01990000-0000-7000-a900-{number:012d}",
            at=START + timedelta(seconds=number),
            actor=Actor(kind=ActorKind.OPERATOR, id=a_credential().id),
            action=action,
            object_kind=kind,
            object_id=f"01990000-0000-7000-a800-{number:012d}",
            from_state="active",
            to_state="rotated",
            version=2,
        )
        database.run(lambda uow, entry=entry: uow.audit.add(entry))


def fill_trail(database: Any) -> Trail:
    """Everything of the above in one store."""
    shop = Shop(project=a_project(name="books"))
    requests = fill_gateway(database, shop)
    world, reviewed = fill_reviews(database)
    fill_events(database, world.project_id)
    fill_audit(database)
    return Trail(shop=shop, requests=requests, world=world, reviewed=reviewed)
