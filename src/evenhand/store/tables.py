"""Which tables are there, and which rules does the database itself keep?

The tables of the newest schema; how a database gets there is the business of ``migrations``,
and a test compares the two. Every constraint and index has a name, because errors of the driver
are recognised by it (``store.errors``). Text that is sorted or looked up is compared by bytes on
both databases; ids and texts of questions and documents are bytes (settled 3). No index covers
such bytes: they have no upper limit, and an entry of a PostgreSQL index has one.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

NAMING: Final = {
    "pk": "pk_%(table_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(referred_table_name)s",
}

metadata: Final = sa.MetaData(naming_convention=NAMING)

#: Text compared by bytes: the same order on both databases, whatever the server's locale.
SORTED_TEXT: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
#: What an open `retention_action` row is marked with starts so.
OPEN_MARKER: Final = "open:"

_BASES: Final = "'imported', 'local', 'reported', 'witnessed'"
_LEVELS: Final = "'none', 'metadata', 'redacted', 'full'"
_STATES: Final = "'scored', 'failed', 'unjudged'"
#: A time is 27 characters of UTC: 2026-09-01T00:00:00.000000Z.
_TIME: Final = "length({0}) = 27"

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
    sa.Column("basis", SORTED_TEXT, nullable=False),
    sa.Column("depth", sa.BigInteger, nullable=False),
    sa.Column("machine", sa.Text, nullable=False),
    sa.Column("jobs", sa.BigInteger, nullable=False),
    sa.Column("warmup", sa.BigInteger, nullable=False),
    sa.Column("batch", sa.BigInteger, nullable=False),
    sa.Column("questions", sa.BigInteger, nullable=False),
    sa.Column("answerable", sa.BigInteger, nullable=False),
    sa.Column("no_answer", sa.BigInteger, nullable=False),
    sa.Column("failed", sa.BigInteger, nullable=False),
    sa.Column("unjudged", sa.BigInteger, nullable=False),
    sa.Column("top1_hits", sa.BigInteger, nullable=False),
    sa.Column("top3_hits", sa.BigInteger, nullable=False),
    sa.Column("answerable_top1_hits", sa.BigInteger, nullable=False),
    sa.Column("answerable_top3_hits", sa.BigInteger, nullable=False),
    sa.Column("abstained", sa.BigInteger, nullable=False),
    sa.Column("false_abstained", sa.BigInteger, nullable=False),
    sa.Column("privacy", SORTED_TEXT, nullable=False),
    sa.Column("provenance", sa.Text),
    sa.Column("benchmark_fingerprint", SORTED_TEXT),
    sa.Column("variant_fingerprint", SORTED_TEXT),
    sa.Column("release", sa.Text, nullable=False),
    sa.Column("details", sa.Text),
    sa.CheckConstraint("length(id) = 36", name="id"),
    sa.CheckConstraint(
        " AND ".join(_TIME.format(name) for name in ("created_at", "started_at", "finished_at")),
        name="times",
    ),
    sa.CheckConstraint(f"basis IN ({_BASES})", name="basis"),
    sa.CheckConstraint(f"privacy IN ({_LEVELS})", name="privacy"),
    sa.CheckConstraint(
        "depth >= 1 AND jobs >= 1 AND warmup >= 0 AND batch >= 1", name="conditions"
    ),
    sa.CheckConstraint(
        "answerable >= 0 AND no_answer >= 0 AND failed >= 0 AND unjudged >= 0"
        " AND answerable_top1_hits >= 0 AND abstained >= 0 AND false_abstained >= 0",
        name="counts_not_negative",
    ),
    # The pooled numbers are sums, the others shares of their denominators (BP-08 to BP-12).
    sa.CheckConstraint(
        "questions = answerable + no_answer"
        " AND top1_hits = answerable_top1_hits + abstained"
        " AND top3_hits = answerable_top3_hits + abstained"
        " AND top3_hits + failed <= questions"
        " AND answerable_top1_hits <= answerable_top3_hits"
        " AND answerable_top3_hits + false_abstained <= answerable"
        " AND abstained <= no_answer",
        name="counts_consistent",
    ),
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
)

evaluation_outcome: Final = sa.Table(
    "evaluation_outcome",
    metadata,
    sa.Column("evaluation_id", SORTED_TEXT, nullable=False),
    sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
    sa.Column("state", SORTED_TEXT, nullable=False),
    sa.Column("targets", sa.Integer),
    sa.Column("retrieved", sa.Integer),
    sa.Column("window", sa.Integer),
    sa.Column("judged_hits", sa.Text, nullable=False),
    sa.Column("latency_ms", sa.BigInteger),
    sa.Column("error_class", sa.Text),
    sa.PrimaryKeyConstraint("evaluation_id", "position"),
    sa.ForeignKeyConstraint(["evaluation_id"], ["evaluation.id"]),
    sa.CheckConstraint("position >= 0", name="position"),
    sa.CheckConstraint(f"state IN ({_STATES})", name="state"),
    sa.CheckConstraint(
        "(targets IS NULL OR targets >= 0) AND (retrieved IS NULL OR retrieved >= 0)"
        ' AND ("window" IS NULL OR "window" >= 0) AND (latency_ms IS NULL OR latency_ms >= 0)',
        name="not_negative",
    ),
    # A failure is a type: it has a class, and neither results nor a latency.
    sa.CheckConstraint(
        "(error_class IS NULL) = (retrieved IS NOT NULL)"
        ' AND (error_class IS NULL) = ("window" IS NOT NULL)'
        " AND (error_class IS NULL OR latency_ms IS NULL)"
        " AND (state <> 'failed' OR error_class IS NOT NULL)"
        " AND (state <> 'scored' OR error_class IS NULL)",
        name="failure",
    ),
    sa.CheckConstraint("(state = 'unjudged') = (targets IS NULL)", name="judged"),
    sqlite_with_rowid=False,
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
)

golden_set: Final = sa.Table(
    "golden_set",
    metadata,
    sa.Column("identifier", SORTED_TEXT, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    sa.Column("imported_at", SORTED_TEXT, nullable=False),
    sa.Column("labels_fingerprint", SORTED_TEXT, nullable=False),
    sa.CheckConstraint(_TIME.format("imported_at"), name="imported_at"),
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
    sqlite_with_rowid=False,
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
)

retention_action: Final = sa.Table(
    "retention_action",
    metadata,
    sa.Column("id", SORTED_TEXT, primary_key=True),
    sa.Column("at", SORTED_TEXT, nullable=False),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("rule", sa.Text, nullable=False),
    sa.Column("rows", sa.BigInteger, nullable=False),
    # Not null while the transaction that wrote the row may change append-only tables. The
    # reference is checked at commit and no id can satisfy it: an open row cannot be committed.
    sa.Column("open_marker", SORTED_TEXT),
    sa.ForeignKeyConstraint(
        ["open_marker"],
        ["retention_action.id"],
        name="fk_retention_action_closed",
        deferrable=True,
        initially="DEFERRED",
    ),
    sa.CheckConstraint(f"length(id) = 36 AND id NOT LIKE '{OPEN_MARKER}%'", name="id"),
    sa.CheckConstraint(f"open_marker LIKE '{OPEN_MARKER}%'", name="open_marker"),
    sa.CheckConstraint(_TIME.format("at"), name="at"),
    sa.CheckConstraint("rows >= 0", name="rows"),
    sa.Index(
        "ix_retention_action_open",
        "open_marker",
        sqlite_where=sa.text("open_marker IS NOT NULL"),
        postgresql_where=sa.text("open_marker IS NOT NULL"),
    ),
)

schema_lineage: Final = sa.Table(
    "schema_lineage",
    metadata,
    sa.Column("revision", SORTED_TEXT, primary_key=True),
    sa.Column("chain_digest", SORTED_TEXT, nullable=False),
    sa.CheckConstraint("length(chain_digest) = 64", name="chain_digest"),
)
