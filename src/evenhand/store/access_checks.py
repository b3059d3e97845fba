"""Do credentials and the audit hold together? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.core.access.credential import Credential, CredentialState
from evenhand.core.errors import Invalid
from evenhand.store.audit import row_to_entry
from evenhand.store.credentials import row_to_credential
from evenhand.store.tables import audit_entry, credential


def credential_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with credentials."""
    told = _changes_that_are_told(connection)
    for row in connection.execute(sa.select(credential).order_by(credential.c.id)).mappings():
        subject = f"credential {row['id']}"
        try:
            found = row_to_credential(row)
        except (Invalid, ValueError, TypeError):
            message = "it does not read back as what was written"
            yield "credential_unreadable", subject, message
            continue
        untold = sorted(_states_of(found) - told.get(found.id, set()))
        if untold:
            message = f"no entry of the audit tells of its becoming {', '.join(untold)}"
            yield "audit_missing", subject, message


def audit_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with entries of the audit."""
    for row in connection.execute(sa.select(audit_entry).order_by(audit_entry.c.id)).mappings():
        try:
            row_to_entry(row)
        except (Invalid, ValueError, TypeError):
            message = "it does not read back as what was written"
            yield "audit_unreadable", f"audit entry {row['id']}", message


def _states_of(found: Credential) -> set[str]:
    return {CredentialState.ACTIVE.value, found.state.value}


def _changes_that_are_told(connection: Connection) -> dict[str, set[str]]:
    rows = connection.execute(
        sa.select(audit_entry.c.object_id, audit_entry.c.to_state).where(
            audit_entry.c.object_kind == "credential"
        )
    )
    told: dict[str, set[str]] = {}
    for object_id, to_state in rows:
        told.setdefault(object_id, set()).add(to_state)
    return told
