"""Jobs that review by practices, and which revisions each attempt was prepared for.

A job's row moves with its state; what was submitted in it never changes.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_KINDS: Final = "'rag.answer', 'rag.retrieval_run'"
_STATES: Final = "'queued', 'running', 'completed', 'failed', 'timed_out', 'cancelled'"
_OUTCOMES: Final = (
    "'reviewed', 'insufficient_evidence', 'failed', 'timed_out', 'cancelled', 'requeued'"
)
_TOKENS: Final = ("input_tokens", "cached_input_tokens", "output_tokens")

agent_job: Final = sa.Table(
    "agent_job",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("client_id", SORTED_TEXT),
    sa.Column("idempotency_key", SORTED_TEXT, nullable=False),
    sa.Column("body_digest", SORTED_TEXT, nullable=False),
    sa.Column("artifact_kind", SORTED_TEXT, nullable=False),
    sa.Column("artifact_id", SORTED_TEXT, nullable=False),
    sa.Column("subject_id", SORTED_TEXT, nullable=False),
    sa.Column("cohort_kind", SORTED_TEXT, nullable=False),
    sa.Column("cohort", SORTED_TEXT),
    sa.Column("case_id", SORTED_TEXT),
    sa.Column("repository_revision", sa.Text),
    sa.Column("origin", SORTED_TEXT, nullable=False),
    sa.Column("submitted_snapshot", sa.Text, nullable=False),
    sa.Column("submitted_digest", SORTED_TEXT, nullable=False),
    sa.Column("config_snapshot", sa.Text),
    sa.Column("config_digest", SORTED_TEXT),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("available_at", SORTED_TEXT, nullable=False),
    sa.Column("worker", SORTED_TEXT),
    sa.Column("token_digest", SORTED_TEXT),
    sa.Column("claimed_at", SORTED_TEXT),
    sa.Column("deadline_at", SORTED_TEXT),
    sa.Column("prepared_at", SORTED_TEXT),
    sa.Column("prompt_digest", SORTED_TEXT),
    sa.Column("inputs_digest", SORTED_TEXT),
    sa.Column("evidence_snapshot", sa.Text),
    sa.Column("readiness", sa.Text),
    sa.Column("execution_started_at", SORTED_TEXT),
    sa.Column("finished_at", SORTED_TEXT),
    sa.Column("outcome", SORTED_TEXT),
    sa.Column("error_class", sa.Text),
    sa.Column("cancel_reason", SORTED_TEXT),
    sa.Column("model", sa.Text),
    sa.Column("calls", sa.BigInteger),
    *(sa.Column(name, sa.BigInteger) for name in _TOKENS),
    sa.Column("cost_micros", sa.BigInteger),
    sa.UniqueConstraint("project_id", "idempotency_key"),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.ForeignKeyConstraint(["client_id"], ["service_client.id"]),
    sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="id"),
    sa.CheckConstraint(is_time("created_at", "available_at"), name="created_at"),
    sa.CheckConstraint(
        "length(idempotency_key) >= 1 AND length(idempotency_key) <= 128"
        " AND length(body_digest) = 64",
        name="idempotency_key",
    ),
    sa.CheckConstraint(f"artifact_kind IN ({_KINDS})", name="artifact_kind"),
    sa.CheckConstraint(
        "cohort_kind IN ('inputs', 'cases') AND (cohort_kind = 'cases' OR cohort IS NULL)",
        name="cohort",
    ),
    sa.CheckConstraint("origin IN ('live', 'manual', 'backfill')", name="origin"),
    sa.CheckConstraint(
        "length(submitted_digest) = 64 AND (config_snapshot IS NULL) = (config_digest IS NULL)"
        " AND (config_digest IS NULL OR length(config_digest) = 64)",
        name="config",
    ),
    sa.CheckConstraint(f"state IN ({_STATES})", name="state"),
    # A holder and its times stand together; who waits has none.
    sa.CheckConstraint(
        "(worker IS NULL) = (token_digest IS NULL) AND (worker IS NULL) = (claimed_at IS NULL)"
        " AND (worker IS NULL) = (deadline_at IS NULL)"
        " AND (state <> 'running' OR (worker IS NOT NULL AND config_digest IS NOT NULL))"
        " AND (state <> 'queued' OR worker IS NULL)",
        name="claim",
    ),
    # What was captured before the execution was written together (BR-14).
    sa.CheckConstraint(
        "(prepared_at IS NULL) = (inputs_digest IS NULL)"
        " AND (prepared_at IS NULL) = (evidence_snapshot IS NULL)"
        " AND (prepared_at IS NULL) = (readiness IS NULL)"
        " AND (prepared_at IS NOT NULL OR prompt_digest IS NULL)"
        " AND (execution_started_at IS NULL OR prompt_digest IS NOT NULL)"
        " AND (prepared_at IS NULL OR worker IS NOT NULL)",
        name="preparation",
    ),
    sa.CheckConstraint(
        "(state IN ('queued', 'running')) = (finished_at IS NULL)"
        f" AND (outcome IS NULL OR outcome IN ({_OUTCOMES}))"
        " AND (finished_at IS NULL OR outcome IS NOT NULL)"
        " AND (state = 'cancelled') = (cancel_reason IS NOT NULL)",
        name="end",
    ),
    sa.CheckConstraint(
        "cancel_reason IS NULL OR cancel_reason IN ('drain_graceful', 'drain_immediate',"
        " 'budget_exhausted', 'model_unavailable')",
        name="cancel_reason",
    ),
    sa.Index("ix_agent_job_time", "created_at", "id"),
    sa.Index("ix_agent_job_project", "project_id", "created_at", "id"),
    sa.Index("ix_agent_job_state", "state", "created_at", "id"),
    sa.Index("ix_agent_job_queue", "project_id", "state", "available_at", "id"),
    sa.Index("ix_agent_job_deadline", "state", "deadline_at"),
    # By which a purge finds what is over, and whether an answer has a review left.
    sa.Index("ix_agent_job_finished", "finished_at"),
    sa.Index("ix_agent_job_artifact", "project_id", "artifact_id"),
    info=about(
        "One automated review: what was asked for, where it stands, what it ran with.",
        client_id="The service client that submitted it; missing where a person did.",
        idempotency_key="The same for each try of one call, within a project.",
        body_digest="Digest of what the body meant (json-ascii-v1).",
        artifact_kind="What is reviewed: an answer, or a retrieval run.",
        artifact_id="Which one; of an answer the answer's id.",
        subject_id="Whom or what it is about, an opaque label.",
        cohort_kind="By what the cases of a stratum are told: inputs or named cases.",
        cohort="Name of the cases; missing where the inputs tell, or where it is unknown.",
        case_id="Which case of the cohort; missing: unknown.",
        repository_revision="Of a checkout, where there is one.",
        origin="Why it was carried out; only live ones make rates.",
        submitted_snapshot="The behaviour configuration as submitted, canonical JSON.",
        submitted_digest="Its digest.",
        config_snapshot="The whole configuration after the claim, canonical JSON.",
        config_digest="Its digest: the identity of the behaviour.",
        state="Where it stands.",
        attempt="The attempt that runs, or runs next; from 1.",
        available_at="Before this it is not claimed.",
        worker="Who holds the attempt, or held the last one.",
        token_digest="Digest of the holder's token; the token is kept nowhere.",  # noqa: S106 -- a description
        claimed_at="When the attempt was claimed.",
        deadline_at="When it is too late.",
        prepared_at="When the attempt was prepared.",
        prompt_digest="Root digest of the prompt scaffolding; missing: nothing was ready.",
        inputs_digest="Digest of the injected files, the job's id left out.",
        evidence_snapshot="What could be looked at, and the admitted practices, as JSON.",
        readiness="One decision per practice, as JSON.",
        execution_started_at="When execution began; missing: nothing can have been spent.",
        finished_at="When it ended.",
        outcome="How its last attempt ended.",
        error_class="Class name of the failure of its last attempt.",
        cancel_reason="Why it was cancelled.",
        model="The admitted model, once usage was told.",
        calls="Calls of the model in the last attempt; missing: not told.",
        input_tokens="Tokens in; missing: not counted.",
        cached_input_tokens="Tokens in that were cached; missing: not counted.",
        output_tokens="Tokens out; missing: not counted.",
        cost_micros="Cost in millionths; missing: unknown.",
    ),
)

agent_job_practice: Final = sa.Table(
    "agent_job_practice",
    metadata,
    sa.Column("job_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("practice_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("ready", sa.Boolean, nullable=False),
    sa.PrimaryKeyConstraint("job_id", "attempt", "practice_revision_id"),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.ForeignKeyConstraint(["practice_revision_id"], ["practice_revision.id"]),
    sa.CheckConstraint("attempt >= 1", name="attempt"),
    sqlite_with_rowid=False,
    info=about(
        "That an attempt was prepared for a revision of a practice.",
        job_id="The job.",
        attempt="The attempt.",
        practice_revision_id="The revision.",
        ready="Whether it could be judged.",
    ),
)
