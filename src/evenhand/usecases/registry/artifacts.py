"""Register the content of a model."""

from __future__ import annotations

from evenhand.core.access.roles import Actor
from evenhand.core.registry.artifact import Artifact
from evenhand.core.registry.registered import Noun
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper


def create(
    uow: UnitOfWork, *, name: str, digest: str, model: str, actor: Actor, ids: Ids
) -> Artifact:
    """A new artifact; nothing of it ever changes.

    Args:
        uow: an open transaction.
        name: no other artifact may have it.
        digest: SHA-256 of the content, as the operator states it.
        model: label of model and revision.
        actor: who asks.
        ids: of the rows.

    Raises:
        InvalidName, InvalidText, InvalidLabel: name, digest or label breaks its rule.
        NameTaken: another artifact has the name.
    """
    keeper = Keeper(uow, Noun.ARTIFACT, actor=actor, ids=ids)
    made = Artifact(**keeper.stamp(), name=name, digest=digest, model=model)
    return keeper.add(uow.artifacts, made)
