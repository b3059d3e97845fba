"""Selected model comparisons: what was asked for and pinned, and what came of it.

A row of `comparison_intent` changes with its state, and what was pinned never does. The rest is
written once, when both sides are published: which evaluations they are, which gateway requests
prove them, and the summary, which outlives evaluations that are purged. Of a claim's token only
the digest is ever here, and it goes when the claim can no longer be proved.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, metadata

_STATES: Final = (
    "'pending', 'running', 'cancel_requested', 'completed', 'failed', 'cancelled', 'interrupted'"
)
_ACTIVE: Final = "state IN ('pending', 'running', 'cancel_requested')"
_HELD: Final = "state IN ('running', 'cancel_requested')"
_LEGS: Final = ("current", "candidate")


def _leg_columns(leg: str) -> list[sa.Column[Any]]:
    """What is pinned of one side."""
    return [
        sa.Column(f"{leg}_deployment_id", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_runtime_identity", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_artifact_digest", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_embedding_identity", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_embedding_dimension", sa.Integer, nullable=False),
        sa.Column(f"{leg}_route_id", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_route_name", SORTED_TEXT, nullable=False),
        sa.Column(f"{leg}_index_ref", sa.Text, nullable=False),
        sa.Column(f"{leg}_score_cutoff", sa.Double),
    ]


def _about_leg(leg: str) -> dict[str, str]:
    return {
        f"{leg}_deployment_id": f"The {leg} deployment.",
        f"{leg}_runtime_identity": "Label of what ran it, as pinned.",
        f"{leg}_artifact_digest": "Digest of its model, as pinned.",
        f"{leg}_embedding_identity": "Label of its embedding, as pinned.",
        f"{leg}_embedding_dimension": "Length of its vectors, as pinned.",
        f"{leg}_route_id": "The route through which it is called.",
        f"{leg}_route_name": "Its name, which the gateway takes as model.",
        f"{leg}_index_ref": "What the consumer calls the index that it searches.",
        f"{leg}_score_cutoff": "Results below it count for nothing, as pinned; missing: all count.",
        f"{leg}_completed": f"Cases of the {leg} side that the consumer reports as done.",
    }


def _in_project(noun: str, column: str, name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column, "project_id"],
        [f"{noun}.id", f"{noun}.project_id"],
        name=f"fk_comparison_intent_{name}",
    )


comparison_intent: Final = sa.Table(
    "comparison_intent",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("binding_id", SORTED_TEXT, nullable=False),
    sa.Column("client_id", SORTED_TEXT, nullable=False),
    sa.Column("suite_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("suite_content_digest", SORTED_TEXT, nullable=False),
    sa.Column("case_count", sa.Integer, nullable=False),
    sa.Column("corpus_sha256", SORTED_TEXT, nullable=False),
    sa.Column("retrieval_config_sha256", SORTED_TEXT, nullable=False),
    *_leg_columns("current"),
    *_leg_columns("candidate"),
    sa.Column("pins_digest", SORTED_TEXT, nullable=False),
    sa.Column("idempotency_key", SORTED_TEXT, nullable=False),
    sa.Column("body_digest", SORTED_TEXT, nullable=False),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("current_completed", sa.Integer, nullable=False),
    sa.Column("candidate_completed", sa.Integer, nullable=False),
    sa.Column("claimed_at", SORTED_TEXT),
    sa.Column("claim_expires_at", SORTED_TEXT),
    sa.Column("deadline_at", SORTED_TEXT),
    sa.Column("finished_at", SORTED_TEXT),
    sa.Column("error_code", SORTED_TEXT),
    sa.Column("token_digest", SORTED_TEXT),
    sa.Column("result_digest", SORTED_TEXT),
    sa.Column("production_promotion_performed", sa.Boolean, nullable=False),
    sa.UniqueConstraint("project_id", "idempotency_key"),
    sa.UniqueConstraint("token_digest"),
    sa.UniqueConstraint("id", "case_count"),
    _in_project("binding", "binding_id", "binding"),
    _in_project("service_client", "client_id", "service_client"),
    sa.ForeignKeyConstraint(
        ["suite_revision_id", "case_count"], ["suite_revision.id", "suite_revision.case_count"]
    ),
    *(_in_project("deployment", f"{leg}_deployment_id", f"{leg}_deployment") for leg in _LEGS),
    *(_in_project("route", f"{leg}_route_id", f"{leg}_route") for leg in _LEGS),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        "length(created_at) = 27 AND (claimed_at IS NULL OR length(claimed_at) = 27)"
        " AND (claim_expires_at IS NULL OR length(claim_expires_at) = 27)"
        " AND (deadline_at IS NULL OR length(deadline_at) = 27)"
        " AND (finished_at IS NULL OR length(finished_at) = 27)",
        name="times",
    ),
    sa.CheckConstraint(
        "length(suite_content_digest) = 64 AND length(corpus_sha256) = 64"
        " AND length(retrieval_config_sha256) = 64 AND length(pins_digest) = 64"
        " AND length(body_digest) = 64 AND (token_digest IS NULL OR length(token_digest) = 64)",
        name="digests",
    ),
    sa.CheckConstraint(
        "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128", name="idempotency_key"
    ),
    # An index of the current side is no index of the candidate (C-13, C-22).
    sa.CheckConstraint(
        "length(current_index_ref) >= 1 AND length(candidate_index_ref) >= 1"
        " AND current_index_ref <> candidate_index_ref"
        " AND current_deployment_id <> candidate_deployment_id",
        name="sides",
    ),
    sa.CheckConstraint(f"state IN ({_STATES})", name="state"),
    sa.CheckConstraint("version >= 1", name="version"),
    sa.CheckConstraint(
        "case_count >= 1 AND case_count <= 100"
        " AND current_completed >= 0 AND current_completed <= case_count"
        " AND candidate_completed >= 0 AND candidate_completed <= case_count",
        name="counts",
    ),
    sa.CheckConstraint(
        f"(NOT ({_HELD}) OR (token_digest IS NOT NULL AND claim_expires_at IS NOT NULL))"
        " AND (state NOT IN ('pending', 'interrupted') OR token_digest IS NULL)"
        " AND (state <> 'completed' OR token_digest IS NOT NULL)"
        " AND (state <> 'pending' OR claimed_at IS NULL)"
        " AND (claimed_at IS NULL) = (deadline_at IS NULL)"
        " AND (claim_expires_at IS NULL OR claimed_at IS NOT NULL)"
        " AND (token_digest IS NULL OR claimed_at IS NOT NULL)",
        name="claim",
    ),
    sa.CheckConstraint(
        "claim_expires_at IS NULL OR claim_expires_at <= deadline_at", name="deadline"
    ),
    sa.CheckConstraint(
        f"({_ACTIVE}) = (finished_at IS NULL)"
        " AND (state = 'completed') = (result_digest IS NOT NULL)"
        " AND (result_digest IS NULL OR length(result_digest) = 64)"
        " AND (error_code IS NULL OR state IN ('failed', 'interrupted'))"
        " AND (error_code IS NULL OR (length(error_code) >= 1 AND length(error_code) <= 64))",
        name="ended",
    ),
    # Whatever came of it, it changed no route (C-90).
    sa.CheckConstraint(
        "NOT production_promotion_performed", name="production_promotion_performed"
    ),
    sa.Index("ix_comparison_intent_time", "created_at", "id"),
    sa.Index("ix_comparison_intent_binding", "binding_id", "created_at", "id"),
    sa.Index("ix_comparison_intent_client", "client_id", "created_at", "id"),
    # One at a time for a binding, whoever prepares one at the same moment (C-29).
    sa.Index(
        "ix_comparison_intent_one_active",
        "binding_id",
        unique=True,
        sqlite_where=sa.text(_ACTIVE),
        postgresql_where=sa.text(_ACTIVE),
    ),
    sa.Index(
        "ix_comparison_intent_lease",
        "claim_expires_at",
        sqlite_where=sa.text(_HELD),
        postgresql_where=sa.text(_HELD),
    ),
    info=about(
        "A comparison that was asked for: what is pinned, and where it is.",
        binding_id="The binding whose model is in question.",
        client_id="The service client that is to carry it out.",
        suite_revision_id="The frozen cases.",
        suite_content_digest="Digest of all that is frozen with them.",
        case_count="How many they are.",
        corpus_sha256="The corpus over which both sides search.",
        retrieval_config_sha256="Digest of the retrieval settings of both sides.",
        **_about_leg("current"),
        **_about_leg("candidate"),
        pins_digest="Digest of all that is pinned, which the consumer sends back.",
        idempotency_key="The same for each try of preparing it, within a project.",
        body_digest="Digest of what was asked for (json-ascii-v1).",
        state="pending, running, cancel_requested, completed, failed, cancelled or interrupted.",
        version="Rises with each change of the state, and with nothing else.",
        claimed_at="When its consumer claimed it; missing before.",
        claim_expires_at="When its claim ends unless it is renewed.",
        deadline_at="When its claim ends for good.",
        finished_at="When it ended; missing before.",
        error_code="Why it failed or was interrupted.",
        token_digest="SHA-256 of the claim's token; missing where no claim can be proved.",  # noqa: S106 -- what the column holds
        result_digest="Digest of the result that was published (json-ascii-v1).",
        production_promotion_performed="Always false.",
    ),
)

comparison_leg: Final = sa.Table(
    "comparison_leg",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, primary_key=True),
    sa.Column("intent_id", SORTED_TEXT, nullable=False),
    sa.Column("leg", SORTED_TEXT, nullable=False),
    sa.Column("consumer_revision_sha256", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("intent_id", "leg"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.ForeignKeyConstraint(["intent_id"], ["comparison_intent.id"]),
    sa.CheckConstraint("leg IN ('current', 'candidate')", name="leg"),
    sa.CheckConstraint("length(consumer_revision_sha256) = 64", name="consumer_revision_sha256"),
    info=about(
        "Which evaluation is one side of a completed comparison.",
        intent_id="The comparison.",
        leg="current or candidate.",
        consumer_revision_sha256="Digest of the program that reported it, as that says of itself.",
    ),
)

comparison_request: Final = sa.Table(
    "comparison_request",
    metadata,
    # The primary key is what keeps one request from proving two cases, of whichever comparisons.
    sa.Column("public_id", SORTED_TEXT, primary_key=True),
    sa.Column("intent_id", SORTED_TEXT, nullable=False),
    sa.Column("case_count", sa.Integer, nullable=False),
    sa.Column("leg", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.UniqueConstraint("intent_id", "leg", "position"),
    sa.ForeignKeyConstraint(["public_id"], ["gateway_request.public_id"]),
    sa.ForeignKeyConstraint(
        ["intent_id", "case_count"], ["comparison_intent.id", "comparison_intent.case_count"]
    ),
    sa.CheckConstraint("leg IN ('current', 'candidate')", name="leg"),
    sa.CheckConstraint("position >= 0 AND position < case_count", name="position"),
    info=about(
        "Which gateway request proves a case of a completed comparison, once and for all.",
        public_id="The request, by the id that its client was told.",
        intent_id="The comparison.",
        case_count="How many cases that has.",
        leg="current or candidate.",
        position="The case, by its place in the suite revision, from 0.",
    ),
)

comparison_summary: Final = sa.Table(
    "comparison_summary",
    metadata,
    sa.Column("intent_id", SORTED_TEXT, primary_key=True),
    sa.Column("comparable", sa.Boolean, nullable=False),
    sa.Column("complete", sa.Boolean, nullable=False),
    sa.Column("eligible", sa.Boolean, nullable=False),
    sa.Column("critical_regressions", sa.Integer, nullable=False),
    sa.Column("current_failed", sa.Integer, nullable=False),
    sa.Column("candidate_failed", sa.Integer, nullable=False),
    sa.Column("document", sa.Text, nullable=False),
    sa.ForeignKeyConstraint(["intent_id"], ["comparison_intent.id"]),
    sa.CheckConstraint("NOT eligible OR (comparable AND complete)", name="eligible"),
    sa.CheckConstraint("complete = (current_failed + candidate_failed = 0)", name="complete"),
    sa.CheckConstraint(
        "critical_regressions >= 0 AND current_failed >= 0 AND candidate_failed >= 0"
        " AND (NOT eligible OR critical_regressions = 0)",
        name="counts",
    ),
    info=about(
        "What came of a completed comparison, in numbers; no id and no text of a case.",
        intent_id="The comparison.",
        comparable="Whether both sides were measured on an equal benchmark.",
        complete="Whether no case failed on either side.",
        eligible="Whether nothing speaks against the candidate; it authorises nothing.",
        critical_regressions="Critical cases that current hits and candidate does not.",
        current_failed="Cases that failed on the current side.",
        candidate_failed="Cases that failed on the candidate's side.",
        document="Measures of both sides and why it is not eligible, as JSON.",
    ),
)
