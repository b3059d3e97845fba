"""What reviews found, and what of their output was refused before it became a finding.

All of it is append-only. Of a refused candidate only its index and a reason are kept.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_REASONS: Final = (
    "'unreadable_output', 'not_an_object', 'unknown_field', 'missing_field', 'invalid_text',"
    " 'invalid_word', 'contradiction', 'invalid_evidence', 'evidence_not_staged',"
    " 'practice_not_admitted'"
)

observation_admission: Final = sa.Table(
    "observation_admission",
    metadata,
    sa.Column("job_id", SORTED_TEXT, primary_key=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("payload_digest", SORTED_TEXT, nullable=False),
    sa.Column("candidates_seen", sa.Integer, nullable=False),
    sa.Column("candidates_persisted", sa.Integer, nullable=False),
    sa.Column("candidates_rejected", sa.Integer, nullable=False),
    sa.Column("unreadable", sa.Boolean, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.CheckConstraint("attempt >= 1 AND length(payload_digest) = 64", name="payload"),
    sa.CheckConstraint(
        "candidates_persisted >= 0 AND candidates_rejected >= 0"
        " AND candidates_seen = candidates_persisted + candidates_rejected",
        name="candidates",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    info=about(
        "That a job handed in its output, once.",
        job_id="The job.",
        attempt="In which attempt.",
        payload_digest="Digest of what was handed in.",
        candidates_seen="Candidates in it.",
        candidates_persisted="Of them, observations.",
        candidates_rejected="Of them, refused.",
        unreadable="Whether it could not be read at all.",
    ),
)

observation: Final = sa.Table(
    "observation",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("agent_job_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("practice_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("occurrence_key", SORTED_TEXT, nullable=False),
    sa.Column("recurrence_key", SORTED_TEXT, nullable=False),
    sa.Column("presence", SORTED_TEXT, nullable=False),
    sa.Column("assessment", SORTED_TEXT),
    sa.Column("severity", SORTED_TEXT),
    sa.Column("summary", sa.Text),
    sa.Column("rationale", sa.Text),
    sa.Column("evidence", sa.Text),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("occurrence_key"),
    sa.UniqueConstraint("agent_job_id", "position"),
    sa.ForeignKeyConstraint(["agent_job_id"], ["agent_job.id"]),
    # Only what the attempt was prepared for can be spoken of: the exact revision, no other.
    sa.ForeignKeyConstraint(
        ["agent_job_id", "attempt", "practice_revision_id"],
        [
            "agent_job_practice.job_id",
            "agent_job_practice.attempt",
            "agent_job_practice.practice_revision_id",
        ],
    ),
    sa.CheckConstraint("length(id) = 36 AND attempt >= 1 AND position >= 0", name="id"),
    sa.CheckConstraint("length(occurrence_key) = 64 AND length(recurrence_key) = 64", name="keys"),
    sa.CheckConstraint(
        "presence IN ('present', 'absent', 'not_applicable', 'inconclusive')", name="presence"
    ),
    sa.CheckConstraint(
        "(assessment IS NOT NULL) = (presence IN ('present', 'absent'))"
        " AND (assessment IS NULL OR assessment IN ('good', 'bad'))",
        name="assessment",
    ),
    sa.CheckConstraint(
        "(severity IS NOT NULL) = (assessment IS NOT NULL AND assessment = 'bad')"
        " AND (severity IS NULL OR severity IN ('critical', 'major', 'minor', 'info'))",
        name="severity",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.Index("ix_observation_practice", "practice_revision_id", "agent_job_id"),
    sa.Index("ix_observation_recurrence", "recurrence_key", "created_at"),
    info=about(
        "One finding of a review; it never changes.",
        agent_job_id="The review.",
        attempt="Its attempt.",
        practice_revision_id="The criteria by which it was found, as they were admitted.",
        position="Its index in the output, from 0.",
        occurrence_key="The same for the same place of the same job.",
        recurrence_key="The same for the same concern of any job.",
        presence="Whether what is asked about was found.",
        assessment="Good or bad, where that was decided.",
        severity="Of what is bad.",
        summary="In short; missing where the privacy level keeps no text.",
        rationale="Why; missing where none was given or kept.",
        evidence="Paths of the staged files that it rests on, as JSON; missing where not kept.",
    ),
)

review_candidate_rejection: Final = sa.Table(
    "review_candidate_rejection",
    metadata,
    sa.Column("job_id", SORTED_TEXT, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("reason", SORTED_TEXT, nullable=False),
    sa.PrimaryKeyConstraint("job_id", "attempt", "position"),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.CheckConstraint("attempt >= 1 AND position >= -1", name="position"),
    sa.CheckConstraint(
        f"reason IN ({_REASONS}) AND (position = -1) = (reason = 'unreadable_output')",
        name="reason",
    ),
    sqlite_with_rowid=False,
    info=about(
        "A candidate that was refused; nothing of its content is kept.",
        job_id="The job.",
        attempt="Its attempt.",
        position="Its index in the output, from 0; -1 for output that could not be read.",
        reason="Why.",
    ),
)
