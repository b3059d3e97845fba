"""Evaluations and what hangs on them: append-only, taken away by retention."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import (
    ABOUT_OUTCOME,
    ABOUT_RESULT,
    SORTED_TEXT,
    about,
    is_time,
    metadata,
    outcome_checks,
    outcome_columns,
    result_checks,
    result_columns,
)

_LEVELS: Final = "'none', 'metadata', 'redacted', 'full'"

evaluation: Final = sa.Table(
    "evaluation",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("created_at", SORTED_TEXT, nullable=False),
    sa.Column("started_at", SORTED_TEXT, nullable=False),
    sa.Column("finished_at", SORTED_TEXT, nullable=False),
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("set_name", sa.Text, nullable=False),
    sa.Column("retriever", SORTED_TEXT, nullable=False),
    sa.Column("grader", SORTED_TEXT, nullable=False),
    sa.Column("protocol", SORTED_TEXT, nullable=False),
    *result_columns(),
    sa.Column("privacy", SORTED_TEXT, nullable=False),
    sa.Column("provenance", sa.Text),
    sa.Column("benchmark_fingerprint", SORTED_TEXT),
    sa.Column("variant_fingerprint", SORTED_TEXT),
    sa.Column("release", sa.Text, nullable=False),
    sa.Column("details", sa.Text),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("created_at", "started_at", "finished_at"), name="times"),
    sa.CheckConstraint(f"privacy IN ({_LEVELS})", name="privacy"),
    *result_checks(),
    # Unknown provenance is unknown as a whole (G-09).
    sa.CheckConstraint(
        "(provenance IS NULL) = (benchmark_fingerprint IS NULL)"
        " AND (provenance IS NULL) = (variant_fingerprint IS NULL)",
        name="identity_whole",
    ),
    sa.CheckConstraint(
        "privacy IN ('redacted', 'full') OR details IS NULL OR details = ''",
        name="details_permitted",
    ),
    sa.Index("ix_evaluation_series", "set_identifier", "retriever", "grader", "created_at", "id"),
    sa.Index("ix_evaluation_set", "set_identifier", "created_at", "id"),
    sa.Index("ix_evaluation_retriever", "retriever", "created_at", "id"),
    sa.Index("ix_evaluation_time", "created_at", "id"),
    sa.Index("ix_evaluation_benchmark", "benchmark_fingerprint", "created_at", "id"),
    info=about(
        "One retriever's result on one golden set, scored.",
        started_at="When the first question was asked.",
        finished_at="When the last answer was there.",
        set_name="Name of the golden set at that time.",
        retriever="Name under which the retriever was run.",
        grader="What graded the documents.",
        protocol="Name and version of the rules of scoring.",
        privacy="How much was kept: none, metadata, redacted or full.",
        provenance="What was run, as it was declared, as JSON; missing: unknown.",
        variant_fingerprint="Digest of what was run; missing: unknown.",
        release="Version of Evenhand that stored it.",
        details="Questions and first results, as the level of privacy leaves them, as JSON.",
        **ABOUT_RESULT,
    ),
)

evaluation_outcome: Final = sa.Table(
    "evaluation_outcome",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    *outcome_columns(),
    sa.PrimaryKeyConstraint("evaluation_id", "position"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    *outcome_checks(),
    sqlite_with_rowid=False,
    info=about("What one question contributed; no id and no text.", **ABOUT_OUTCOME),
)

evaluation_ranking: Final = sa.Table(
    "evaluation_ranking",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("query_id", sa.LargeBinary, nullable=False),
    # Says of an empty ranking, too, whether the retriever gives scores.
    sa.Column("is_scored", sa.Boolean, nullable=False),
    sa.PrimaryKeyConstraint("evaluation_id", "position"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.CheckConstraint("position >= 0", name="position"),
    sa.CheckConstraint("length(query_id) > 0", name="query_id"),
    sqlite_with_rowid=False,
    info=about(
        "That one question was answered with a ranking; kept at full only.",
        query_id="The question's id, as the bytes it came in.",
        is_scored="Whether the retriever gives scores.",
    ),
)

evaluation_ranked_document: Final = sa.Table(
    "evaluation_ranked_document",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("rank", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("document_id", sa.LargeBinary, nullable=False),
    sa.Column("score", sa.Double),
    sa.PrimaryKeyConstraint("evaluation_id", "position", "rank"),
    sa.ForeignKeyConstraint(
        ["evaluation_id", "position"],
        ["evaluation_ranking.evaluation_id", "evaluation_ranking.position"],
    ),
    sa.CheckConstraint("rank >= 1", name="rank"),
    sqlite_with_rowid=False,
    info=about(
        "One document of a ranking; kept at full only.",
        rank="From 1, without a gap.",
        score="What the retriever gave it; missing where it gives none.",
    ),
)
