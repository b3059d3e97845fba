"""What decisions rest on: pinned baselines, and how often a set was used. Append-only.

Both outlive evaluations, whose ids they note: no foreign key leads there.
"""

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

_KINDS: Final = "'compare', 'ab', 'gate', 'holdout'"

baseline: Final = sa.Table(
    "baseline",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("set_at", SORTED_TEXT, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False),
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("retriever", SORTED_TEXT, nullable=False),
    sa.Column("evaluation_id", SORTED_TEXT),
    *result_columns(),
    # A result that does not say what was run is no baseline.
    sa.Column("provenance", sa.Text, nullable=False),
    sa.Column("benchmark_fingerprint", SORTED_TEXT, nullable=False),
    sa.Column("variant_fingerprint", SORTED_TEXT, nullable=False),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("set_at"), name="set_at"),
    *result_checks(),
    sa.Index("ix_baseline_series", "set_identifier", "retriever", "set_at", "id"),
    sa.Index("ix_baseline_time", "set_at", "id"),
    info=about(
        "A result that was pinned to compare later ones with; a copy that outlives evaluations.",
        set_at="When it was pinned.",
        note="Why, in words of whoever pinned it.",
        retriever="Name under which the retriever was run.",
        evaluation_id="The evaluation it was copied from; missing: a file.",
        provenance="What was run, as it was declared, as JSON.",
        benchmark_fingerprint="Digest of what decides comparability.",
        variant_fingerprint="Digest of what was run.",
        **ABOUT_RESULT,
    ),
)

baseline_outcome: Final = sa.Table(
    "baseline_outcome",
    metadata,
    sa.Column("baseline_id", SORTED_TEXT, nullable=False),
    *outcome_columns(),
    sa.PrimaryKeyConstraint("baseline_id", "position"),
    sa.ForeignKeyConstraint(["baseline_id"], ["baseline.id"]),
    *outcome_checks(),
    sqlite_with_rowid=False,
    info=about(
        "What one question contributed to a baseline; no id and no text.",
        baseline_id="The baseline.",
        **ABOUT_OUTCOME,
    ),
)

set_use: Final = sa.Table(
    "set_use",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("labels_fingerprint", SORTED_TEXT, nullable=False),
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("kind", SORTED_TEXT, nullable=False),
    sa.Column("evaluation_ids", sa.Text, nullable=False),
    sa.Column("conclusion", SORTED_TEXT, nullable=False),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(is_time("at"), name="at"),
    sa.CheckConstraint("length(labels_fingerprint) = 67", name="labels"),
    sa.CheckConstraint(f"kind IN ({_KINDS})", name="kind"),
    sa.CheckConstraint("length(conclusion) >= 1 AND length(conclusion) <= 64", name="conclusion"),
    sa.Index("ix_set_use_labels", "labels_fingerprint", "at", "id"),
    info=about(
        "One decision that was taken on a golden set.",
        at="When.",
        labels_fingerprint="Digest of its labels at that time.",
        kind="What was asked: compare, ab, gate or holdout.",
        evaluation_ids="The evaluations it rests on, as JSON.",
        conclusion="How it ended.",
    ),
)
