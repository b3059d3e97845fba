"""Who may call, and what was changed by whom: credentials, and the append-only audit.

A credential's row is written once and ended once; no row is ever taken away, so that an entry of
the audit always leads somewhere. The token itself is in no table.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_ROLES: Final = "'operator', 'viewer', 'service_client'"
_STATES: Final = "'active', 'rotated', 'revoked'"
_NAMELESS: Final = "'command_line', 'hub'"
_ACTORS: Final = f"'operator', 'viewer', 'service_client', {_NAMELESS}"
_IN_FORCE: Final = sa.text("state = 'active'")

credential: Final = sa.Table(
    "credential",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("name", SORTED_TEXT, nullable=False),
    sa.Column("role", SORTED_TEXT, nullable=False),
    sa.Column("token_digest", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("rotated_from", SORTED_TEXT),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("ended_at", SORTED_TEXT),
    sa.Column("client_id", SORTED_TEXT),
    sa.UniqueConstraint("token_digest"),
    # A credential takes the place of one other, and that one's place is taken once.
    sa.UniqueConstraint("rotated_from"),
    sa.ForeignKeyConstraint(["rotated_from"], ["credential.id"]),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="name"),
    sa.CheckConstraint(f"role IN ({_ROLES})", name="role"),
    sa.CheckConstraint("(role = 'service_client') = (client_id IS NOT NULL)", name="client_id"),
    sa.CheckConstraint("length(token_digest) = 64", name="token_digest"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint(f"state IN ({_STATES})", name="state"),
    sa.CheckConstraint(
        "(state = 'active') = (ended_at IS NULL) AND (ended_at IS NULL OR length(ended_at) = 27)",
        name="ended_at",
    ),
    sa.Index("ix_credential_time", "created_at", "id"),
    sa.Index(
        "ix_credential_name_in_force",
        "name",
        unique=True,
        sqlite_where=_IN_FORCE,
        postgresql_where=_IN_FORCE,
    ),
    info=about(
        "A token that was made; the token itself is nowhere.",
        name="By which commands name it while it is in force.",
        role="What it may do: operator, viewer or service_client.",
        token_digest="SHA-256 of the token.",  # noqa: S106 -- what the column holds
        rotated_from="The credential whose place it took.",
        state="active, rotated or revoked.",
        ended_at="When it was rotated or revoked.",
        client_id="The service client whose token it is; missing for people.",
    ),
)

audit_entry: Final = sa.Table(
    "audit_entry",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("actor_kind", SORTED_TEXT, nullable=False),
    sa.Column("actor_id", SORTED_TEXT),
    sa.Column("action", SORTED_TEXT, nullable=False),
    sa.Column("object_kind", SORTED_TEXT, nullable=False),
    sa.Column("object_id", SORTED_TEXT, nullable=False),
    sa.Column("from_state", SORTED_TEXT),
    sa.Column("to_state", SORTED_TEXT),
    sa.Column("code", SORTED_TEXT),
    sa.Column("version", sa.BigInteger),
    sa.Column("related_id", SORTED_TEXT),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("at"), name="at"),
    sa.CheckConstraint(f"actor_kind IN ({_ACTORS})", name="actor_kind"),
    sa.CheckConstraint(f"(actor_kind IN ({_NAMELESS})) = (actor_id IS NULL)", name="actor_id"),
    sa.CheckConstraint(
        "length(action) >= 1 AND length(action) <= 64"
        " AND length(object_kind) >= 1 AND length(object_kind) <= 64"
        " AND length(object_id) >= 1 AND length(object_id) <= 64"
        " AND (from_state IS NULL OR (length(from_state) >= 1 AND length(from_state) <= 64))"
        " AND (to_state IS NULL OR (length(to_state) >= 1 AND length(to_state) <= 64))"
        " AND (code IS NULL OR (length(code) >= 1 AND length(code) <= 64))",
        name="words",
    ),
    sa.CheckConstraint("version >= 1", name="version"),
    sa.CheckConstraint("length(related_id) >= 1 AND length(related_id) <= 64", name="related_id"),
    sa.Index("ix_audit_entry_time", "at", "id"),
    sa.Index("ix_audit_entry_object", "object_kind", "object_id", "at", "id"),
    sa.Index("ix_audit_entry_kind", "object_kind", "at", "id"),
    sa.Index("ix_audit_entry_actor", "actor_id", "at", "id"),
    info=about(
        "One change: what, when and by whom; no content and no token.",
        at="When, in the transaction that made the change.",
        actor_kind="operator, viewer, service_client, command_line or hub.",
        actor_id="The credential of the actor; missing for the command line and the hub.",
        action="What was done, in one word.",
        object_kind="To what, in one word.",
        object_id="Its id.",
        from_state="Its state before; missing where there was none.",
        to_state="Its state after; missing where there is none.",
        code="What else is to be known, in one word.",
        version="The version that the object has from then on.",
        related_id="What else took part.",
    ),
)
