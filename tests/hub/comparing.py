"""A hub with everything that a comparison names, whose database's time a test sets."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
import sqlalchemy as sa

from evenhand.core.access.roles import Role
from evenhand.core.comparison.pins import LegName
from evenhand.store.engine import create_engine
from tests.builders import START
from tests.comparison_builders import (
    World,
    a_body,
    a_result,
    add_requests,
    add_world,
    another_client,
)
from tests.database_clock import DatabaseClock
from tests.hub.conftest import Hub, made_token
from tests.registry_builders import repository
from tests.suite_builders import a_suite

PATH: Final = "/api/v1/selected-model-comparisons"
#: The client that a comparison is for, and another one of its binding.
CONSUMER, OTHER = "consumer", "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing:
    """A hub, what is registered in it, and its clock."""

    hub: Hub
    world: World
    clock: DatabaseClock

    def at(self, seconds: float) -> None:
        """It is so many seconds after the start."""
        self.clock.set(START + timedelta(seconds=seconds))

    def post(self, path: str, body: Any, role: str | None = "operator") -> Any:
        """The answer to a body."""
        return self.hub.call("POST", f"{PATH}{path}", role, json=body)

    def get(self, path: str = "", role: str | None = "viewer", **query: Any) -> Any:
        """The answer to a look."""
        return self.hub.call("GET", f"{PATH}{path}", role, params=query)

    def prepare(self, key: str = "K1", role: str = "operator", **changed: Any) -> Any:
        """The answer to a preparation."""
        return self.post("", a_body(self.world, key, **changed), role)

    def claim(self, of: Any, role: str = CONSUMER) -> Any:
        """The answer to a claim of a comparison that was told."""
        return self.hub.call("POST", f"{PATH}/{of['id']}/claim", role)

    def progress(self, claimed: Any, current: int = 0, candidate: int = 0, **changed: Any) -> Any:
        """The answer to the progress of a claim that was told."""
        body = {
            "claim_token": claimed["claim_token"],
            "current_completed_cases": current,
            "candidate_completed_cases": candidate,
        }
        role = changed.pop("role", CONSUMER)
        return self.post(f"/{claimed['comparison']['id']}/progress", body | changed, role)

    def finish(self, claimed: Any, outcome: str = "failed", **changed: Any) -> Any:
        """The answer to the end of a claim."""
        body = {"claim_token": claimed["claim_token"], "outcome": outcome}
        role = changed.pop("role", CONSUMER)
        return self.post(f"/{claimed['comparison']['id']}/finish", body | changed, role)

    def cancel(self, told: Any, version: int | None = None) -> Any:
        """The answer to a cancellation."""
        body = {"expected_version": told["version"] if version is None else version}
        return self.post(f"/{told['id']}/cancel", body)

    def publish(self, claimed: Any, body: dict[str, Any], role: str = CONSUMER) -> Any:
        """The answer to a result."""
        return self.post(f"/{claimed['comparison']['id']}/result", body, role)

    def requests(self, leg: LegName, **stated: Any) -> dict[str, str]:
        """A gateway request for each case of a side, that ended now; their ids by case."""
        values = {"at": self.clock.now(), **stated}
        return self.hub.parts.database.run(
            lambda uow: add_requests(uow, self.world, leg, **values)
        )

    def result(self, claimed: Any, **changed: Any) -> dict[str, Any]:
        """A result whose requests were made now."""
        made = {leg: self.requests(leg) for leg in LegName}
        digest = claimed["comparison"]["pins_digest"]
        return a_result(self.world, claimed["claim_token"], digest, made, **changed)

    def claimed(self, key: str = "K1") -> Any:
        """A claim of a comparison that was prepared just now."""
        answer = self.claim(self.prepare(key).json())
        assert answer.status_code == 200, answer.text
        return answer.json()

    def end_use(self, part: str) -> None:
        """Take a part of the world, of its shop, or its suite out of use."""
        world = self.world
        parts: dict[str, Any] = {"suite": a_suite(), "current_runtime": world.shop.runtime}
        former = parts.get(part) or getattr(world, part, None) or getattr(world.shop, part)
        made = former.changed(expected_version=1, active=False)
        self.hub.parts.database.run(
            lambda uow: (uow.suites if part == "suite" else repository(uow, former)).save(made)
        )

    def count(self, table: str) -> int:
        """How many rows a table has."""
        engine = create_engine(self.hub.parts.database_url)
        with engine.connect() as connection:
            number: int = connection.scalar(sa.text(f"SELECT count(*) FROM {table}")) or 0  # noqa: S608 -- a test's own name
        engine.dispose()
        return number

    def state(self, told: Any) -> str:
        """The state of a comparison, as it is stored and without a look that could change it."""
        found = self.hub.parts.database.read(lambda uow: uow.intents.find(told["id"]))
        assert found is not None
        return found.state.value


@pytest.fixture
def comparing(
    open_hub: Callable[..., Hub], database_url: str, instances: str
) -> Iterator[Comparing]:
    """A hub over a database of either kind, at `START`."""
    with closing(DatabaseClock(database_url)) as clock:
        hub = open_hub(database_url, instances, clock=clock)
        other = another_client(World())
        world = hub.parts.database.run(lambda uow: add_world(uow, None, other))
        for name, client in ((CONSUMER, world.client), (OTHER, other)):
            hub.tokens[name] = made_token(
                hub.parts, Role.SERVICE_CLIENT, name, client_id=client.id
            )
        made = Comparing(hub=hub, world=world, clock=clock)
        made.at(0)
        yield made


def refused(answer: Any) -> tuple[int, str]:
    """Status and code of a refusal."""
    return answer.status_code, answer.json()["code"]


def refused_fields(answer: Any) -> list[tuple[str, str]]:
    """Place and code of each fault of a refusal."""
    return [(one["field"], one["code"]) for one in answer.json()["fields"]]
