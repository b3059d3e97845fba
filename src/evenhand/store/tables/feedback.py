"""What was composed from findings, where it was put, and what came back.

Of feedback only its state, its time of delivery and the reason why it was withheld may change;
all the rest is append-only.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_ACTORS: Final = "'operator', 'viewer', 'service_client', 'command_line', 'hub'"
_REASONS: Final = (
    "'volume_capped', 'composer_deduped', 'reacted_disputed', 'reacted_not_applicable',"
    " 'conversation_expired', 'artifact_gone', 'artifact_closed', 'artifact_merged',"
    " 'recipient_opted_out', 'empty_after_sanitize', 'instance_silenced', 'workspace_disabled',"
    " 'approval_stale', 'approval_no_longer_eligible', 'practice_requires_approval',"
    " 'backfill_quiet'"
)

feedback: Final = sa.Table(
    "feedback",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("agent_job_id", SORTED_TEXT, nullable=False),
    sa.Column("recipient", SORTED_TEXT, nullable=False),
    sa.Column("channel", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("suppression_reason", SORTED_TEXT),
    sa.Column("body", sa.Text),
    sa.Column("replaces_id", SORTED_TEXT),
    sa.Column("thread_key", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("delivered_at", SORTED_TEXT),
    sa.UniqueConstraint("agent_job_id", "position"),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.ForeignKeyConstraint(["agent_job_id"], ["agent_job.id"]),
    sa.ForeignKeyConstraint(["replaces_id"], ["feedback.id"], name="fk_feedback_replaces"),
    sa.CheckConstraint("length(id) = 36 AND position >= 0", name="id"),
    sa.CheckConstraint("channel IN ('in_context', 'in_chat', 'in_app')", name="channel"),
    sa.CheckConstraint(
        "state IN ('awaiting_approval', 'prepared', 'delivered', 'superseded', 'suppressed',"
        " 'failed', 'discarded')",
        name="state",
    ),
    sa.CheckConstraint(
        "(state = 'suppressed') = (suppression_reason IS NOT NULL)"
        f" AND (suppression_reason IS NULL OR suppression_reason IN ({_REASONS}))",
        name="suppression_reason",
    ),
    sa.CheckConstraint(
        "(state <> 'delivered' OR delivered_at IS NOT NULL)"
        " AND (delivered_at IS NULL OR (length(delivered_at) = 27"
        " AND state IN ('delivered', 'superseded')))",
        name="delivered_at",
    ),
    sa.CheckConstraint("length(thread_key) = 64", name="thread_key"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.Index("ix_feedback_project", "project_id", "created_at", "id"),
    sa.Index("ix_feedback_replaces", "replaces_id"),
    info=about(
        "One composed unit that got as far as delivery, withheld ones among them.",
        agent_job_id="The review that it was composed from.",
        recipient="Whom it is meant for, an opaque label.",
        channel="Where it is meant to go.",
        position="Its place among the feedback of its review, from 0.",
        state="What the delivery policy decided; it proves no placement.",
        suppression_reason="Why it was withheld, of what was.",
        body="Its text; missing where the privacy level keeps none.",
        replaces_id="The feedback whose place it takes.",
        thread_key="The same for feedback that belongs together.",
        delivered_at="When the delivery policy called it delivered.",
    ),
)

feedback_observation: Final = sa.Table(
    "feedback_observation",
    metadata,
    sa.Column("feedback_id", SORTED_TEXT, nullable=False),
    sa.Column("observation_id", SORTED_TEXT, nullable=False),
    sa.Column("role", SORTED_TEXT, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("feedback_id", "observation_id"),
    sa.ForeignKeyConstraint(["feedback_id"], ["feedback.id"]),
    sa.ForeignKeyConstraint(["observation_id"], ["observation.id"]),
    sa.CheckConstraint("role IN ('primary', 'supporting') AND ordinal >= 0", name="role"),
    sa.Index("ix_feedback_observation_observation", "observation_id", "feedback_id"),
    sqlite_with_rowid=False,
    info=about(
        "That feedback was composed from an observation; without it nothing was.",
        feedback_id="The feedback.",
        observation_id="The observation.",
        role="Primary or supporting.",
        ordinal="Its place, from 0.",
    ),
)

feedback_placement: Final = sa.Table(
    "feedback_placement",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("feedback_id", SORTED_TEXT, nullable=False),
    sa.Column("type", SORTED_TEXT, nullable=False),
    sa.Column("path", sa.Text),
    sa.Column("line", sa.Integer),
    sa.Column("channel_reference", sa.Text),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.ForeignKeyConstraint(["feedback_id"], ["feedback.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        "type IN ('summary', 'inline', 'conversation_turn')"
        " AND (type = 'inline') = (path IS NOT NULL) AND (type = 'inline' OR line IS NULL)",
        name="type",
    ),
    # A blank one is stored as none, so that no reader takes it for a proof.
    sa.CheckConstraint(
        "channel_reference IS NULL OR length(trim(channel_reference)) > 0",
        name="channel_reference",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.Index("ix_feedback_placement_feedback", "feedback_id", "created_at", "id"),
    info=about(
        "Where feedback was put.",
        feedback_id="The feedback.",
        type="In which form.",
        path="Where, of an inline one.",
        line="At which line, of an inline one.",
        channel_reference="What the channel calls it; missing: nothing is proved.",
    ),
)

feedback_dispatch: Final = sa.Table(
    "feedback_dispatch",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("feedback_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("acknowledgement", sa.Text),
    sa.Column("error_class", sa.Text),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("feedback_id", "attempt"),
    sa.ForeignKeyConstraint(["feedback_id"], ["feedback.id"]),
    sa.CheckConstraint("length(id) = 36 AND attempt >= 1", name="id"),
    sa.CheckConstraint(
        "(acknowledgement IS NULL OR length(trim(acknowledgement)) > 0)"
        " AND (acknowledgement IS NULL OR error_class IS NULL)",
        name="acknowledgement",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    info=about(
        "That feedback was handed to a channel.",
        feedback_id="The feedback.",
        attempt="Number of the try, from 1.",
        acknowledgement="What the channel said it took; missing: nothing is proved.",
        error_class="Class name of what failed.",
    ),
)

reaction: Final = sa.Table(
    "reaction",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("feedback_id", SORTED_TEXT, nullable=False),
    sa.Column("reactor", SORTED_TEXT, nullable=False),
    sa.Column("usefulness", SORTED_TEXT),
    sa.Column("resolution", SORTED_TEXT),
    sa.Column("explained", sa.Boolean, nullable=False),
    sa.Column("explanation", sa.Text),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.ForeignKeyConstraint(["feedback_id"], ["feedback.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        "usefulness IS NULL OR usefulness IN ('useful', 'not_useful')", name="usefulness"
    ),
    sa.CheckConstraint(
        "resolution IS NULL OR resolution IN ('addressed', 'disputed', 'not_applicable')",
        name="resolution",
    ),
    sa.CheckConstraint(
        "(resolution IS NULL OR resolution <> 'disputed' OR explained)"
        " AND (explanation IS NULL OR explained)",
        name="explanation",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.Index("ix_reaction_feedback", "feedback_id", "reactor", "created_at", "id"),
    info=about(
        "What a recipient said of feedback; the newest of each is the response.",
        feedback_id="The feedback.",
        reactor="Who, an opaque label.",
        usefulness="Whether it was useful; missing: unknown.",
        resolution="What was made of it; missing: unknown.",
        explained="Whether a reason was given.",
        explanation="The reason; missing where the privacy level keeps none.",
    ),
)

answer_acceptance: Final = sa.Table(
    "answer_acceptance",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("answer_id", SORTED_TEXT, nullable=False),
    sa.Column("accepted", sa.Boolean, nullable=False),
    sa.Column("by_kind", SORTED_TEXT, nullable=False),
    sa.Column("by_id", SORTED_TEXT),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("length(answer_id) >= 1 AND length(answer_id) <= 190", name="answer_id"),
    sa.CheckConstraint(f"by_kind IN ({_ACTORS})", name="by_kind"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.Index("ix_answer_acceptance_answer", "project_id", "answer_id", "created_at", "id"),
    sa.Index("ix_answer_acceptance_created", "created_at"),
    info=about(
        "That a person accepted an answer, or did not; the newest counts.",
        answer_id="The answer, an opaque label.",
        accepted="What they said.",
        by_kind="Who, by kind.",
        by_id="Who, where they have an id.",
    ),
)
