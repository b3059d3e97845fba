"""Register what carries out a model; name where its secret is found; take it out of use."""

from __future__ import annotations

from evenhand.core.access.roles import Actor
from evenhand.core.registry.registered import UNSET, Noun, Unset
from evenhand.core.registry.runtime import Runtime, RuntimeKind
from evenhand.core.registry.upstream import PUBLIC_ONLY, UpstreamAllow, require_upstream_host
from evenhand.usecases.ports import Ids, UnitOfWork
from evenhand.usecases.registry.keeping import Keeper


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    name: str,
    kind: RuntimeKind,
    identity: str,
    base_url: str | None = None,
    secret_env: str | None = None,
    embedder: str | None = None,
    max_inputs: int | None = None,
    allow: UpstreamAllow = PUBLIC_ONLY,
    actor: Actor,
    ids: Ids,
) -> Runtime:
    """A new runtime.

    Args:
        uow: an open transaction.
        name: no other runtime may have it.
        kind: how it is called.
        identity: label of what runs.
        base_url: where a server is; of `RuntimeKind.OPENAI_HTTP` only.
        secret_env: name of the variable that holds its secret.
        embedder: which one; of `RuntimeKind.IN_PROCESS` only.
        max_inputs: how many inputs it takes at a time; None where the hub's setting decides.
        allow: what may be called although it is not public.
        actor: who asks.
        ids: of the rows.

    Raises:
        InvalidUpstream: the address is none, could hold a secret, or may not be called.
        InvalidName, InvalidLabel, InvalidText, InvalidValue: another value breaks its rule.
        NameTaken: another runtime has the name.
    """
    keeper = Keeper(uow, Noun.RUNTIME, actor=actor, ids=ids)
    made = Runtime(
        **keeper.stamp(),
        name=name,
        kind=kind,
        identity=identity,
        base_url=base_url,
        secret_env=secret_env,
        embedder=embedder,
        max_inputs=max_inputs,
    )
    if made.upstream is not None:
        require_upstream_host(made.upstream, allow)
    return keeper.add(uow.runtimes, made)


def change(  # noqa: PLR0913 -- what may change, by keyword
    uow: UnitOfWork,
    runtime_id: str,
    *,
    expected_version: int,
    secret_env: str | Unset | None = UNSET,
    max_inputs: int | Unset | None = UNSET,
    active: bool | Unset = UNSET,
    actor: Actor,
    ids: Ids,
) -> Runtime:
    """Name another variable for the secret, say how much it takes; take it out of use, or back.

    Args:
        uow: an open transaction.
        runtime_id: which one.
        expected_version: what the caller saw.
        secret_env: None for none.
        max_inputs: None where the hub's setting decides.
        active: whether it is in use.
        actor: who asks.
        ids: of the rows.

    Raises:
        RegisteredNotFound: there is no such runtime.
        VersionConflict: it has another version.
        InvalidText, InvalidValue: no name of a variable, a runtime that has no secret, or a
            number out of its range.
    """
    keeper = Keeper(uow, Noun.RUNTIME, actor=actor, ids=ids)
    return keeper.change(
        uow.runtimes,
        uow.runtimes.get(runtime_id),
        expected_version=expected_version,
        secret_env=secret_env,
        max_inputs=max_inputs,
        active=active,
    )
