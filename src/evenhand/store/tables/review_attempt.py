"""What stays of a job's way: attempts that ended, transitions, usage; all append-only.

Every rate is read from these rows.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_NAMELESS: Final = "'command_line', 'hub'"
_ACTORS: Final = f"'operator', 'viewer', 'service_client', {_NAMELESS}"
_STATES: Final = "'queued', 'running', 'completed', 'failed', 'timed_out', 'cancelled'"
_OUTCOMES: Final = (
    "'reviewed', 'insufficient_evidence', 'failed', 'timed_out', 'cancelled', 'requeued'"
)
_TOKENS: Final = ("input_tokens", "cached_input_tokens", "output_tokens")

review_attempt: Final = sa.Table(
    "review_attempt",
    metadata,
    sa.Column("job_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("worker", SORTED_TEXT),
    sa.Column("claimed_at", SORTED_TEXT),
    sa.Column("prepared_at", SORTED_TEXT),
    sa.Column("execution_started_at", SORTED_TEXT),
    sa.Column("ended_at", SORTED_TEXT, nullable=False),
    sa.Column("outcome", SORTED_TEXT, nullable=False),
    sa.Column("error_class", sa.Text),
    sa.Column("config_digest", SORTED_TEXT),
    sa.Column("prompt_digest", SORTED_TEXT),
    sa.Column("inputs_digest", SORTED_TEXT),
    sa.Column("candidates_seen", sa.Integer),
    sa.Column("candidates_persisted", sa.Integer),
    sa.Column("candidates_rejected", sa.Integer),
    sa.Column("unreadable", sa.Boolean),
    sa.PrimaryKeyConstraint("job_id", "attempt"),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.CheckConstraint("attempt >= 1", name="attempt"),
    sa.CheckConstraint(is_time("ended_at"), name="ended_at"),
    sa.CheckConstraint(f"outcome IN ({_OUTCOMES})", name="outcome"),
    sa.CheckConstraint(
        "(error_class IS NOT NULL) = (outcome IN ('failed', 'timed_out', 'requeued'))",
        name="error_class",
    ),
    sa.CheckConstraint(
        "(candidates_seen IS NULL) = (unreadable IS NULL)"
        " AND (candidates_seen IS NULL) = (candidates_persisted IS NULL)"
        " AND (candidates_seen IS NULL) = (candidates_rejected IS NULL)"
        " AND (candidates_seen IS NULL OR (candidates_persisted >= 0 AND candidates_rejected >= 0"
        " AND candidates_seen = candidates_persisted + candidates_rejected))",
        name="candidates",
    ),
    sqlite_with_rowid=False,
    info=about(
        "One attempt of a job that ended; rates of failure and invalid output read only these.",
        job_id="The job.",
        attempt="From 1, within the job.",
        worker="Who held it; missing where it was ended while it waited.",
        claimed_at="When it was claimed.",
        prepared_at="When it was prepared; missing: it did not come so far.",
        execution_started_at="When execution began; missing: nothing can have been spent.",
        ended_at="When it ended.",
        outcome="How it ended.",
        error_class="Class name of its failure.",
        config_digest="The configuration that it ran with; missing: unknown.",
        prompt_digest="The prompt that it ran with; missing: unknown.",
        inputs_digest="The files that it ran with; missing: unknown.",
        candidates_seen="Candidates in its output; missing: none was handed in.",
        candidates_persisted="Of them, observations.",
        candidates_rejected="Of them, refused.",
        unreadable="Whether its output could not be read at all.",
    ),
)

job_transition: Final = sa.Table(
    "job_transition",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("job_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("from_state", SORTED_TEXT),
    sa.Column("to_state", SORTED_TEXT, nullable=False),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("actor_kind", SORTED_TEXT, nullable=False),
    sa.Column("actor_id", SORTED_TEXT),
    sa.Column("reason", SORTED_TEXT),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="id"),
    sa.CheckConstraint(is_time("at"), name="at"),
    sa.CheckConstraint(
        f"to_state IN ({_STATES}) AND (from_state IS NULL OR from_state IN ('queued', 'running'))",
        name="states",
    ),
    sa.CheckConstraint(f"actor_kind IN ({_ACTORS})", name="actor_kind"),
    sa.CheckConstraint(f"(actor_kind IN ({_NAMELESS})) = (actor_id IS NULL)", name="actor_id"),
    sa.Index("ix_job_transition_job", "job_id", "at", "id"),
    info=about(
        "That a job went from one state to another.",
        job_id="The job.",
        attempt="The attempt that it was in.",
        from_state="From which state; missing for its submission.",
        to_state="To which.",
        at="When.",
        actor_kind="Who did it, by kind.",
        actor_id="Who, where they have an id.",
        reason="Why, in one word.",
    ),
)

llm_usage_event: Final = sa.Table(
    "llm_usage_event",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    # A soft reference: what used a model may be of another kind one day.
    sa.Column("source_type", SORTED_TEXT, nullable=False),
    sa.Column("source_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("calls", sa.BigInteger, nullable=False),
    *(sa.Column(name, sa.BigInteger) for name in _TOKENS),
    sa.Column("usage_source", SORTED_TEXT, nullable=False),
    sa.Column("pricing", SORTED_TEXT, nullable=False),
    sa.Column("input_rate", sa.Text),
    sa.Column("cached_input_rate", sa.Text),
    sa.Column("output_rate", sa.Text),
    sa.Column("cost_micros", sa.BigInteger),
    sa.Column("occurred_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("source_type", "source_id", "attempt"),
    sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="id"),
    sa.CheckConstraint("source_type = 'agent_job'", name="source_type"),
    sa.CheckConstraint(
        "usage_source IN ('runner', 'proxy', 'merged', 'none')", name="usage_source"
    ),
    sa.CheckConstraint(
        "calls >= 0 AND (input_tokens IS NULL OR input_tokens >= 0)"
        " AND (cached_input_tokens IS NULL OR cached_input_tokens >= 0)"
        " AND (output_tokens IS NULL OR output_tokens >= 0)"
        " AND (usage_source = 'none') = (input_tokens IS NULL AND cached_input_tokens IS NULL"
        " AND output_tokens IS NULL)",
        name="counts",
    ),
    sa.CheckConstraint(
        "pricing IN ('priced', 'no_charge', 'unpriced')"
        " AND (pricing = 'unpriced') = (cost_micros IS NULL)"
        " AND (cost_micros IS NULL OR cost_micros >= 0)"
        " AND (pricing <> 'no_charge' OR cost_micros = 0)",
        name="pricing",
    ),
    sa.CheckConstraint(is_time("occurred_at"), name="occurred_at"),
    info=about(
        "What one attempt used of a model, and what that cost.",
        source_type="What used it.",
        source_id="Which one.",
        attempt="In which attempt.",
        model="The admitted model, of the configuration.",
        calls="How many calls.",
        input_tokens="Tokens in; missing: not counted.",
        cached_input_tokens="Tokens in that were cached; missing: not counted.",
        output_tokens="Tokens out; missing: not counted.",
        usage_source="Who counted them.",
        pricing="Whether it was charged, free, or its price is unknown.",
        input_rate="Price of a million tokens in, as it was then.",
        cached_input_rate="Price of a million cached tokens in.",
        output_rate="Price of a million tokens out.",
        cost_micros="Cost in millionths; missing: unknown.",
        occurred_at="When.",
    ),
)
