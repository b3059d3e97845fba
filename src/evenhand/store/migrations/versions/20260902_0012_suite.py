"""Suites, and their revisions with cases, targets and grades, which never change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20260902_0012"
down_revision = "20260902_0011"
branch_labels = None
depends_on = None

#: A downgrade is refused while one of these holds a row.
MUST_BE_EMPTY = ("suite_case_grade", "suite_case_target", "suite_case", "suite_revision", "suite")

_APPEND_ONLY = MUST_BE_EMPTY[:-1]
_SORTED = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Create the tables and the guards of revisions."""
    _create_suite()
    _create_revision()
    _create_case()
    _create_target()
    _create_grade()
    guard = _guard_postgresql if op.get_bind().dialect.name == "postgresql" else _guard_sqlite
    for table in _APPEND_ONLY:
        guard(table)


def downgrade() -> None:
    """Drop them; the guards go with their tables."""
    for table in MUST_BE_EMPTY:
        op.drop_table(table)


def _create_suite() -> None:
    op.create_table(
        "suite",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("name", _SORTED, nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("project_id", _SORTED, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_suite"),
        sa.UniqueConstraint("project_id", "name", name="uq_suite_project_id_name"),
        sa.UniqueConstraint("id", "project_id", name="uq_suite_id_project_id"),
        sa.ForeignKeyConstraint(["project_id"], ["project.id"], name="fk_suite_project"),
        sa.CheckConstraint("length(id) = 36", name="ck_suite_id"),
        sa.CheckConstraint("length(created_at) = 27", name="ck_suite_created_at"),
        sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="ck_suite_name"),
        sa.CheckConstraint("version >= 1", name="ck_suite_version"),
    )
    op.create_index("ix_suite_time", "suite", ["created_at", "id"])
    op.create_index("ix_suite_project", "suite", ["project_id", "created_at", "id"])


def _create_revision() -> None:
    op.create_table(
        "suite_revision",
        sa.Column("id", _SORTED, nullable=False),
        sa.Column("suite_id", _SORTED, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("created_at", _SORTED, nullable=False),
        sa.Column("frozen_by_kind", _SORTED, nullable=False),
        sa.Column("frozen_by_id", _SORTED, nullable=True),
        sa.Column("set_identifier", _SORTED, nullable=False),
        sa.Column("set_name", sa.Text(), nullable=False),
        sa.Column("set_description", sa.Text(), nullable=False),
        sa.Column("corpus_sha256", _SORTED, nullable=False),
        sa.Column("retrieval_settings", sa.Text(), nullable=False),
        sa.Column("retrieval_config_sha256", _SORTED, nullable=False),
        sa.Column("content_digest", _SORTED, nullable=False),
        sa.Column("labels_fingerprint", _SORTED, nullable=False),
        sa.Column("case_count", sa.Integer(), nullable=False),
        sa.Column("critical_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_suite_revision"),
        sa.UniqueConstraint("suite_id", "number", name="uq_suite_revision_suite_id_number"),
        sa.UniqueConstraint(
            "suite_id", "content_digest", name="uq_suite_revision_suite_id_content_digest"
        ),
        sa.UniqueConstraint("id", "case_count", name="uq_suite_revision_id_case_count"),
        sa.ForeignKeyConstraint(["suite_id"], ["suite.id"], name="fk_suite_revision_suite"),
        sa.CheckConstraint("length(id) = 36", name="ck_suite_revision_id"),
        sa.CheckConstraint("number >= 1", name="ck_suite_revision_number"),
        sa.CheckConstraint("length(created_at) = 27", name="ck_suite_revision_created_at"),
        sa.CheckConstraint(
            "frozen_by_kind IN ('operator', 'viewer', 'service_client', 'command_line', 'hub')",
            name="ck_suite_revision_frozen_by_kind",
        ),
        sa.CheckConstraint(
            "(frozen_by_kind IN ('command_line', 'hub')) = (frozen_by_id IS NULL)",
            name="ck_suite_revision_frozen_by_id",
        ),
        sa.CheckConstraint(
            "length(corpus_sha256) = 64 AND length(retrieval_config_sha256) = 64"
            " AND length(content_digest) = 64 AND length(labels_fingerprint) = 67",
            name="ck_suite_revision_digests",
        ),
        sa.CheckConstraint(
            "case_count >= 1 AND case_count <= 100", name="ck_suite_revision_case_count"
        ),
        sa.CheckConstraint(
            "critical_count >= 0 AND critical_count <= case_count",
            name="ck_suite_revision_critical_count",
        ),
    )
    op.create_index("ix_suite_revision_suite", "suite_revision", ["suite_id", "created_at", "id"])


def _create_case() -> None:
    op.create_table(
        "suite_case",
        sa.Column("revision_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("case_count", sa.Integer(), nullable=False),
        sa.Column("case_id", _SORTED, nullable=False),
        sa.Column("question_id", sa.LargeBinary(), nullable=False),
        sa.Column("question", sa.LargeBinary(), nullable=False),
        sa.Column("form", _SORTED, nullable=False),
        sa.Column("hard_class", sa.LargeBinary(), nullable=True),
        sa.Column("answer_gist", sa.LargeBinary(), nullable=True),
        sa.Column("critical", sa.Boolean(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("label_provenance", sa.Text(), nullable=False),
        sa.Column("target_count", sa.Integer(), nullable=False),
        sa.Column("grade_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("revision_id", "position", name="pk_suite_case"),
        sa.UniqueConstraint("case_id", name="uq_suite_case_case_id"),
        sa.UniqueConstraint(
            "revision_id",
            "position",
            "target_count",
            name="uq_suite_case_revision_id_position_target_count",
        ),
        sa.UniqueConstraint(
            "revision_id",
            "position",
            "grade_count",
            name="uq_suite_case_revision_id_position_grade_count",
        ),
        sa.ForeignKeyConstraint(
            ["revision_id", "case_count"],
            ["suite_revision.id", "suite_revision.case_count"],
            name="fk_suite_case_suite_revision",
        ),
        sa.CheckConstraint(
            "position >= 0 AND position < case_count", name="ck_suite_case_position"
        ),
        sa.CheckConstraint("length(case_id) = 36", name="ck_suite_case_case_id"),
        sa.CheckConstraint(
            "length(question_id) > 0 AND length(question) > 0", name="ck_suite_case_not_empty"
        ),
        sa.CheckConstraint("form IN ('match', 'gap')", name="ck_suite_case_form"),
        sa.CheckConstraint("reviewed", name="ck_suite_case_reviewed"),
        sa.CheckConstraint("target_count >= 0 AND grade_count >= 0", name="ck_suite_case_counts"),
        sqlite_with_rowid=False,
    )


def _create_target() -> None:
    op.create_table(
        "suite_case_target",
        sa.Column("revision_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("target_count", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.LargeBinary(), nullable=False),
        *_counted("suite_case_target", "target_count"),
        sqlite_with_rowid=False,
    )


def _create_grade() -> None:
    op.create_table(
        "suite_case_grade",
        sa.Column("revision_id", _SORTED, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("grade_count", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.LargeBinary(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        *_counted("suite_case_grade", "grade_count"),
        sqlite_with_rowid=False,
    )


def _counted(table: str, count: str) -> tuple[sa.Constraint, ...]:
    """The rules of rows of which the case says how many there are."""
    return (
        sa.PrimaryKeyConstraint("revision_id", "position", "ordinal", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(
            ["revision_id", "position", count],
            ["suite_case.revision_id", "suite_case.position", f"suite_case.{count}"],
            name=f"fk_{table}_suite_case",
        ),
        sa.CheckConstraint(f"ordinal >= 0 AND ordinal < {count}", name=f"ck_{table}_ordinal"),
        sa.CheckConstraint("length(document_id) > 0", name=f"ck_{table}_document_id"),
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
