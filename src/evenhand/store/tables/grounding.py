"""What people say of reviewed cases, how judges agree with them, and where that is waived.

All of it is append-only. An agreement holds its counts and digests of what it was counted from;
its rates are derived.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_NAMELESS: Final = "'command_line', 'hub'"
_RECORDERS: Final = f"'operator', {_NAMELESS}"
_KINDS: Final = "'inputs', 'cases'"
_MADE_BY: Final = {
    "made_by_kind": "Who recorded it, by kind.",
    "made_by_id": "The credential of who did; missing for the command line and the hub.",
}

human_label: Final = sa.Table(
    "human_label",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("practice_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("cohort_kind", SORTED_TEXT, nullable=False),
    sa.Column("cohort", SORTED_TEXT, nullable=False),
    sa.Column("case_id", SORTED_TEXT, nullable=False),
    sa.Column("labeller", SORTED_TEXT, nullable=False),
    sa.Column("label", SORTED_TEXT, nullable=False),
    sa.Column("labelled_at", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("made_by_kind", SORTED_TEXT, nullable=False),
    sa.Column("made_by_id", SORTED_TEXT),
    # One who changes their mind does so at another time.
    sa.UniqueConstraint(
        "practice_revision_id",
        "cohort_kind",
        "cohort",
        "case_id",
        "labeller",
        "labelled_at",
        name="uq_human_label_said",
    ),
    sa.ForeignKeyConstraint(["practice_revision_id"], ["practice_revision.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(f"cohort_kind IN ({_KINDS}) AND length(cohort) >= 1", name="cohort"),
    sa.CheckConstraint(
        "length(case_id) >= 1 AND length(labeller) >= 1 AND label IN ('good', 'bad')",
        name="label",
    ),
    sa.CheckConstraint(is_time("labelled_at", "created_at"), name="times"),
    sa.CheckConstraint(f"made_by_kind IN ({_RECORDERS})", name="made_by_kind"),
    sa.CheckConstraint(
        f"(made_by_kind IN ({_NAMELESS})) = (made_by_id IS NULL)", name="made_by_id"
    ),
    info=about(
        "What one person says of one case under a revision of a practice.",
        practice_revision_id="The criteria.",
        cohort_kind="By what the cases are told: inputs or named cases.",
        cohort="Name of the cases, or the digest of the inputs.",
        case_id="Which case of the cohort.",
        labeller="Pseudonym of who says so.",
        label="What they say: good or bad.",
        labelled_at="When they said so; of one person's labels of a case the newest stands.",
        **_MADE_BY,
    ),
)

review_agreement: Final = sa.Table(
    "review_agreement",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("practice_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("stratum", SORTED_TEXT, nullable=False),
    sa.Column("config_digest", SORTED_TEXT, nullable=False),
    sa.Column("prompt_digest", SORTED_TEXT, nullable=False),
    sa.Column("cohort_kind", SORTED_TEXT, nullable=False),
    sa.Column("cohort", SORTED_TEXT, nullable=False),
    sa.Column("both_good", sa.Integer, nullable=False),
    sa.Column("both_bad", sa.Integer, nullable=False),
    sa.Column("only_reviewer_good", sa.Integer, nullable=False),
    sa.Column("only_human_good", sa.Integer, nullable=False),
    sa.Column("excluded", sa.Integer, nullable=False),
    sa.Column("divided", sa.Integer, nullable=False),
    sa.Column("labels", sa.Integer, nullable=False),
    sa.Column("labellers", sa.Integer, nullable=False),
    sa.Column("labels_digest", SORTED_TEXT, nullable=False),
    sa.Column("observations_digest", SORTED_TEXT, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("made_by_kind", SORTED_TEXT, nullable=False),
    sa.Column("made_by_id", SORTED_TEXT),
    # The same labels held against the same findings are recorded once.
    sa.UniqueConstraint(
        "stratum", "labels_digest", "observations_digest", name="uq_review_agreement_counted"
    ),
    sa.ForeignKeyConstraint(["practice_revision_id"], ["practice_revision.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        "length(stratum) = 64 AND length(config_digest) = 64 AND length(prompt_digest) = 64"
        " AND length(labels_digest) = 64 AND length(observations_digest) = 64",
        name="digests",
    ),
    sa.CheckConstraint(f"cohort_kind IN ({_KINDS}) AND length(cohort) >= 1", name="cohort"),
    sa.CheckConstraint(
        "both_good >= 0 AND both_bad >= 0 AND only_reviewer_good >= 0 AND only_human_good >= 0"
        " AND excluded >= 0 AND divided >= 0 AND labellers >= 0"
        " AND labels >= both_good + both_bad + only_reviewer_good + only_human_good + divided"
        " AND labels >= labellers",
        name="counts",
    ),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint(f"made_by_kind IN ({_RECORDERS})", name="made_by_kind"),
    sa.CheckConstraint(
        f"(made_by_kind IN ({_NAMELESS})) = (made_by_id IS NULL)", name="made_by_id"
    ),
    sa.Index("ix_review_agreement_revision", "practice_revision_id", "created_at", "id"),
    info=about(
        "How the reviews of one stratum agreed with people when it was recorded.",
        practice_revision_id="The criteria.",
        stratum="The stratum.",
        config_digest="Its configuration.",
        prompt_digest="Its prompt.",
        cohort_kind="By what its cases are told: inputs or named cases.",
        cohort="Name of its cases, or the digest of the inputs.",
        both_good="Cases that the review and people call good.",
        both_bad="Cases that both call bad.",
        only_reviewer_good="Cases that only the review calls good.",
        only_human_good="Cases that only people call good.",
        excluded="Cases that only one of the two labelled; in no number before.",
        divided="Cases of which people are divided, so that they have no label.",
        labels="Labels of people that stand.",
        labellers="How many people gave them.",
        labels_digest="Digest of those labels.",
        observations_digest="Digest of what the review found of each case.",
        **_MADE_BY,
    ),
)

review_waiver: Final = sa.Table(
    "review_waiver",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("practice_revision_id", SORTED_TEXT, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("made_by_kind", SORTED_TEXT, nullable=False),
    sa.Column("made_by_id", SORTED_TEXT),
    sa.ForeignKeyConstraint(["practice_revision_id"], ["practice_revision.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("length(trim(reason)) >= 1 AND length(reason) <= 2000", name="reason"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint(f"made_by_kind IN ({_RECORDERS})", name="made_by_kind"),
    sa.CheckConstraint(
        f"(made_by_kind IN ({_NAMELESS})) = (made_by_id IS NULL)", name="made_by_id"
    ),
    sa.Index("ix_review_waiver_revision", "practice_revision_id", "created_at", "id"),
    info=about(
        "That a revision may be told as grounded without enough labels of people.",
        practice_revision_id="The criteria.",
        reason="Why, in the operator's words.",
        **_MADE_BY,
    ),
)
