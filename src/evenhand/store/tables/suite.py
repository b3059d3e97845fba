"""Suites, and their revisions with their cases, which never change.

A revision says how many cases it has and a case how many targets and grades; the rows below
repeat the number in their foreign key. So a revision that is whole takes no further row, and its
rows themselves are append-only.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_NAMELESS: Final = "'command_line', 'hub'"
_ACTORS: Final = f"'operator', 'viewer', 'service_client', {_NAMELESS}"

suite: Final = sa.Table(
    "suite",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("name", SORTED_TEXT, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("project_id", SORTED_TEXT, nullable=False),
    sa.UniqueConstraint("project_id", "name"),
    sa.UniqueConstraint("id", "project_id"),
    sa.ForeignKeyConstraint(["project_id"], ["project.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint("length(name) >= 1 AND length(name) <= 63", name="name"),
    sa.CheckConstraint("version >= 1", name="version"),
    sa.Index("ix_suite_time", "created_at", "id"),
    sa.Index("ix_suite_project", "project_id", "created_at", "id"),
    info=about("A name under which golden sets are frozen."),
)

suite_revision: Final = sa.Table(
    "suite_revision",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("suite_id", SORTED_TEXT, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("frozen_by_kind", SORTED_TEXT, nullable=False),
    sa.Column("frozen_by_id", SORTED_TEXT),
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("set_name", sa.Text, nullable=False),
    sa.Column("set_description", sa.Text, nullable=False),
    sa.Column("corpus_sha256", SORTED_TEXT, nullable=False),
    sa.Column("retrieval_settings", sa.Text, nullable=False),
    sa.Column("retrieval_config_sha256", SORTED_TEXT, nullable=False),
    sa.Column("content_digest", SORTED_TEXT, nullable=False),
    sa.Column("labels_fingerprint", SORTED_TEXT, nullable=False),
    sa.Column("case_count", sa.Integer, nullable=False),
    sa.Column("critical_count", sa.Integer, nullable=False),
    sa.UniqueConstraint("suite_id", "number"),
    # Equal content is one revision of a suite, so a freeze can be tried again.
    sa.UniqueConstraint("suite_id", "content_digest"),
    sa.UniqueConstraint("id", "case_count"),
    sa.ForeignKeyConstraint(["suite_id"], ["suite.id"]),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint("number >= 1", name="number"),
    sa.CheckConstraint(is_time("created_at"), name="created_at"),
    sa.CheckConstraint(f"frozen_by_kind IN ({_ACTORS})", name="frozen_by_kind"),
    sa.CheckConstraint(
        f"(frozen_by_kind IN ({_NAMELESS})) = (frozen_by_id IS NULL)", name="frozen_by_id"
    ),
    sa.CheckConstraint(
        "length(corpus_sha256) = 64 AND length(retrieval_config_sha256) = 64"
        " AND length(content_digest) = 64 AND length(labels_fingerprint) = 67",
        name="digests",
    ),
    sa.CheckConstraint("case_count >= 1 AND case_count <= 100", name="case_count"),
    sa.CheckConstraint(
        "critical_count >= 0 AND critical_count <= case_count", name="critical_count"
    ),
    sa.Index("ix_suite_revision_suite", "suite_id", "created_at", "id"),
    info=about(
        "A golden set that was frozen with its retrieval settings.",
        suite_id="The suite.",
        number="From 1, within the suite.",
        frozen_by_kind="Who froze it, by kind.",
        frozen_by_id="The credential of who froze it; missing for the command line and the hub.",
        set_name="Name of the golden set.",
        set_description="Its description.",
        corpus_sha256="Digest of the corpus it was reviewed on.",
        retrieval_settings="How it is to be asked, as JSON.",
        retrieval_config_sha256="Digest of the retrieval settings.",
        content_digest="Digest of all that is frozen.",
        labels_fingerprint="Digest of its labels (labels-bytes-v1).",
        case_count="How many cases it has.",
        critical_count="How many of them are critical.",
    ),
)

suite_case: Final = sa.Table(
    "suite_case",
    metadata,
    sa.Column("revision_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("case_count", sa.Integer, nullable=False),
    sa.Column("case_id", SORTED_TEXT, nullable=False),
    sa.Column("question_id", sa.LargeBinary, nullable=False),
    sa.Column("question", sa.LargeBinary, nullable=False),
    sa.Column("form", SORTED_TEXT, nullable=False),
    sa.Column("hard_class", sa.LargeBinary),
    sa.Column("answer_gist", sa.LargeBinary),
    sa.Column("critical", sa.Boolean, nullable=False),
    sa.Column("reviewed", sa.Boolean, nullable=False),
    sa.Column("label_provenance", sa.Text, nullable=False),
    sa.Column("target_count", sa.Integer, nullable=False),
    sa.Column("grade_count", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("revision_id", "position"),
    sa.UniqueConstraint("case_id"),
    sa.UniqueConstraint("revision_id", "position", "target_count"),
    sa.UniqueConstraint("revision_id", "position", "grade_count"),
    sa.ForeignKeyConstraint(
        ["revision_id", "case_count"], ["suite_revision.id", "suite_revision.case_count"]
    ),
    sa.CheckConstraint("position >= 0 AND position < case_count", name="position"),
    sa.CheckConstraint("length(case_id) = 36", name="case_id"),
    sa.CheckConstraint("length(question_id) > 0 AND length(question) > 0", name="not_empty"),
    sa.CheckConstraint("form IN ('match', 'gap')", name="form"),
    sa.CheckConstraint("reviewed", name="reviewed"),
    sa.CheckConstraint("target_count >= 0 AND grade_count >= 0", name="counts"),
    sqlite_with_rowid=False,
    info=about(
        "One question of a frozen golden set.",
        revision_id="The revision.",
        position="Its place, from 0.",
        case_count="How many cases the revision has.",
        case_id="UUIDv7 of the case, for other systems.",
        question_id="The question's id, as the bytes it came in.",
        question="Its text, as the bytes it came in.",
        form="match, or gap where the words of question and answer differ.",
        hard_class="What makes it hard; missing: nothing is said.",
        answer_gist="What an answer should say; missing: nothing is said.",
        critical="Whether a miss of it is one too many.",
        reviewed="Always true: nothing else is frozen.",
        label_provenance="Where its labels come from, as JSON.",
        target_count="How many targets it has.",
        grade_count="How many grades it has.",
    ),
)

suite_case_target: Final = sa.Table(
    "suite_case_target",
    metadata,
    sa.Column("revision_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("target_count", sa.Integer, nullable=False),
    sa.Column("document_id", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("revision_id", "position", "ordinal"),
    sa.ForeignKeyConstraint(
        ["revision_id", "position", "target_count"],
        ["suite_case.revision_id", "suite_case.position", "suite_case.target_count"],
    ),
    sa.CheckConstraint("ordinal >= 0 AND ordinal < target_count", name="ordinal"),
    sa.CheckConstraint("length(document_id) > 0", name="document_id"),
    sqlite_with_rowid=False,
    info=about(
        "One document that answers a frozen question.",
        revision_id="The revision.",
        position="The case.",
        ordinal="Its place among the targets.",
        target_count="How many targets the case has.",
    ),
)

suite_case_grade: Final = sa.Table(
    "suite_case_grade",
    metadata,
    sa.Column("revision_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("grade_count", sa.Integer, nullable=False),
    sa.Column("document_id", sa.LargeBinary, nullable=False),
    sa.Column("grade", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("revision_id", "position", "ordinal"),
    sa.ForeignKeyConstraint(
        ["revision_id", "position", "grade_count"],
        ["suite_case.revision_id", "suite_case.position", "suite_case.grade_count"],
    ),
    sa.CheckConstraint("ordinal >= 0 AND ordinal < grade_count", name="ordinal"),
    sa.CheckConstraint("length(document_id) > 0", name="document_id"),
    sqlite_with_rowid=False,
    info=about(
        "One graded judgement of a frozen question.",
        revision_id="The revision.",
        position="The case.",
        ordinal="Its place among the judgements.",
        grade_count="How many grades the case has.",
        grade="How relevant the document is; at most 0: not.",
    ),
)
