"""Register what a project uses; say how settled that is; take it out of use and back."""

from __future__ import annotations

from evenhand.core.access.roles import Actor, Capability
from evenhand.core.registry.binding import Binding, Stage
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper, referred


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    project_id: str,
    name: str,
    capability: Capability,
    stage: Stage,
    actor: Actor,
    ids: Ids,
) -> Binding:
    """A new binding of a project.

    Raises:
        ReferenceRefused: the project is unknown or not active.
        InvalidName: the name breaks the rule.
        NameTaken: another binding of the project has it.
    """
    referred(uow.projects.find(project_id), Noun.PROJECT)
    keeper = Keeper(uow, Noun.BINDING, actor=actor, ids=ids)
    made = Binding(
        **keeper.stamp(), name=name, project_id=project_id, capability=capability, stage=stage
    )
    return keeper.add(uow.bindings, made, related_id=project_id)


def change(  # noqa: PLR0913 -- what may change, by keyword
    uow: UnitOfWork,
    binding_id: str,
    *,
    expected_version: int,
    stage: Stage | Unset = UNSET,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Binding:
    """Say how settled a binding is, take it out of use, or back.

    Raises:
        RegisteredNotFound: there is no such binding.
        VersionConflict: it has another version.
    """
    keeper = Keeper(uow, Noun.BINDING, actor=actor, ids=ids)
    return keeper.change(
        uow.bindings,
        uow.bindings.get(binding_id),
        expected_version=expected_version,
        stage=stage,
        active=active,
    )
