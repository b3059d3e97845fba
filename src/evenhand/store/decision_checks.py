"""Do baselines and the ledger of decisions hold together? See ``store.checks``."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from sqlalchemy import RowMapping
from sqlalchemy.engine import Connection

from evenhand.core.errors import Invalid
from evenhand.core.scoring.outcome_rules import find_broken_rule
from evenhand.core.scoring.protocols import HitCounts, count_hits
from evenhand.store.baselines import outcomes_of
from evenhand.store.evaluation_rows import row_to_identity, row_to_outcome
from evenhand.store.set_uses import row_to_use
from evenhand.store.tables import baseline, set_use


def baseline_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with pinned baselines."""
    for row in connection.execute(sa.select(baseline).order_by(baseline.c.id)).mappings():
        try:
            problems = list(_problems(connection, row))
        except (msgspec.DecodeError, ValueError, TypeError):
            problems = [("unreadable", "a row of it does not read back as what was written")]
        for code, message in problems:
            yield code, f"baseline {row['id']}", message


def set_use_problems(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Code, subject and message of what is wrong with the ledger of decisions."""
    for row in connection.execute(sa.select(set_use).order_by(set_use.c.id)).mappings():
        try:
            row_to_use(row)
        except (msgspec.DecodeError, Invalid, ValueError, TypeError):
            message = "it does not read back as what was written"
            yield "set_use_unreadable", f"set use {row['id']}", message


def _problems(connection: Connection, row: RowMapping) -> Iterator[tuple[str, str]]:
    if row_to_identity(row) is None:
        yield (
            "identity_unreadable",
            "its fingerprints are not those of its declaration; nothing is compared with it",
        )
    rows = connection.execute(outcomes_of(row["id"])).mappings()
    outcomes = tuple(map(row_to_outcome, rows))
    expected = row["questions"] + row["unjudged"]
    if len(outcomes) != expected:
        yield "outcome_number", f"{len(outcomes)} outcomes are stored, {expected} belong to it"
        return
    broken = find_broken_rule(outcomes)
    if broken is not None:
        yield "outcome_rule", f"outcome {broken.place}: {broken.rule}"
        return
    recounted = count_hits(outcomes)
    wrong = [field for field in HitCounts.__slots__ if getattr(recounted, field) != row[field]]
    if wrong:
        yield "count", f"recounting its outcomes gives other numbers: {', '.join(wrong)}"
