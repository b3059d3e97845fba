"""What graded measures need: grades of judgements, and the values that were computed.

Beside the tables of the hits protocol, because rows from before there were grades have none.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from evenhand.store.tables.base import SORTED_TEXT, about, is_time, metadata

_DIGEST: Final = "length({}) = 67"


def _relevance(parent: str) -> sa.Table:
    """One row for each result of which it is known by which judgements it was scored."""
    return sa.Table(
        f"{parent}_relevance",
        metadata,
        sa.Column(f"{parent}_id", SORTED_TEXT, primary_key=True),
        sa.Column("qrels_digest", SORTED_TEXT, nullable=False),
        sa.ForeignKeyConstraint([f"{parent}_id"], [f"{parent}.id"]),
        sa.CheckConstraint(_DIGEST.format("qrels_digest"), name="qrels_digest"),
        sqlite_with_rowid=False,
        info=about(
            f"By which judgements the {parent} was scored.",
            **{f"{parent}_id": f"The {parent}."},
        ),
    )


def _grade(parent: str) -> sa.Table:
    """The grades of all judgements of a question, descending, as a JSON list; no id, no text."""
    return sa.Table(
        f"{parent}_grade",
        metadata,
        sa.Column(f"{parent}_id", SORTED_TEXT, nullable=False),
        sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("grades", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint(f"{parent}_id", "position"),
        sa.ForeignKeyConstraint(
            [f"{parent}_id", "position"],
            [f"{parent}_outcome.{parent}_id", f"{parent}_outcome.position"],
        ),
        sa.CheckConstraint("position >= 0", name="position"),
        sqlite_with_rowid=False,
        info=about(
            f"The grades of all judgements of one question of the {parent}; no id.",
            grades="Descending, as JSON.",
            **{f"{parent}_id": f"The {parent}."},
        ),
    )


golden_grade: Final = sa.Table(
    "golden_grade",
    metadata,
    sa.Column("set_identifier", SORTED_TEXT, nullable=False),
    sa.Column("question_ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("ordinal", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("document_id", sa.LargeBinary, nullable=False),
    sa.Column("grade", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("set_identifier", "question_ordinal", "ordinal"),
    sa.ForeignKeyConstraint(
        ["set_identifier", "question_ordinal"],
        ["golden_question.set_identifier", "golden_question.ordinal"],
    ),
    sa.CheckConstraint("ordinal >= 0", name="ordinal"),
    sa.CheckConstraint("length(document_id) > 0", name="document_id"),
    sqlite_with_rowid=False,
    info=about(
        "One graded judgement of a golden set.",
        ordinal="Its place among the judgements of its question.",
        grade="How relevant the document is; at most 0: not.",
    ),
)

evaluation_relevance: Final = _relevance("evaluation")
evaluation_grade: Final = _grade("evaluation")
baseline_relevance: Final = _relevance("baseline")
baseline_grade: Final = _grade("baseline")

evaluation_score: Final = sa.Table(
    "evaluation_score",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("protocol", SORTED_TEXT, nullable=False),
    sa.Column("qrels_digest", SORTED_TEXT, nullable=False),
    sa.Column("measure", SORTED_TEXT, nullable=False),
    sa.Column("depth", sa.BigInteger, nullable=False),
    sa.Column("mean", sa.Double, nullable=False),
    sa.Column("questions", sa.BigInteger, nullable=False),
    sa.Column("failed", sa.BigInteger, nullable=False),
    # None where nobody says what was run: the value then compares with nothing.
    sa.Column("benchmark_fingerprint", SORTED_TEXT),
    sa.Column("scored_at", SORTED_TEXT, nullable=False),
    sa.PrimaryKeyConstraint("evaluation_id", "protocol", "qrels_digest", "measure"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.CheckConstraint(_DIGEST.format("qrels_digest"), name="qrels_digest"),
    sa.CheckConstraint("length(measure) >= 1 AND length(measure) <= 64", name="measure"),
    sa.CheckConstraint(
        "depth >= 1 AND mean >= 0 AND questions >= 1 AND failed >= 0 AND failed <= questions",
        name="numbers",
    ),
    sa.CheckConstraint(
        f"benchmark_fingerprint IS NULL OR {_DIGEST.format('benchmark_fingerprint')}",
        name="benchmark",
    ),
    sa.CheckConstraint(is_time("scored_at"), name="scored_at"),
    sqlite_with_rowid=False,
    info=about(
        "One graded measure of an evaluation, over its questions.",
        protocol="Name and version of the rules of scoring.",
        measure="Name of the measure.",
        depth="How many documents were asked for.",
        mean="Its mean over the questions.",
        questions="How many questions it is the mean of.",
        failed="How many of them failed and count as 0.",
        scored_at="When it was computed.",
    ),
)
