"""Does what is stored hold together? Invariants that no constraint can express."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.errors import EvenhandError
from evenhand.core.errors.database import DatabaseNotReady
from evenhand.core.privacy import PrivacyLevel
from evenhand.core.scoring.outcome import Outcome
from evenhand.core.scoring.protocols import HitCounts, count_hits
from evenhand.store.access_checks import audit_problems, credential_problems
from evenhand.store.answer_checks import answer_problems
from evenhand.store.decision_checks import baseline_problems, set_use_problems
from evenhand.store.evaluation_rows import row_to_identity, row_to_outcome
from evenhand.store.evaluations import outcomes_of
from evenhand.store.event_checks import event_problems
from evenhand.store.gateway_checks import gateway_problems
from evenhand.store.golden_sets import SqlGoldenSets
from evenhand.store.intent_checks import intent_problems
from evenhand.store.publication_checks import publication_problems
from evenhand.store.registry.checks import registry_problems
from evenhand.store.restores import require_finished
from evenhand.store.review_checks import grounding_problems, practice_problems, review_problems
from evenhand.store.score_checks import score_problems
from evenhand.store.suite_checks import suite_problems, suite_revision_problems
from evenhand.store.tables import (
    evaluation,
    evaluation_ranked_document,
    evaluation_ranking,
    golden_set,
    retention_action,
)

#: The code of a finding that says that the file itself is damaged.
INTEGRITY: Final = "integrity"
_SOUND: Final = "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        code: stable snake-case name of the rule that is broken.
        subject: what it is about: ``evaluation ID``, ``golden set IDENTIFIER``, ``file``, …
        message: one sentence; no text of a question or document.
    """

    code: str
    subject: str
    message: str


def find_problems(connection: Connection) -> list[Finding]:
    """Everything that is wrong in a database whose schema is right.

    Args:
        connection: in a transaction; nothing is changed.
    """
    damage = list(_find_damage(connection))
    if damage:
        # Rows of a damaged file may be anything.
        return damage
    return [
        *_find_orphans(connection),
        *_find_open_retention(connection),
        *_find_unfinished_restore(connection),
        *_find_broken_evaluations(connection),
        *_find_broken_sets(connection),
        *_find_broken_rows(connection),
    ]


def _find_damage(connection: Connection) -> Iterator[Finding]:
    if connection.dialect.name == "sqlite":
        for line in connection.exec_driver_sql("PRAGMA integrity_check").scalars():
            if line != _SOUND:
                yield Finding(code=INTEGRITY, subject="file", message=str(line))


def _find_orphans(connection: Connection) -> Iterator[Finding]:
    # PostgreSQL keeps its foreign keys; SQLite does so only on connections that ask for it.
    if connection.dialect.name == "sqlite":
        for row in connection.exec_driver_sql("PRAGMA foreign_key_check").all():
            message = f"a row of {row[0]} refers to a row of {row[2]} that is not there"
            yield Finding(code="orphan", subject=f"table {row[0]}", message=message)


def _find_open_retention(connection: Connection) -> Iterator[Finding]:
    open_ids = connection.scalars(
        sa.select(retention_action.c.id).where(retention_action.c.open_marker.is_not(None))
    )
    for identifier in open_ids:
        message = "it is still open: append-only tables are unguarded"
        yield Finding(
            code="open_retention", subject=f"retention action {identifier}", message=message
        )


def _find_unfinished_restore(connection: Connection) -> Iterator[Finding]:
    try:
        require_finished(connection)
    except DatabaseNotReady as error:
        yield Finding(code=error.code, subject="restore", message=error.why)


def _find_broken_evaluations(connection: Connection) -> Iterator[Finding]:
    for row in connection.execute(sa.select(evaluation).order_by(evaluation.c.id)).mappings():
        try:
            problems = list(_evaluation_problems(connection, row))
        except (msgspec.DecodeError, ValueError, TypeError):
            problems = [("unreadable", "a row of it does not read back as what was written")]
        for code, message in problems:
            yield Finding(code=code, subject=f"evaluation {row['id']}", message=message)


def _evaluation_problems(connection: Connection, row: RowMapping) -> Iterator[tuple[str, str]]:
    if row["provenance"] is not None and row_to_identity(row) is None:
        yield (
            "identity_unreadable",
            "its fingerprints are not those of its declaration; it reads as unknown",
        )
    level = PrivacyLevel(row["privacy"])
    outcomes = _outcomes(connection, row["id"])
    yield from _outcome_problems(row, level, outcomes)
    yield from _ranking_problems(connection, row, level, outcomes)


def _outcome_problems(
    row: RowMapping, level: PrivacyLevel, outcomes: tuple[Outcome, ...]
) -> Iterator[tuple[str, str]]:
    attempted = row["questions"] + row["unjudged"]
    expected = attempted if level.keeps_outcomes else 0
    if len(outcomes) != expected:
        yield "outcome_number", f"{len(outcomes)} outcomes are stored, {expected} belong to it"
        return
    if [outcome.position for outcome in outcomes] != list(range(len(outcomes))):
        yield "outcome_position", "positions of its outcomes do not run from 0 without a gap"
    if outcomes:
        recounted = count_hits(outcomes)
        wrong = [field for field in HitCounts.__slots__ if getattr(recounted, field) != row[field]]
        if wrong:
            yield "count", f"recounting its outcomes gives other numbers: {', '.join(wrong)}"


def _ranking_problems(
    connection: Connection, row: RowMapping, level: PrivacyLevel, outcomes: tuple[Outcome, ...]
) -> Iterator[tuple[str, str]]:
    rankings = connection.execute(
        sa.select(evaluation_ranking.c.position, evaluation_ranking.c.query_id)
        .where(evaluation_ranking.c.evaluation_id == row["id"])
        .order_by(evaluation_ranking.c.position)
    ).all()
    answered = [outcome.position for outcome in outcomes if outcome.error_class is None]
    expected = answered if level.keeps_run else []
    if [position for position, _ in rankings] != expected:
        message = (
            f"{len(rankings)} rankings are stored, {len(expected)} belong to it: one for each"
            " question whose retrieval did not fail, and only at full"
        )
        yield "ranking_number", message
    if any(one >= next_one for (_, one), (_, next_one) in pairwise(rankings)):
        yield "ranking_order", "its rankings are not in byte order of their query ids"
    gaps = connection.scalars(_rankings_with_gaps(row["id"])).all()
    if gaps:
        yield "rank", f"ranks do not run from 1 without a gap at {len(gaps)} positions"


def _find_broken_sets(connection: Connection) -> Iterator[Finding]:
    repository = SqlGoldenSets(connection)
    stored = connection.execute(
        sa.select(golden_set.c.identifier, golden_set.c.labels_fingerprint).order_by(
            golden_set.c.identifier
        )
    ).all()
    for identifier, fingerprint in stored:
        subject = f"golden set {identifier}"
        try:
            found = repository.find(identifier)
        except (EvenhandError, msgspec.DecodeError, TypeError):
            # TypeError: SQLite lets another tool write text where bytes belong.
            message = "it does not read back as a golden set"
            yield Finding(code="set_unreadable", subject=subject, message=message)
            continue
        if found is not None and found.labels_fingerprint != fingerprint:
            message = "its labels fingerprint is not the one that was stored"
            yield Finding(code="labels_fingerprint", subject=subject, message=message)


def _find_broken_rows(connection: Connection) -> Iterator[Finding]:
    for problems in (
        baseline_problems(connection),
        set_use_problems(connection),
        score_problems(connection),
        answer_problems(connection),
        credential_problems(connection),
        audit_problems(connection),
        registry_problems(connection),
        suite_problems(connection),
        suite_revision_problems(connection),
        publication_problems(connection),
        gateway_problems(connection),
        intent_problems(connection),
        practice_problems(connection),
        review_problems(connection),
        grounding_problems(connection),
        event_problems(connection),
    ):
        for code, subject, message in problems:
            yield Finding(code=code, subject=subject, message=message)


def _outcomes(connection: Connection, evaluation_id: str) -> tuple[Outcome, ...]:
    rows = connection.execute(outcomes_of(evaluation_id)).mappings()
    return tuple(map(row_to_outcome, rows))


def _rankings_with_gaps(evaluation_id: str) -> sa.Select[tuple[int]]:
    """Positions whose documents' ranks are not 1 to their number."""
    ranked = evaluation_ranked_document.c
    return (
        sa.select(ranked.position)
        .where(ranked.evaluation_id == evaluation_id)
        .group_by(ranked.position)
        .having(sa.or_(sa.func.min(ranked.rank) != 1, sa.func.max(ranked.rank) != sa.func.count()))
    )
