"""Make, list, rotate and revoke tokens, and say whom one belongs to.

Each change writes its entry of the audit in the same transaction. A token is in the value that is
returned, once, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from evenhand.core.access.audit import AuditEntry
from evenhand.core.access.credential import (
    Credential,
    CredentialState,
    build_token,
    is_token,
    is_token_of,
    token_digest,
)
from evenhand.core.access.roles import Actor, ActorKind, Principal, Role
from evenhand.core.errors.access import CredentialNotFound, Unauthenticated
from evenhand.core.errors.registry import ReferenceRefused
from evenhand.core.registry.registered import Noun
from evenhand.usecases.ports import Ids, Secrets, UnitOfWork

#: What the audit calls a credential.
OBJECT_KIND: Final = "credential"
#: The name of the operator's token that a hub makes for itself.
FIRST_NAME: Final = "first-operator"
#: The roles of people. A service client's credential belongs to a client of the registry.
ROLES_OF_PEOPLE: Final = (Role.OPERATOR, Role.VIEWER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """A credential and its token, which cannot be had again.

    Attributes:
        credential: what is kept.
        token: for its holder; shown by no representation.
    """

    credential: Credential
    token: str = field(repr=False)


def create(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    name: str,
    role: Role,
    client_id: str | None = None,
    actor: Actor,
    ids: Ids,
    secrets: Secrets,
) -> Issued:
    """A new token.

    Args:
        uow: an open transaction.
        name: for people to tell it by; no other credential in force may have it.
        role: what its holder may do.
        client_id: the service client that it belongs to, with that role and no other.
        actor: who asks.
        ids: of the rows.
        secrets: of the token.

    Raises:
        InvalidName: the name breaks the rule.
        InvalidValue: the role of a service client without one, or another role with one.
        ReferenceRefused: the client is unknown, or it, its binding or its project is not active.
        CredentialExists: a credential in force has this name.
    """
    if client_id is not None:
        _require_client(uow, client_id)
    issued = _issue(uow, name=name, role=role, client_id=client_id, ids=ids, secrets=secrets)
    _tell_of_new(uow, issued.credential, actor=actor, ids=ids)
    return issued


def create_first(uow: UnitOfWork, *, ids: Ids, secrets: Secrets) -> Issued | None:
    """An operator's token where there never was a credential, else None; the hub is its maker.

    Raises:
        CredentialExists: another process made it at this very moment.
    """
    if uow.credentials.has_any():
        return None
    issued = _issue(uow, name=FIRST_NAME, role=Role.OPERATOR, ids=ids, secrets=secrets)
    _tell_of_new(uow, issued.credential, actor=Actor(kind=ActorKind.HUB), ids=ids)
    return issued


def list_credentials(
    uow: UnitOfWork,
    *,
    with_ended: bool = False,
    limit: int | None = None,
    after: tuple[datetime, str] | None = None,
) -> tuple[Credential, ...]:
    """Newest first; those in force, or all that ever were.

    Args:
        uow: an open transaction; one that only reads will do.
        with_ended: also those that were rotated or revoked.
        limit: at most so many; None for every one.
        after: time and id of one; then only those behind it in the list.
    """
    return uow.credentials.list_all(with_ended=with_ended, limit=limit, after=after)


def get(uow: UnitOfWork, reference: str) -> Credential:
    """The credential with this id, else the one in force with this name.

    Raises:
        CredentialNotFound: neither; the reference is not repeated, since it may be a token.
    """
    found = uow.credentials.find(reference)
    if found is None:
        raise CredentialNotFound
    return found


def rotate(uow: UnitOfWork, reference: str, *, actor: Actor, ids: Ids, secrets: Secrets) -> Issued:
    """A new token of the same name and role; the old one ends in the same transaction.

    Raises:
        CredentialNotFound: no credential answers to the reference.
        CredentialEnded: it is no longer in force.
    """
    former = get(uow, reference)
    _end(uow, former, CredentialState.ROTATED, actor=actor, ids=ids)
    issued = _issue(
        uow,
        name=former.name,
        role=former.role,
        client_id=former.client_id,
        ids=ids,
        secrets=secrets,
        of=former,
    )
    _tell_of_new(uow, issued.credential, actor=actor, ids=ids)
    return issued


def revoke(uow: UnitOfWork, reference: str, *, actor: Actor, ids: Ids) -> Credential:
    """End a token for good.

    Returns:
        The credential as it is now.

    Raises:
        CredentialNotFound, CredentialEnded: as :func:`rotate`.
    """
    return _end(uow, get(uow, reference), CredentialState.REVOKED, actor=actor, ids=ids)


def authenticate(uow: UnitOfWork, token: str | None) -> Principal:
    """Whom a token belongs to; the one way in for the hub and the console (settled 24).

    Args:
        uow: an open transaction; one that only reads will do.
        token: what the caller showed, None for nothing.

    Raises:
        Unauthenticated: nothing was shown, or no such token is in force; of the second it does
            not say why. A token of a client is not in force while the client, its binding or its
            project is not active.
    """
    if token is None:
        raise Unauthenticated(is_missing=True)
    # A text of another shape is no token, so nothing is looked up for it.
    found = uow.credentials.find_by_digest(token_digest(token)) if is_token(token) else None
    if found is None or not is_token_of(token, found.digest):
        raise Unauthenticated
    if found.state is not CredentialState.ACTIVE:
        raise Unauthenticated
    if found.client_id is None:
        return Principal(credential_id=found.id, role=found.role)
    client = uow.service_clients.find_in_force(found.client_id)
    if client is None:
        raise Unauthenticated
    return Principal(
        credential_id=found.id,
        role=found.role,
        client_id=client.id,
        project_id=client.project_id,
        capabilities=client.capabilities,
    )


def resume(uow: UnitOfWork, credential_id: str) -> Principal:
    """Whom a session of the console belongs to, as the store knows its credential now.

    Args:
        uow: an open transaction; one that only reads will do.
        credential_id: of whoever signed in.

    Raises:
        Unauthenticated: the credential is no longer in force, or it is not a person's.
    """
    found = uow.credentials.find(credential_id)
    # A name may look like an id; only the id was signed.
    if found is None or found.id != credential_id:
        raise Unauthenticated
    if found.state is not CredentialState.ACTIVE or found.role not in ROLES_OF_PEOPLE:
        raise Unauthenticated
    return Principal(credential_id=found.id, role=found.role)


def _require_client(uow: UnitOfWork, client_id: str) -> None:
    found = uow.service_clients.find(client_id)
    if found is None or uow.service_clients.find_in_force(client_id) is None:
        noun = Noun.SERVICE_CLIENT.value
        raise ReferenceRefused(noun, field="client_id", is_known=found is not None)


def _issue(  # noqa: PLR0913 -- what a row is made of, by keyword
    uow: UnitOfWork,
    *,
    name: str,
    role: Role,
    client_id: str | None = None,
    ids: Ids,
    secrets: Secrets,
    of: Credential | None = None,
) -> Issued:
    token = build_token(role, secrets.new())
    made = Credential(
        id=ids.new(),
        name=name,
        role=role,
        digest=token_digest(token),
        created_at=uow.now(),
        rotated_from=None if of is None else of.id,
        client_id=client_id,
    )
    uow.credentials.add(made)
    return Issued(credential=made, token=token)


def _end(
    uow: UnitOfWork, former: Credential, state: CredentialState, *, actor: Actor, ids: Ids
) -> Credential:
    at = uow.now()
    ended = former.ended(state, at=at)
    uow.credentials.save_end(ended)
    verbs = {CredentialState.ROTATED: "rotate", CredentialState.REVOKED: "revoke"}
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=at,
            actor=actor,
            action=verbs[state],
            object_kind=OBJECT_KIND,
            object_id=ended.id,
            from_state=former.state.value,
            to_state=ended.state.value,
            code=ended.role.value,
            related_id=ended.client_id,
        )
    )
    return ended


def _tell_of_new(uow: UnitOfWork, made: Credential, *, actor: Actor, ids: Ids) -> None:
    uow.audit.add(
        AuditEntry(
            id=ids.new(),
            at=made.created_at,
            actor=actor,
            action="create",
            object_kind=OBJECT_KIND,
            object_id=made.id,
            to_state=made.state.value,
            code=made.role.value,
            related_id=made.client_id,
        )
    )
