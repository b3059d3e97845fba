"""Register a program that may call for a project; say what it may do; take it out of use."""

from __future__ import annotations

from collections.abc import Collection

from evenhand.core.access.roles import Actor, Capability
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.core.registry.service_client import ServiceClient
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper, referred


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    binding_id: str,
    name: str,
    capabilities: Collection[Capability] | None = None,
    inputs_per_minute: int | None = None,
    actor: Actor,
    ids: Ids,
) -> ServiceClient:
    """A new client of a binding, and so of its project.

    Args:
        uow: an open transaction.
        binding_id: where it belongs, for good.
        name: no other client of the project may have it.
        capabilities: what it may do, at least one; by default that of the binding.
        inputs_per_minute: how many inputs it may have embedded a minute; None for no limit.
        actor: who asks.
        ids: of the rows.

    Raises:
        ReferenceRefused: the binding is unknown, or it or its project is not active.
        InvalidName: the name breaks the rule.
        InvalidValue: no capability, or a limit out of its range.
        NameTaken: another client of the project has the name.
    """
    binding = referred(uow.bindings.find(binding_id), Noun.BINDING)
    referred(uow.projects.find(binding.project_id), Noun.PROJECT)
    keeper = Keeper(uow, Noun.SERVICE_CLIENT, actor=actor, ids=ids)
    made = ServiceClient(
        **keeper.stamp(),
        name=name,
        project_id=binding.project_id,
        binding_id=binding.id,
        capabilities=frozenset((binding.capability,) if capabilities is None else capabilities),
        inputs_per_minute=inputs_per_minute,
    )
    return keeper.add(uow.service_clients, made, related_id=binding.id)


def change(  # noqa: PLR0913 -- what may change, by keyword
    uow: UnitOfWork,
    client_id: str,
    *,
    expected_version: int,
    capabilities: Collection[Capability] | Unset = UNSET,
    inputs_per_minute: int | Unset | None = UNSET,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> ServiceClient:
    """Say what, and how much (None for no limit), a client may do; take it out of use, or back.

    Raises:
        RegisteredNotFound: there is no such client.
        VersionConflict: it has another version.
        InvalidValue: no capability, or a limit out of its range.
    """
    keeper = Keeper(uow, Noun.SERVICE_CLIENT, actor=actor, ids=ids)
    return keeper.change(
        uow.service_clients,
        uow.service_clients.get(client_id),
        expected_version=expected_version,
        capabilities=UNSET if isinstance(capabilities, Unset) else frozenset(capabilities),
        inputs_per_minute=inputs_per_minute,
        active=active,
    )
