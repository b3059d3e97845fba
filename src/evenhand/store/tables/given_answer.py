"""Answers beside the run of an evaluation: append-only, taken away with it."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, metadata

evaluation_answer: Final = sa.Table(
    "evaluation_answer",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("answer_sha256", SORTED_TEXT, nullable=False),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text),
    sa.Column("prompt", SORTED_TEXT),
    sa.Column("model", SORTED_TEXT),
    sa.PrimaryKeyConstraint("evaluation_id", "position"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.CheckConstraint("position >= 0", name="position"),
    sa.CheckConstraint("length(answer_sha256) = 64", name="sha256"),
    sa.CheckConstraint("characters >= 0", name="characters"),
    sa.CheckConstraint("length(prompt) >= 1 AND length(model) >= 1", name="labels"),
    sqlite_with_rowid=False,
    info=about(
        "What a pipeline answered to one question of a run; nothing of it at level none.",
        answer_sha256="Digest of the answer's text.",
        characters="How long the answer is.",
        answer="Its text; kept at full only.",
        prompt="Label of the prompt that made it; missing: unknown.",
        model="Label of the model that made it; missing: unknown.",
    ),
)
