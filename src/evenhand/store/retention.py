"""Who may take rows out of an append-only table, and which rows does time take?

The tables of evaluations refuse every UPDATE and DELETE, except in a transaction that has written
a `retention_action` row and not closed it yet. The row stays: who, by which rule, how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from evenhand.store import tables
from evenhand.store.times import time_to_text

#: Category → its tables, children first. Purge and erasure delete from all of them.
PURGED: Final = {
    "evaluation": (
        tables.evaluation_publication,
        tables.comparison_leg,
        tables.evaluation_ranked_document,
        tables.evaluation_ranking,
        tables.evaluation_score,
        tables.evaluation_grade,
        tables.evaluation_answer,
        tables.evaluation_relevance,
        tables.evaluation_outcome,
        tables.evaluation,
    ),
    "gateway_request": (tables.gateway_attempt, tables.gateway_request),
    "event": (
        tables.event_delivery,
        tables.event_outbox,
        tables.event,
        tables.event_rejection,
    ),
    "review": (
        tables.reaction,
        tables.feedback_dispatch,
        tables.feedback_placement,
        tables.feedback_observation,
        tables.feedback,
        tables.review_candidate_rejection,
        tables.observation,
        tables.observation_admission,
        tables.llm_usage_event,
        tables.job_transition,
        tables.review_attempt,
        tables.agent_job_practice,
        tables.reviewed_answer,
        tables.agent_job,
        tables.answer_acceptance,
    ),
}

#: Tables that no purge touches, each with the reason.
EXEMPT: Final = {
    "golden_set": "labels that a person wrote and imported; they are replaced or deleted by name",
    "golden_question": "part of golden_set, deleted with it",
    "golden_holdout": "part of golden_set, deleted with it",
    "golden_target": "part of golden_set, deleted with it",
    "golden_grade": "part of golden_set, deleted with it",
    "baseline": "a copy that a person pinned so that it outlives evaluations; no id, no text",
    "baseline_outcome": "part of baseline: outcomes by position, no id, no text",
    "baseline_grade": "part of baseline: grades by position, no id, no text",
    "baseline_relevance": "part of baseline: a digest",
    "set_use": "how many decisions rest on a set; it would start anew with every purge",
    "credential": "who may call, and who might once; the audit leads here; it holds no token",
    "audit_entry": "what was changed, when and by whom; it holds no content and no token",
    **dict.fromkeys(
        (
            "project",
            "binding",
            "service_client",
            "artifact",
            "runtime",
            "deployment",
            "route",
        ),
        "what is registered is deactivated, never taken away: what once named it leads here",
    ),
    "suite": "a name in a project; it is deactivated, never taken away",
    **dict.fromkeys(
        ("suite_revision", "suite_case", "suite_case_target", "suite_case_grade"),
        "what a decision was made on is kept for good, and it is frozen to be kept",
    ),
    "gateway_allowance": "how much a client may still ask; one time, overwritten",
    "comparison_intent": "what was decided on; it is never taken away, and holds no text of a case",
    "comparison_request": "that a call proved a case, so that it proves no other; no text",
    "comparison_summary": "what came of a comparison, which outlives its evaluations; numbers only",
    **dict.fromkeys(
        ("practice", "practice_revision"),
        "criteria that reviews were made by; what was counted by them leads here",
    ),
    **dict.fromkeys(
        ("human_label", "review_agreement", "review_waiver"),
        "what a finding may be told as grounded by; it holds pseudonyms, counts and digests",
    ),
    "event_delivery_batch": "which events went to a sink together; it holds a time and a name",
    "instance_secret": "a secret of the installation; what was made with it names its version",
    "retention_action": "the trace that a purge leaves; it holds no content",
    "restore_marker": "which archive filled the database; it holds digests and no content",
    "schema_lineage": "which migrations were applied; it holds no content",
}


class Tally:
    """How many things an open retention action has taken away so far."""

    def __init__(self) -> None:
        self.rows = 0


@contextmanager
def retention(
    connection: Connection,
    *,
    id: str,  # noqa: A002 -- the column's name
    at: datetime,
    actor: str,
    rule: str,
) -> Iterator[Tally]:
    """Open a retention action for the length of the block, then close it.

    The whole happens in the caller's transaction: should the block raise, nothing remains, and a
    row that stays open cannot be committed.

    Args:
        connection: in a transaction that writes.
        id: the row's UUIDv7.
        at: the transaction's time.
        actor: who asked.
        rule: what for, such as ``purge:evaluation``.
    """
    connection.execute(
        tables.retention_action.insert().values(
            id=id,
            at=time_to_text(at),
            actor=actor,
            rule=rule,
            rows=0,
            open_marker=_marker(connection, id),
        )
    )
    tally = Tally()
    yield tally
    connection.execute(
        tables.retention_action.update()
        .where(tables.retention_action.c.id == id)
        .values(rows=tally.rows, open_marker=None)
    )


def delete_evaluations(connection: Connection, chosen: sa.ColumnElement[bool]) -> int:
    """Delete the evaluations that a condition chooses, with all that hangs on them.

    Returns:
        How many evaluations there were.
    """
    ids = sa.select(tables.evaluation.c.id).where(chosen)
    *children, parent = PURGED["evaluation"]
    for child in children:
        connection.execute(child.delete().where(child.c.evaluation_id.in_(ids)))
    return connection.execute(parent.delete().where(chosen)).rowcount


def delete_gateway_requests(connection: Connection, chosen: sa.ColumnElement[bool]) -> int:
    """Delete the requests that a condition chooses, but those that something else rests on.

    What rests on a request refers to it by a foreign key, such as a comparison that it proves a
    case of: no list has to be kept of such tables.

    Returns:
        How many requests there were.
    """
    *children, parent = PURGED["gateway_request"]
    going = sa.and_(chosen, *(~one for one in _rests_on(parent, children)))
    ids = sa.select(parent.c.id).where(going)
    for child in children:
        connection.execute(child.delete().where(child.c.request_id.in_(ids)))
    return connection.execute(parent.delete().where(going)).rowcount


def _rests_on(parent: sa.Table, children: Sequence[sa.Table]) -> Iterator[sa.ColumnElement[bool]]:
    """For each reference from elsewhere: whether a row of another table makes it."""
    for table in parent.metadata.tables.values():
        if table in children:
            continue
        for key in table.foreign_key_constraints:
            if key.referred_table is parent:
                pairs = (one.parent == one.column for one in key.elements)
                yield sa.exists().where(*pairs)


def _marker(connection: Connection, id: str) -> sa.ColumnElement[str] | str:  # noqa: A002 -- as above
    if connection.dialect.name == "sqlite":
        return tables.OPEN_MARKER + id
    return sa.literal(tables.OPEN_MARKER) + sa.cast(sa.func.pg_current_xact_id(), sa.Text)
