"""How evaluations came over the network: by whom, for which project, under which key."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

evaluation_publication: Final = sa.Table(
    "evaluation_publication",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("suite_revision_id", SORTED_TEXT),
    # Of whom a row is must stay known when a credential is rotated: the client, else a person.
    sa.Column("client_id", SORTED_TEXT),
    sa.Column("credential_id", SORTED_TEXT, nullable=False),
    sa.Column("idempotency_key", SORTED_TEXT, nullable=False),
    sa.Column("body_digest", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "idempotency_key"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.ForeignKeyConstraint(["suite_revision_id"], ["suite_revision.id"]),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    sa.ForeignKeyConstraint(["credential_id"], ["credential.id"]),
    sa.CheckConstraint(
        "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128", name="idempotency_key"
    ),
    sa.CheckConstraint("length(body_digest) = 64", name="body_digest"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    info=about(
        "That an evaluation came over the network, by whom and under which key.",
        suite_revision_id="What was asked; missing where the set was sent along or described.",
        client_id="The service client that sent it; missing where a person did.",
        credential_id="The credential by which it was sent.",
        idempotency_key="The same for each try of one call, within a project.",
        body_digest="Digest of what the body meant (json-ascii-v1).",
    ),
)
