"""To which case of which candidate run reviewed answers belong; written once.

The run has no foreign key: it may be published later, and time may take it away before the review.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, metadata

reviewed_answer: Final = sa.Table(
    "reviewed_answer",
    metadata,
    sa.Column("job_id", SORTED_TEXT, primary_key=True),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.Column("answer_id", SORTED_TEXT, nullable=False),
    sa.Column("evaluation_id", SORTED_TEXT),
    sa.Column("publication_key", SORTED_TEXT),
    sa.Column("suite_revision_id", SORTED_TEXT),
    sa.Column("case_id", SORTED_TEXT),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("prompt_version", SORTED_TEXT),
    sa.Column("awaits_acceptance", sa.Boolean, nullable=False),
    sa.ForeignKeyConstraint(["job_id"], ["agent_job.id"]),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.ForeignKeyConstraint(["suite_revision_id"], ["suite_revision.id"]),
    sa.CheckConstraint("(evaluation_id IS NULL) = (publication_key IS NOT NULL)", name="run"),
    sa.CheckConstraint("(suite_revision_id IS NULL) = (case_id IS NULL)", name="case"),
    sa.CheckConstraint("position >= 0", name="position"),
    sa.CheckConstraint(
        "prompt_version IS NULL OR (length(prompt_version) >= 1 AND length(prompt_version) <= 128)",
        name="prompt_version",
    ),
    sa.Index("ix_reviewed_answer_run", "project_id", "publication_key"),
    sa.Index("ix_reviewed_answer_answer", "project_id", "answer_id"),
    info=about(
        "To which case of which candidate run the answer of a review belongs.",
        job_id="The review.",
        answer_id="The answer, an opaque label.",
        evaluation_id="The run; missing where its key names it.",
        publication_key="Under which the run was published or will be; missing where its id names it.",
        suite_revision_id="Whose case it is; missing where the set is no suite revision.",
        case_id="The case; missing without a suite revision.",
        position="Place of its question in byte order of the ids, from 0.",
        prompt_version="Of the prompt that made the answer; missing: unknown.",
        awaits_acceptance="Whether the result is final only once a person has said what they think.",
    ),
)
