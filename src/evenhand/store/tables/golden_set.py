"""Golden sets that were imported."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

golden_set: Final = sa.Table(
    "golden_set",
    metadata,
    sa.Column("identifier", SORTED_TEXT, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("imported_at", SORTED_TEXT, nullable=False),
    sa.Column("labels_fingerprint", SORTED_TEXT, nullable=False),
    sa.CheckConstraint(is_time("imported_at"), name="imported_at"),
    info=about(
        "A golden set that was imported.",
        identifier="By which commands name it.",
        description="In words of whoever wrote it.",
        imported_at="When it was imported last.",
        labels_fingerprint="Digest of its labels (labels-bytes-v1).",
    ),
)

golden_question: Final = sa.Table(
    "golden_question",
    metadata,
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("id", sa.LargeBinary, nullable=False),
    sa.Column("question", sa.LargeBinary, nullable=False),
    sa.Column("form", SORTED_TEXT, nullable=False),
    sa.Column("hard_class", sa.LargeBinary),
    sa.Column("answer_gist", sa.LargeBinary),
    sa.Column("critical", sa.Boolean, nullable=False),
    sa.Column("reviewed", sa.Boolean, nullable=False),
    sa.Column("unjudged", sa.Boolean, nullable=False),
    sa.Column("label_provenance", sa.Text),
    sa.PrimaryKeyConstraint("set_identifier", "ordinal"),
    sa.ForeignKeyConstraint(["set_identifier"], ["golden_set.identifier"]),
    sa.CheckConstraint("ordinal >= 0", name="ordinal"),
    sa.CheckConstraint("length(id) > 0 AND length(question) > 0", name="not_empty"),
    sa.CheckConstraint("form IN ('match', 'gap')", name="form"),
    sa.Index("ix_golden_question_id", "set_identifier", "id"),
    sqlite_with_rowid=False,
    info=about(
        "One question of a golden set.",
        ordinal="Its place, in byte order of the ids.",
        id="The question's id, as the bytes it came in.",
        question="Its text, as the bytes it came in.",
        form="match, or gap where the words of question and answer differ.",
        hard_class="What makes it hard; missing: nothing is said.",
        answer_gist="What an answer should say; missing: nothing is said.",
        critical="Whether a miss of it is one too many.",
        reviewed="Whether a person has reviewed its labels.",
        unjudged="Whether nobody has looked for its targets.",
        label_provenance="Where its labels come from, as JSON.",
    ),
)

golden_target: Final = sa.Table(
    "golden_target",
    metadata,
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("question_ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("document_id", sa.LargeBinary, nullable=False),
    sa.PrimaryKeyConstraint("set_identifier", "question_ordinal", "ordinal"),
    sa.ForeignKeyConstraint(
        ["set_identifier", "question_ordinal"],
        ["golden_question.set_identifier", "golden_question.ordinal"],
    ),
    sa.CheckConstraint("ordinal >= 0", name="ordinal"),
    sa.CheckConstraint("length(document_id) > 0", name="document_id"),
    sqlite_with_rowid=False,
    info=about(
        "One document that answers a question.",
        ordinal="Its place among the targets.",
    ),
)

#: Which questions are held out.
golden_holdout: Final = sa.Table(
    "golden_holdout",
    metadata,
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("question_ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.PrimaryKeyConstraint("set_identifier", "question_ordinal"),
    sa.ForeignKeyConstraint(
        ["set_identifier", "question_ordinal"],
        ["golden_question.set_identifier", "golden_question.ordinal"],
    ),
    sqlite_with_rowid=False,
    info=about("That a question is held out: only the gate asks it, and counts that."),
)
