"""Credentials: written once, ended once, never taken away."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from evenhand.core.access.credential import Credential, CredentialState
from evenhand.core.access.roles import Role
from evenhand.core.errors import EvenhandError
from evenhand.core.errors.access import CredentialEnded, CredentialExists
from evenhand.store.errors import translate
from evenhand.store.pages import is_behind, newest_first
from evenhand.store.tables import credential
from evenhand.store.text import is_storable
from evenhand.store.times import text_to_time, time_to_text

_IN_FORCE: Final = credential.c.state == CredentialState.ACTIVE.value
# Built once: every request executes it.
_BY_DIGEST: Final = sa.select(credential).where(
    credential.c.token_digest == sa.bindparam("digest")
)
_NAME_TAKEN: Final = "ix_credential_name_in_force"


class SqlCredentials:
    """The credentials of one open transaction; implements `ports.CredentialRepository`.

    Args:
        connection: in a transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, added: Credential) -> None:
        """Insert one.

        Raises:
            CredentialExists: one in force has its name, were it of a transaction that ran beside
                this one.
            ConstraintRefused: the id or the digest is taken.
        """
        try:
            self._connection.execute(credential.insert(), _to_row(added))
        except IntegrityError as error:
            failure = _refusal(error, added)
        else:
            return
        # Outside the clause: an error of ours must not carry the driver's as its context.
        raise failure

    def save_end(self, ended: Credential) -> None:
        """Write how one ended.

        Raises:
            CredentialEnded: it is no longer in force, were it for a transaction that ran beside
                this one: of two, one ends it.
        """
        # The state stands in the condition, so that an end is not overwritten by another.
        done = self._connection.execute(
            credential.update()
            .where(credential.c.id == ended.id, _IN_FORCE)
            .values(
                state=ended.state.value,
                ended_at=None if ended.ended_at is None else time_to_text(ended.ended_at),
            )
        )
        if done.rowcount != 1:
            raise CredentialEnded(ended.id)

    def find(self, reference: str) -> Credential | None:
        """The one with this id, else the one in force with this name."""
        if not is_storable(reference):
            return None
        by_id = self._one(credential.c.id == reference)
        return by_id or self._one(sa.and_(credential.c.name == reference, _IN_FORCE))

    def find_by_digest(self, digest: str) -> Credential | None:
        """The one whose token has this digest, in force or not."""
        row = self._connection.execute(_BY_DIGEST, {"digest": digest}).mappings().first()
        return None if row is None else row_to_credential(row)

    def list_all(
        self,
        *,
        with_ended: bool,
        limit: int | None = None,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Credential, ...]:
        """Newest first; those in force, or all.

        Args:
            with_ended: also those that were rotated or revoked.
            limit: at most so many; None for every one.
            after: time and id of one; then only those behind it in the list.
        """
        created_at, row = credential.c.created_at, credential.c.id
        query = sa.select(credential).order_by(*newest_first(created_at, row)).limit(limit)
        if after is not None:
            query = query.where(is_behind(created_at, row, after))
        rows = self._connection.execute(query if with_ended else query.where(_IN_FORCE))
        return tuple(map(row_to_credential, rows.mappings()))

    def has_any(self) -> bool:
        """Whether there ever was one."""
        found = self._connection.scalar(sa.select(sa.exists(sa.select(credential.c.id))))
        return bool(found)

    def _one(self, chosen: sa.ColumnElement[bool]) -> Credential | None:
        row = self._connection.execute(sa.select(credential).where(chosen)).mappings().first()
        return None if row is None else row_to_credential(row)


def row_to_credential(row: RowMapping) -> Credential:
    """The credential of a row.

    Raises:
        Invalid, ValueError: it is not what was written.
    """
    return Credential(
        id=row["id"],
        name=row["name"],
        role=Role(row["role"]),
        digest=row["token_digest"],
        created_at=text_to_time(row["created_at"]),
        rotated_from=row["rotated_from"],
        state=CredentialState(row["state"]),
        ended_at=None if row["ended_at"] is None else text_to_time(row["ended_at"]),
        client_id=row["client_id"],
    )


def _to_row(added: Credential) -> dict[str, str | None]:
    return {
        "id": added.id,
        "name": added.name,
        "role": added.role.value,
        "token_digest": added.digest,
        "created_at": time_to_text(added.created_at),
        "rotated_from": added.rotated_from,
        "state": added.state.value,
        "ended_at": None if added.ended_at is None else time_to_text(added.ended_at),
        "client_id": added.client_id,
    }


def _refusal(error: IntegrityError, added: Credential) -> EvenhandError:
    refused = translate(error)
    is_taken = getattr(refused, "constraint", None) == _NAME_TAKEN
    return CredentialExists(added.name) if is_taken else refused
