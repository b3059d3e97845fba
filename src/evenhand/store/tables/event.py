"""Events of the analytics contract: what came in or was emitted, what was refused, what is to go on.

`event` is one table of one grain; queries read it through the view that the contract names, so
that what else is kept of a row is no part of an answer. It has no foreign keys: PostgreSQL would
look each of thousands of rows up, and projects and clients are never taken away (``db check``
holds them against each other). Nor has it an index for purges, which each event would pay for: a
purge reads the table.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

event: Final = sa.Table(
    "event",
    metadata,
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("event_id", SORTED_TEXT, nullable=False),
    sa.Column("timestamp_utc", SORTED_TEXT, nullable=False),
    sa.Column("account_id", SORTED_TEXT, nullable=False),
    sa.Column("release", SORTED_TEXT, nullable=False),
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("retrieval_version", SORTED_TEXT, nullable=False),
    sa.Column("evaluator_version", SORTED_TEXT, nullable=False),
    sa.Column("retrieval_score", sa.Double, nullable=False),
    sa.Column("grounded", sa.Boolean, nullable=False),
    sa.Column("duration_ms", sa.Double, nullable=False),
    sa.Column("accepted", sa.Boolean),
    sa.Column("outcome", SORTED_TEXT),
    sa.Column("prompt_version", SORTED_TEXT),
    sa.Column("benchmark", SORTED_TEXT),
    sa.Column("review_stratum", SORTED_TEXT),
    sa.Column("grain_digest", sa.LargeBinary, nullable=False),
    sa.Column("client_id", SORTED_TEXT),
    sa.Column("received_at", SORTED_TEXT, nullable=False),
    sa.PrimaryKeyConstraint("project_id", "event_id"),
    sa.UniqueConstraint("grain_digest"),
    sa.CheckConstraint("retrieval_score >= 0 AND retrieval_score <= 1", name="retrieval_score"),
    sa.CheckConstraint("duration_ms >= 0", name="duration_ms"),
    sa.CheckConstraint("outcome IN ('evaluated', 'ineligible')", name="outcome"),
    sa.CheckConstraint("length(grain_digest) = 32", name="grain_digest"),
    sa.CheckConstraint(is_time("timestamp_utc", "received_at"), name="times"),
    sa.Index("ix_event_time", "timestamp_utc"),
    info=about(
        "One final result: an event of the contract rag_retrieval_evaluated, version 1.",
        event_id="Of the event, unique in its project.",
        timestamp_utc="When the outcome was final, as the sender says.",
        account_id="Pseudonym of whose result it is.",
        release="Version of what emitted it.",
        evaluation_id="Pseudonym of the case within one candidate run.",
        retrieval_version="Version of index, retriever and ranking contract.",
        evaluator_version="Version of evaluator and rubric.",
        retrieval_score="Normalised relevance, from 0 to 1.",
        grounded="Whether the answer satisfies the grounding rule.",
        duration_ms="How long the workflow took, in milliseconds.",
        accepted="Whether people accepted the answer; missing: unknown.",
        outcome="evaluated or ineligible; missing: evaluated.",
        prompt_version="Version of the prompt; missing: unknown.",
        benchmark="Fingerprint of what may be compared; missing: unknown.",
        review_stratum="Digest of what reviews may be pooled; missing: unknown.",
        grain_digest="SHA-256 of project, account, case, retrieval and evaluator, the grain; 32 bytes.",
        client_id="The service client that sent it; missing for people and the hub itself.",
        received_at="When the hub took it, by the database's clock.",
    ),
)

event_rejection: Final = sa.Table(
    "event_rejection",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("client_id", SORTED_TEXT),
    sa.Column("received_at", SORTED_TEXT, nullable=False),
    sa.Column("place", sa.BigInteger, nullable=False),
    sa.Column("code", SORTED_TEXT, nullable=False),
    sa.Column("field", SORTED_TEXT, nullable=False),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("place >= 0", name="place"),
    sa.CheckConstraint(
        "length(code) >= 1 AND length(code) <= 64 AND length(field) >= 1 AND length(field) <= 64",
        name="words",
    ),
    sa.CheckConstraint(is_time("received_at"), name="received_at"),
    sa.Index("ix_event_rejection_received", "received_at", "id"),
    info=about(
        "That an event was refused: why and at which field, nothing of it.",
        client_id="The service client that sent it; missing for people.",
        received_at="When.",
        place="Its place in what was sent, from 0.",
        code="Why.",
        field="Which field.",
    ),
)

event_outbox: Final = sa.Table(
    "event_outbox",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("event_id", SORTED_TEXT, nullable=False),
    sa.Column("key_version", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "event_id"),
    sa.ForeignKeyConstraint(["project_id", "event_id"], ["event.project_id", "event.event_id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("length(key_version) >= 1 AND length(key_version) <= 32", name="version"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    info=about(
        "An event that the hub emitted and that goes on to sinks.",
        event_id="The event.",
        key_version="Which version of the key made its pseudonyms.",
    ),
)

event_delivery_batch: Final = sa.Table(
    "event_delivery_batch",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("sink", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("delivered_at", SORTED_TEXT),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("length(sink) >= 1 AND length(sink) <= 64", name="sink"),
    sa.CheckConstraint(
        "length(created_at) = 27 AND (delivered_at IS NULL OR length(delivered_at) = 27)",
        name="times",
    ),
    sa.Index(
        "ix_event_delivery_batch_open",
        "sink",
        sqlite_where=sa.text("delivered_at IS NULL"),
        postgresql_where=sa.text("delivered_at IS NULL"),
    ),
    info=about(
        "Emitted events that go to a sink together, and to the same place once more after a fault.",
        sink="Name of the sink.",
        delivered_at="When the sink had taken it; missing: not known to be there.",
    ),
)

event_delivery: Final = sa.Table(
    "event_delivery",
    metadata,
    sa.Column("sink", SORTED_TEXT, nullable=False),
    sa.Column("outbox_id", SORTED_TEXT, nullable=False),
    sa.Column("batch_id", SORTED_TEXT, nullable=False),
    sa.PrimaryKeyConstraint("sink", "outbox_id"),
    sa.ForeignKeyConstraint(["outbox_id"], ["event_outbox.id"]),
    sa.ForeignKeyConstraint(["batch_id"], ["event_delivery_batch.id"]),
    sa.Index("ix_event_delivery_batch", "batch_id", "outbox_id"),
    info=about(
        "Which batch carries an emitted event to a sink.",
        sink="Name of the sink.",
        outbox_id="The emitted event.",
        batch_id="The batch.",
    ),
)

instance_secret: Final = sa.Table(
    "instance_secret",
    metadata,
    sa.Column("name", SORTED_TEXT, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("value", sa.LargeBinary, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.PrimaryKeyConstraint("name", "version"),
    sa.CheckConstraint("length(name) >= 1 AND length(name) <= 64", name="name"),
    sa.CheckConstraint("version >= 1", name="version"),
    sa.CheckConstraint("length(value) = 32", name="value"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    info=about(
        "A secret of this installation, such as the key of pseudonyms.",
        stays="it is a secret; whoever restores sets EVENHAND_SECRET_KEY or gets other pseudonyms",
        name="What it is for.",
        version="Rises with each new value; what was made with one names it.",
        value="32 random bytes.",
    ),
)
