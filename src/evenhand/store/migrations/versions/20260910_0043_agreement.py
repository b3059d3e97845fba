"""Labels of people, how reviews agree with them, and where that is waived; what a purge looks by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260910_0043"
down_revision = "20260910_0042"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("human_label", "review_agreement", "review_waiver")

_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_NAMELESS = "'command_line', 'hub'"
#: By which a purge of reviews finds what is over and what still holds it.
_INDEXES = {
    "ix_agent_job_finished": ("agent_job", ["finished_at"]),
    "ix_agent_job_artifact": ("agent_job", ["project_id", "artifact_id"]),
    "ix_feedback_replaces": ("feedback", ["replaces_id"]),
    "ix_answer_acceptance_created": ("answer_acceptance", ["created_at"]),
}


def upgrade() -> None:
    """Create the tables and their guards."""
    _create_human_label()
    _create_review_agreement()
    _create_review_waiver()
    is_server = op.get_bind().dialect.name == "postgresql"
    for table in MUST_BE_EMPTY:
        if is_server:
            _guard_postgresql(table)
        else:
            _guard_sqlite(table)
    for name, (table, columns) in _INDEXES.items():
        op.create_index(name, table, columns, unique=False)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    for name, (table, _) in _INDEXES.items():
        op.drop_index(name, table_name=table)
    op.drop_table("review_waiver")
    op.drop_table("review_agreement")
    op.drop_table("human_label")


def _create_human_label() -> None:
    op.create_table(
        "human_label",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("practice_revision_id", _SORTED, nullable=False),
        sa.Column("cohort_kind", _SORTED, nullable=False),
        sa.Column("cohort", _SORTED, nullable=False),
        sa.Column("case_id", _SORTED, nullable=False),
        sa.Column("labeller", _SORTED, nullable=False),
        sa.Column("label", _SORTED, nullable=False),
        sa.Column("labelled_at", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("made_by_kind", _SORTED, nullable=False),
        sa.Column("made_by_id", _SORTED, nullable=True),
        sa.CheckConstraint("length(id) = 36", name="ck_human_label_id"),
        sa.CheckConstraint(
            "cohort_kind IN ('inputs', 'cases') AND length(cohort) >= 1",
            name="ck_human_label_cohort",
        ),
        sa.CheckConstraint(
            "length(case_id) >= 1 AND length(labeller) >= 1 AND label IN ('good', 'bad')",
            name="ck_human_label_label",
        ),
        sa.CheckConstraint(
            "length(labelled_at) = 27 AND length(created_at) = 27", name="ck_human_label_times"
        ),
        *_made_by("human_label"),
        sa.PrimaryKeyConstraint("id", name="pk_human_label"),
        sa.UniqueConstraint(
            "practice_revision_id",
            "cohort_kind",
            "cohort",
            "case_id",
            "labeller",
            "labelled_at",
            name="uq_human_label_said",
        ),
    )


def _create_review_agreement() -> None:
    op.create_table(
        "review_agreement",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("practice_revision_id", _SORTED, nullable=False),
        sa.Column("stratum", _SORTED, nullable=False),
        sa.Column("config_digest", _SORTED, nullable=False),
        sa.Column("prompt_digest", _SORTED, nullable=False),
        sa.Column("cohort_kind", _SORTED, nullable=False),
        sa.Column("cohort", _SORTED, nullable=False),
        sa.Column("both_good", sa.Integer(), nullable=False),
        sa.Column("both_bad", sa.Integer(), nullable=False),
        sa.Column("only_reviewer_good", sa.Integer(), nullable=False),
        sa.Column("only_human_good", sa.Integer(), nullable=False),
        sa.Column("excluded", sa.Integer(), nullable=False),
        sa.Column("divided", sa.Integer(), nullable=False),
        sa.Column("labels", sa.Integer(), nullable=False),
        sa.Column("labellers", sa.Integer(), nullable=False),
        sa.Column("labels_digest", _SORTED, nullable=False),
        sa.Column("observations_digest", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("made_by_kind", _SORTED, nullable=False),
        sa.Column("made_by_id", _SORTED, nullable=True),
        sa.CheckConstraint("length(id) = 36", name="ck_review_agreement_id"),
        sa.CheckConstraint(
            "length(stratum) = 64 AND length(config_digest) = 64 AND length(prompt_digest) = 64"
            " AND length(labels_digest) = 64 AND length(observations_digest) = 64",
            name="ck_review_agreement_digests",
        ),
        sa.CheckConstraint(
            "cohort_kind IN ('inputs', 'cases') AND length(cohort) >= 1",
            name="ck_review_agreement_cohort",
        ),
        sa.CheckConstraint(
            "both_good >= 0 AND both_bad >= 0 AND only_reviewer_good >= 0 AND"
            " only_human_good >= 0 AND excluded >= 0 AND divided >= 0 AND labellers >= 0"
            " AND labels >= both_good + both_bad + only_reviewer_good + only_human_good + divided"
            " AND labels >= labellers",
            name="ck_review_agreement_counts",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_review_agreement_created_at"),
        *_made_by("review_agreement"),
        sa.PrimaryKeyConstraint("id", name="pk_review_agreement"),
        sa.UniqueConstraint(
            "stratum",
            "labels_digest",
            "observations_digest",
            name="uq_review_agreement_counted",
        ),
    )
    op.create_index(
        "ix_review_agreement_revision",
        "review_agreement",
        ["practice_revision_id", "created_at", "id"],
        unique=False,
    )


def _create_review_waiver() -> None:
    op.create_table(
        "review_waiver",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("practice_revision_id", _SORTED, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("made_by_kind", _SORTED, nullable=False),
        sa.Column("made_by_id", _SORTED, nullable=True),
        sa.CheckConstraint("length(id) = 36", name="ck_review_waiver_id"),
        sa.CheckConstraint(
            "length(trim(reason)) >= 1 AND length(reason) <= 2000",
            name="ck_review_waiver_reason",
        ),
        sa.CheckConstraint("length(created_at) = 27", name="ck_review_waiver_created_at"),
        *_made_by("review_waiver"),
        sa.PrimaryKeyConstraint("id", name="pk_review_waiver"),
    )
    op.create_index(
        "ix_review_waiver_revision",
        "review_waiver",
        ["practice_revision_id", "created_at", "id"],
        unique=False,
    )


def _made_by(table: str) -> tuple[sa.CheckConstraint | sa.ForeignKeyConstraint, ...]:
    """What the tables share: who recorded a row, and of which criteria it is."""
    return (
        sa.CheckConstraint(
            f"made_by_kind IN ('operator', {_NAMELESS})", name=f"ck_{table}_made_by_kind"
        ),
        sa.CheckConstraint(
            f"(made_by_kind IN ({_NAMELESS})) = (made_by_id IS NULL)",
            name=f"ck_{table}_made_by_id",
        ),
        sa.ForeignKeyConstraint(
            ["practice_revision_id"],
            ["practice_revision.id"],
            name=f"fk_{table}_practice_revision",
        ),
    )


def _guard_sqlite(table: str) -> None:
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"""
            CREATE TRIGGER tr_{table}_no_{verb.lower()} BEFORE {verb} ON {table}
            WHEN NOT EXISTS (SELECT 1 FROM retention_action WHERE open_marker IS NOT NULL)
            BEGIN SELECT RAISE(ABORT, 'append_only_{table}'); END
        """)  # noqa: S608 -- names of our tables


def _guard_postgresql(table: str) -> None:
    op.execute(f"""
        CREATE TRIGGER tr_{table}_append_only BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION append_only()
    """)
    op.execute(f"""
        CREATE TRIGGER tr_{table}_no_truncate BEFORE TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION append_only()
    """)
