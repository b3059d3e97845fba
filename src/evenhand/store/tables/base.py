"""What do all tables share? One metadata, one rule for names, the columns that occur twice."""

from __future__ import annotations

from typing import Any, Final

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

_ABOUT: Final = "about"
_COLUMNS: Final = "about_columns"
_STAYS: Final = "stays_here"

_BASES: Final = "'imported', 'local', 'reported', 'witnessed'"
_STATES: Final = "'scored', 'failed', 'unjudged'"
_COUNTS: Final = (
    "questions",
    "answerable",
    "no_answer",
    "failed",
    "unjudged",
    "top1_hits",
    "top3_hits",
    "answerable_top1_hits",
    "answerable_top3_hits",
    "abstained",
    "false_abstained",
)


#: What columns say that mean the same wherever they occur.
_COMMON: Final = {
    "active": "Whether it may be used for anything new.",
    "actor": "Who asked, in words.",
    "benchmark_fingerprint": "Digest of what decides comparability; missing: unknown.",
    "created_at": "When the row was written.",
    "document_id": "The document's id, as the bytes it came in.",
    "evaluation_id": "The evaluation.",
    "id": "UUIDv7 of the row.",
    "name": "A name for people and commands.",
    "position": "Index of the question, in byte order of the question ids.",
    "project_id": "The project it belongs to.",
    "qrels_digest": "Digest of all judgements (qrels-v1).",
    "question_ordinal": "The question's place in its set.",
    "set_identifier": "Identifier of the golden set.",
    "version": "Rises with each change; a change names the one it was made on.",
}


def about(says: str, *, stays: str | None = None, **columns: str) -> dict[str, Any]:
    """The ``info`` of a table; the schema reference shows it, and it never reaches the database.

    Args:
        says: what a row of it is, one sentence.
        stays: why it is in no archive, such as a secret; None for a table that is.
        columns: what each column holds, one sentence; those of `_COMMON` may be left out.
    """
    return {_ABOUT: says, _COLUMNS: columns} | ({} if stays is None else {_STAYS: stays})


def what_of(table: sa.Table) -> str | None:
    """What a row of a table is, None where nobody has said so."""
    said: str | None = table.info.get(_ABOUT)
    return said


def what_of_columns(table: sa.Table) -> dict[str, str]:
    """What the columns of a table hold, by name; without those of which nobody has said so."""
    said: dict[str, str] = table.info.get(_COLUMNS, {})
    return {one.name: _COMMON[one.name] for one in table.c if one.name in _COMMON} | said


def stays_here(table: sa.Table) -> str | None:
    """Why a table is in no archive, None for one that is."""
    why: str | None = table.info.get(_STAYS)
    return why


def is_time(*names: str) -> str:
    """The condition that columns hold times: 27 characters, 2026-09-01T00:00:00.000000Z."""
    return " AND ".join(f"length({name}) = 27" for name in names)


#: What the columns of `result_columns` hold.
ABOUT_RESULT: Final = {
    "basis": "How the rankings came to be: imported, local, reported or witnessed.",
    "depth": "How many documents were asked for.",
    "machine": "Label of the kind of machine on which latencies were taken.",
    "jobs": "How many calls ran at a time.",
    "warmup": "How many calls before the first were not measured.",
    "batch": "How many questions a call held.",
    "questions": "How many questions are judged.",
    "answerable": "How many of them have targets.",
    "no_answer": "How many of them nothing answers.",
    "failed": "How many of them failed.",
    "unjudged": "How many further questions nobody has judged.",
    "top1_hits": "Hits at rank 1, an empty answer to a no-answer question among them.",
    "top3_hits": "The same within the first three.",
    "answerable_top1_hits": "Answerable questions with a target at rank 1.",
    "answerable_top3_hits": "Answerable questions with a target within the first three.",
    "abstained": "No-answer questions to which nothing came back.",
    "false_abstained": "Answerable questions to which nothing came back.",
}
#: What the columns of `outcome_columns` hold.
ABOUT_OUTCOME: Final = {
    "state": "Whether it was scored, failed or is unjudged.",
    "targets": "How many targets it has; missing: unjudged.",
    "retrieved": "How many results came back; missing: failed.",
    "window": "How many distinct documents were looked at; missing: failed.",
    "judged_hits": "Rank and grade of each judged document, as JSON.",
    "latency_ms": "How long it took, in milliseconds; missing: not measured.",
    "error_class": "Class name of the error of one that failed.",
}


def result_columns() -> list[sa.Column[Any]]:
    """How a result came to be, and its counts."""
    return [
        sa.Column("basis", SORTED_TEXT, nullable=False),
        sa.Column("depth", sa.BigInteger, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("jobs", sa.BigInteger, nullable=False),
        sa.Column("warmup", sa.BigInteger, nullable=False),
        sa.Column("batch", sa.BigInteger, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
    ]


def result_checks() -> list[sa.CheckConstraint]:
    """What holds between the columns of :func:`result_columns`."""
    return [
        sa.CheckConstraint(f"basis IN ({_BASES})", name="basis"),
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
    ]


def outcome_columns() -> list[sa.Column[Any]]:
    """One question's contribution, without ids or text."""
    return [
        sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("state", SORTED_TEXT, nullable=False),
        sa.Column("targets", sa.Integer),
        sa.Column("retrieved", sa.Integer),
        sa.Column("window", sa.Integer),
        sa.Column("judged_hits", sa.Text, nullable=False),
        sa.Column("latency_ms", sa.BigInteger),
        sa.Column("error_class", sa.Text),
    ]


def outcome_checks() -> list[sa.CheckConstraint]:
    """What holds between the columns of :func:`outcome_columns`."""
    return [
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
    ]
