"""Whom does a caller mean by the name of a model, and which names may it use?

A service client calls routes of its own binding. An operator calls any: by the route's name where
only one project has such a route, else as ``PROJECT/ROUTE``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.core.access.roles import Principal
from evenhand.core.errors.gateway import ModelNotFound
from evenhand.core.gateway.call import Model, Target
from evenhand.usecases.ports import UnitOfWork

#: Between the name of a project and that of a route; neither may hold it.
SEPARATOR: Final = "/"


def find_target(uow: UnitOfWork, principal: Principal, model: str) -> Target:
    """Whom the name of a model means for a caller.

    Args:
        uow: an open transaction; one that only reads will do.
        principal: the caller.
        model: as it was given.

    Raises:
        ModelNotFound: there is none that the caller may use: no such route, or it, its binding,
            its project, its deployment or the runtime of that is not active; or several fit.
            The name is not repeated.

    Source: settled 17, 19; statements C-09, C-59.
    """
    if principal.client_id is not None:
        return _only(uow.gateway_targets.list_for_client(principal.client_id, model))
    project, separator, route = model.rpartition(SEPARATOR)
    return _only(uow.gateway_targets.list_for_all(route, of=project if separator else None))


def list_models(uow: UnitOfWork, principal: Principal) -> tuple[Model, ...]:
    """The models that a caller may name, by name."""
    if principal.client_id is not None:
        return uow.gateway_targets.list_models_of_client(principal.client_id)
    return uow.gateway_targets.list_models()


def _only(found: Sequence[Target]) -> Target:
    if len(found) != 1:
        raise ModelNotFound(is_ambiguous=len(found) > 1)
    return found[0]
