"""Where are the objects of the registry kept, and what was called through its routes?"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from evenhand.core.gateway.call import Model, Target
from evenhand.core.gateway.listing import Wanted
from evenhand.core.gateway.request import GatewayRequest
from evenhand.core.registry.registered import Registered
from evenhand.core.registry.route import Route
from evenhand.core.registry.service_client import ServiceClient
from evenhand.core.registry.suite import Suite
from evenhand.core.retrieval.suite_revision import FrozenSuite, SuiteCase, SuiteRevision

Kept = TypeVar("Kept", bound=Registered)


class RegisteredRepository(Protocol[Kept]):
    """Objects of the registry of one kind: written once, changed by version, never taken away."""

    def add(self, added: Kept) -> None:
        """Insert one; raises NameTaken, and StableRouteExists for a second stable route."""

    def save(self, changed: Kept) -> None:
        """Write the next version of one; raises VersionConflict where another was quicker."""

    def find(self, object_id: str) -> Kept | None:
        """The one with this id."""

    def get(self, object_id: str) -> Kept:
        """The one with this id; raises RegisteredNotFound."""

    def find_all(self, object_ids: Collection[str]) -> Mapping[str, Kept]:
        """Those of these that there are, by id."""

    def find_named(self, name: str, *, project_id: str | None = None) -> Kept | None:
        """The one with this name; of what belongs to a project, the one of this project."""

    def list_latest(
        self,
        *,
        project_id: str | None = None,
        binding_id: str | None = None,
        limit: int,
        after: tuple[datetime, str] | None = None,
        offset: int = 0,
    ) -> tuple[Kept, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id.

        With ``offset`` those behind so many.
        """


class ServiceClientRepository(RegisteredRepository[ServiceClient], Protocol):
    """Service clients."""

    def find_in_force(self, client_id: str) -> ServiceClient | None:
        """The one with this id, where it, its binding and its project are active."""


class RouteRepository(RegisteredRepository[Route], Protocol):
    """Routes."""

    def list_active(self, project_id: str) -> tuple[Route, ...]:
        """Every active route of a project, by id."""


class SuiteRepository(RegisteredRepository[Suite], Protocol):
    """Suites, which change by version, and their revisions, which never change."""

    def get_locked(self, suite_id: str) -> Suite:
        """The one with this id, held until the transaction ends; raises RegisteredNotFound."""

    def add_revision(self, frozen: FrozenSuite) -> None:
        """Insert a revision with its cases."""

    def count_revisions(self, suite_id: str) -> int:
        """How many revisions a suite has."""

    def find_revision(self, revision_id: str) -> FrozenSuite | None:
        """One revision with all its cases, and so with its golden set."""

    def find_facts(self, revision_id: str) -> SuiteRevision | None:
        """Identities and numbers of one revision, without its cases."""

    def find_by_content(self, suite_id: str, content_digest: str) -> SuiteRevision | None:
        """The revision of a suite that has this content."""

    def list_revisions(
        self, suite_id: str, *, limit: int, after: tuple[datetime, str] | None = None
    ) -> tuple[SuiteRevision, ...]:
        """Newest first, at most ``limit``; with ``after`` those behind that time and id."""

    def list_cases(self, revision_id: str, *, after: int, limit: int) -> tuple[SuiteCase, ...]:
        """Those behind a position, in order, at most ``limit``."""

    def find_position(self, revision_id: str, case_id: str) -> int | None:
        """The place of a case in its revision, from 0; None where the revision has no such case."""


class GatewayTargetRepository(Protocol):
    """What can be called through the gateway: the registry, as far as it is active."""

    def list_for_client(self, client_id: str, name: str) -> tuple[Target, ...]:
        """The route of this name in a client's own binding; one or none."""

    def list_for_all(self, name: str, *, of: str | None) -> tuple[Target, ...]:
        """Routes of this name, of one project or (None) of all; two stand for more."""

    def list_models_of_client(self, client_id: str) -> tuple[Model, ...]:
        """What a client may name, by name."""

    def list_models(self) -> tuple[Model, ...]:
        """What people may name, by name."""


class GatewayAllowanceRepository(Protocol):
    """What clients with a limit may still ask."""

    def hold(self, client_id: str) -> datetime | None:
        """When a client may ask a whole minute's worth; nobody else changes it until the end."""

    def save(self, client_id: str, full_at: datetime) -> None:
        """Overwrite the time of a client that is held."""


class GatewayRequestRepository(Protocol):
    """Requests to the gateway: added to, never changed."""

    def add_all(self, added: Sequence[GatewayRequest]) -> None:
        """Keep requests, at least one, with their calls."""

    def purge(self, *, before: datetime, category: str, actor: str) -> int:
        """Delete those that began strictly before, and how many; not what something rests on."""

    def find_by_public_id(self, public_id: str) -> GatewayRequest | None:
        """The request that a client was told this id of; the id of a row finds nothing."""

    def find_all(self, public_ids: Collection[str]) -> Mapping[str, GatewayRequest]:
        """Those of these requests that there are, by public id."""

    def list_latest(
        self,
        wanted: Wanted,
        *,
        limit: int,
        after: tuple[datetime, str] | None = None,
        before: tuple[datetime, str] | None = None,
    ) -> tuple[GatewayRequest, ...]:
        """Newest first, at most ``limit``; behind a time and row id, or the last before them."""
